// SPDX-License-Identifier: MIT
#pragma once
// The operations a reduction can apply: sum, minimum and maximum of float, double, int32_t and int64_t.
// An operator is a small object that a kernel receives by value. Its functions:
//     identity()                   the value that changes nothing, and the result of reducing no elements
//     nothing()                    the element that changes nothing: the same, unless values are wider than elements
//     combine(a, b)                associative and commutative (floating-point sums: up to rounding)
//     combine_warp(v)              all lanes' values in one instruction; only if has_warp_instruction
// A floating-point minimum or maximum over a NaN is NaN in any order, as a sum is: bad data must not look good.
// An integer sum wraps around, as the hardware's adder does, even where C++ leaves signed overflow undefined.
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace BACKEND {

enum class Operation { sum, minimum, maximum };

/// The parts of a summary: see summary.cuh.
enum Wanted : unsigned { wants_sum = 1, wants_moments = 2, wants_extremes = 4 };
constexpr Wanted operator|(Wanted a, Wanted b) { return static_cast<Wanted>(unsigned{a} | unsigned{b}); }

/// Whether T is a type the operators below support.
template <typename T>
inline constexpr bool is_reducible = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                     std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;

/// The largest and the smallest value: infinities if T has them. Constants, because device code may not call
/// std::numeric_limits.
template <typename T>
inline constexpr T largest_value = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                        : std::numeric_limits<T>::max();
template <typename T>
inline constexpr T smallest_value = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                         : std::numeric_limits<T>::lowest();

/// The type of an operator's running values: T, or something wider.
template <typename Operator>
using ValueOf = decltype(std::declval<Operator>().identity());

/// Whether one instruction combines a warp's values of type T: 32-bit integers, since sm_80.
#if !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <typename T>
constexpr bool warp_has_instruction_for = std::is_same_v<T, std::int32_t>;
#else
template <typename T>
constexpr bool warp_has_instruction_for = false;
#endif

template <typename T>
struct Sum {
    static_assert(is_reducible<T>);
    static constexpr bool has_warp_instruction = warp_has_instruction_for<T>;

    __host__ __device__ constexpr T identity() const { return T(0); }
    __host__ __device__ constexpr T nothing() const { return identity(); }

    __host__ __device__ constexpr T combine(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            using Unsigned = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
        } else {
            return a + b;
        }
    }

    __device__ T combine_warp(T value) const { return __reduce_add_sync(0xffffffffU, value); }
};

/// The minimum or the maximum. One type serves both, so that every kernel is compiled once for the two: the direction
/// is an argument of the launch, and testing it is cheap next to loading an element.
template <typename T>
struct Extreme {
    static_assert(is_reducible<T>);
    static constexpr bool has_warp_instruction = warp_has_instruction_for<T>;

    bool greatest;  // the maximum; otherwise the minimum

    __host__ __device__ constexpr T identity() const { return greatest ? smallest_value<T> : largest_value<T>; }
    __host__ __device__ constexpr T nothing() const { return identity(); }

    __host__ __device__ constexpr T combine(T a, T b) const { return (greatest ? b > a : b < a) || b != b ? b : a; }

    __device__ T combine_warp(T value) const {
        return greatest ? __reduce_max_sync(0xffffffffU, value) : __reduce_min_sync(0xffffffffU, value);
    }
};

/// Calls action(op) with the operator for `operation` on elements of type T.
template <typename T, typename Action>
auto with_operator(Operation operation, Action action) {
    if (operation == Operation::sum) return action(Sum<T>{});
    return action(Extreme<T>{operation == Operation::maximum});
}

template <typename T>
T identity_of(Operation operation) {
    return with_operator<T>(operation, [](auto op) { return op.identity(); });
}

}  // namespace BACKEND
