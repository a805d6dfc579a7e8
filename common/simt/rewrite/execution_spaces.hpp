// SPDX-License-Identifier: MIT
#pragma once
// Where a function's code runs, according to its qualifiers.

#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/functions.hpp"

namespace simcc {

class ExecutionSpaces {
public:
    ExecutionSpaces(const Source& source, const Braces& braces, const Functions& functions)
        : source_(source), braces_(braces), functions_(functions) {}

    /// Whether token i is in code that can run only on the host. Templates and constexpr functions, which may never be
    /// instantiated or run there, and system headers do not count. In doubt the answer is no.
    bool is_host_only(std::size_t i) const;

    /// Whether token i is in the body of a function that may run on the device: its definition, or an earlier
    /// declaration of this member, has __device__ or __global__, or it is constexpr. System headers do not count.
    bool is_device(std::size_t i) const;

    /// Whether token i is in a kernel, or in a function or lambda only for the device. In doubt the answer is no.
    bool is_device_only(std::size_t i) const;

    /// Whether token i is in an unevaluated operand, such as that of decltype or sizeof.
    bool is_unevaluated(std::size_t i) const;

private:
    bool has(std::size_t open, std::string_view word) const;
    bool is_function(std::size_t open) const;
    bool is_generic(std::size_t open) const;
    bool has_device_declaration(std::size_t open) const;
    bool is_device_member(std::size_t open) const;

    const Source& source_;
    const Braces& braces_;
    const Functions& functions_;
};

}  // namespace simcc
