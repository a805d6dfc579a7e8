// SPDX-License-Identifier: MIT
#pragma once
// The results of the reductions that find more than one value.
#include "kernels/reduce/long_accumulator.cuh"
#include "kernels/reduce/summary.cuh"

#include <type_traits>

namespace BACKEND {

/// The exact sum, carried, so that more numbers may be added to it, and the nearest T.
template <typename T>
struct ExactResult {
    LongAccumulator<T> sum;
    T rounded;
};

/// Sums of integers are always exact.
struct NoExactResult {};

/// A launch writes only what it was asked for: the wanted parts of the summary, or the exact sum.
template <typename T>
struct Found {
    Summary<T> summary;
    std::conditional_t<std::is_integral_v<T>, NoExactResult, ExactResult<T>> exact;
};

}  // namespace BACKEND
