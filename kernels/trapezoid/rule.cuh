#pragma once
// The trapezoidal rule as every method sees it: n trapezoids are n heights to be added, and the sum times the width of
// one is the integral.
//
// This file, and all that it includes, is also compiled at run time: no header of the standard library's is needed.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// From `from` to `to` in n steps; no steps have no heights, and `step` is 0.
template <typename T>
struct Trapezoids {
    size_t n;
    T from, to, step;

    /// Where the left side of trapezoid i is. It is rounded once, from the rounded index and step: the same number on
    /// every device and on the host.
    template <typename Index>
    __host__ __device__ T left_side(Index i) const {
        return fma(static_cast<T>(i), step, from);
    }
};

/// The height that trapezoid i adds: neighbours share a side, so that each of them counts once, as its right
/// neighbour's, but for the first and the last, which count half and are both left to trapezoid 0.
template <typename T, typename Function, typename Index>
__host__ __device__ T height(const Trapezoids<T>& rule, const Function& f, Index i) {
    const T value = f(i == 0 ? rule.from : rule.left_side(i));
    return i == 0 ? T(0.5) * (value + f(rule.to)) : value;
}

}  // namespace BACKEND
