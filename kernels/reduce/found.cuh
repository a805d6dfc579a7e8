#pragma once
// What the reductions leave that find more than one element's worth.
#include "kernels/reduce/long_accumulator.cuh"
#include "kernels/reduce/summary.cuh"

#include <type_traits>

namespace BACKEND {

/// The exact sum, carried, for whoever adds further numbers to it, and the nearest T.
template <typename T>
struct ExactResult {
    LongAccumulator<T> sum;
    T rounded;
};

/// Sums of integers are always exact.
struct NoExactResult {};

/// A launch writes what it was asked for: the parts that its arguments want of the summary, or the exact sum.
template <typename T>
struct Found {
    Summary<T> summary;
    std::conditional_t<std::is_integral_v<T>, NoExactResult, ExactResult<T>> exact;
};

}  // namespace BACKEND
