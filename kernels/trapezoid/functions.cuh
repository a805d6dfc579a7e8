// SPDX-License-Identifier: MIT
#pragma once
// The functions that the program knows by name. A kernel gets one as an integrand; its apply(action) calls action(f)
// with the function as an object or pointer, so that the choice is made once, not for every trapezoid.
#include <cuda_runtime.h>

#include <cmath>

namespace BACKEND {

/// In the order of the table of functions.
enum class BuiltIn : int { parabola, lorentz, sin, gauss, sqrt };

template <typename T>
struct Parabola {
    __host__ __device__ T operator()(T x) const { return x * x + T(1); }
};

template <typename T>
struct Lorentz {
    __host__ __device__ T operator()(T x) const { return T(4) / (T(1) + x * x); }
};

template <typename T>
struct Sine {
    __host__ __device__ T operator()(T x) const { return sin(x); }
};

template <typename T>
struct Gauss {
    __host__ __device__ T operator()(T x) const { return exp(-(x * x)); }
};

template <typename T>
struct SquareRoot {
    __host__ __device__ T operator()(T x) const { return sqrt(x); }
};

// (The action is a host or a device function, whichever the caller is.)
#pragma nv_exec_check_disable
template <typename T, typename Action>
__host__ __device__ auto apply_built_in(BuiltIn which, Action action) {
    switch (which) {
        case BuiltIn::lorentz: return action(Lorentz<T>{});
        case BuiltIn::sin: return action(Sine<T>{});
        case BuiltIn::gauss: return action(Gauss<T>{});
        case BuiltIn::sqrt: return action(SquareRoot<T>{});
        default: return action(Parabola<T>{});
    }
}

#if defined(__SIMCC__)
/// In the simulator device functions are host functions, so a pointer works, also to one compiled at run time.
template <typename T>
struct Integrand {
    T (*evaluate)(T);

    template <typename Action>
    __device__ auto apply(Action action) const {
        return action(evaluate);
    }
};

template <typename T>
Integrand<T> integrand_of(BuiltIn which) {
    return {apply_built_in<T>(which, [](auto f) -> T (*)(T) { return [](T x) { return decltype(f){}(x); }; })};
}
#else
template <typename T>
struct Integrand {
    BuiltIn which;

    template <typename Action>
    __device__ auto apply(Action action) const {
        return apply_built_in<T>(which, action);
    }
};

template <typename T>
Integrand<T> integrand_of(BuiltIn which) {
    return {which};
}
#endif

}  // namespace BACKEND
