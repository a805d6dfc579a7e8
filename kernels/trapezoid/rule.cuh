// SPDX-License-Identifier: MIT
#pragma once
// The trapezoidal rule, for every method: the integral is the sum of n heights times the width of one trapezoid.
//
// This file and all that it includes are also compiled at run time, so they need no header of the standard library.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// From `from` to `to` in n steps. If n is 0, there are no heights and `step` is 0.
template <typename T>
struct Trapezoids {
    size_t n;
    T from, to, step;

    /// Where the left side of trapezoid i is. It is computed with one rounding from the rounded index and step: the
    /// same number on every device and on the host.
    template <typename Index>
    __host__ __device__ T left_side(Index i) const {
        return fma(static_cast<T>(i), step, from);
    }
};

/// The height that trapezoid i adds. Neighbors share a side, so each side counts once, as the left side of its right
/// neighbor. The first and the last side count half; trapezoid 0 adds both.
template <typename T, typename Function, typename Index>
__host__ __device__ T height(const Trapezoids<T>& rule, const Function& f, Index i) {
    const T value = f(i == 0 ? rule.from : rule.left_side(i));
    return i == 0 ? T(0.5) * (value + f(rule.to)) : value;
}

}  // namespace BACKEND
