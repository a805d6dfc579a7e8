// SPDX-License-Identifier: MIT
#ifndef SIMT_CUB_UTIL_MACRO
#define SIMT_CUB_UTIL_MACRO

#include "../simt/cub.hpp"

#ifndef CUB_MAX
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#endif
#ifndef CUB_MIN
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#endif
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CUB_ROUND_DOWN_NEAREST(x, y) (((x) / (y)) * (y))
#define CUB_STATIC_ASSERT(condition, message) static_assert(condition, message)
#define CUB_PREVENT_MACRO_SUBSTITUTION

CUB_NAMESPACE_OPEN

template <typename T, typename U>
constexpr auto max CUB_PREVENT_MACRO_SUBSTITUTION(T&& t, U&& u) -> decltype(t < u ? u : t) {
    return t < u ? u : t;
}
template <typename T, typename U>
constexpr auto min CUB_PREVENT_MACRO_SUBSTITUTION(T&& t, U&& u) -> decltype(u < t ? u : t) {
    return u < t ? u : t;
}
template <typename Number, typename Divisor>
constexpr Number DivideAndRoundUp(Number n, Divisor divisor) {
    return static_cast<Number>((n / divisor) + (n % divisor != 0 ? 1 : 0));
}

CUB_NAMESPACE_CLOSE
#endif

#ifdef THRUST_VERSION
#include_next <cub/util_macro.cuh>
#endif
