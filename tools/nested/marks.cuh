// SPDX-License-Identifier: MIT
// Marks that grids leave: they show a grid that has not run, or has run twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/io/text.hpp"
#include "common/measure/verify.hpp"
#include "kernels/nested/launches.cuh"

namespace BACKEND {

// A mark per grid, followed by the error.
class Marks {
public:
    explicit Marks(size_t count) : count_(count), d_words_(count + 1) {}

    NestedArguments arguments(std::uint64_t seed) const {
        NestedArguments arguments;
        arguments.d_marks = d_words_.data();
        arguments.d_error = d_words_.data() + count_;
        arguments.seed = unsigned(seed);
        return arguments;
    }

    void poison(cudaStream_t stream) const {
        CHECK(cudaMemsetAsync(d_words_.data(), poison_byte, count_ * sizeof(unsigned), stream));
        CHECK(cudaMemsetAsync(d_words_.data() + count_, 0, sizeof(unsigned), stream));
    }

    Verdict check(std::uint64_t seed) const {
        std::vector<unsigned> words(count_ + 1);
        CHECK(cudaMemcpy(words.data(), d_words_.data(), words.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
        const auto error = static_cast<cudaError_t>(words[count_]);
        const std::string cause =
            error ? text("a launch by a kernel failed: {} ({})", cudaGetErrorString(error), cudaGetErrorName(error))
                  : "";
        for (size_t i = 0; i < count_; ++i) {
            const unsigned mark = mark_of(unsigned(seed), unsigned(i)), left = words[i] - poison_byte * 0x01010101U;
            if (left == mark) continue;
            return {false, text("grid {} of {} has {}{}{}", i, count_,
                                left == 0          ? "not run"
                                : left == 2 * mark ? "run twice"
                                                   : "left a wrong mark",
                                error ? "; " : "", cause)};
        }
        return {error == cudaSuccess, cause};
    }

private:
    static constexpr unsigned poison_byte = 0xa5;

    size_t count_;
    DeviceBuffer<unsigned> d_words_;
};

}  // namespace BACKEND
