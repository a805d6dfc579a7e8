// SPDX-License-Identifier: MIT
// A function compiled by simcc while the program runs, for the simulator: there, device code is the host's.
#pragma once

#include <optional>

#include "common/cuda/library.hpp"
#include "common/io/dtype.hpp"
#include "common/io/process.hpp"
#include "tools/trapezoid/expression.hpp"

class SharedObject {
public:
    // Compiles `expression` for numbers of that type. Failure(unavailable) if there is no simcc, or if it fails.
    SharedObject(const Expression& expression, DType dtype);

    template <typename T>
    auto function() const {
        return reinterpret_cast<T (*)(T)>(function_);
    }

private:
    TemporaryFolder folder_{"trapezoid"};  // checks read the library's symbols as long as it is open
    std::optional<Library> library_;
    void* function_ = nullptr;
};
