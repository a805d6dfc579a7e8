// SPDX-License-Identifier: MIT
// Shifts as PTX defines them: the amount is an unsigned 32-bit number, and an amount not less than the width shifts all
// bits out. (x86 takes it modulo the width, and C++ leaves it open.) simcc's rewriter turns the shifts of device code
// into calls of these functions. Operators of classes are called as usual.
#pragma once

#include "simt/declare.h"

namespace simt {

/// The unsigned integer of the same width; no type for anything but integers.
template <typename T>
struct ShiftedInteger {
    static constexpr bool value = false;
};
#define SIMT_SHIFTED(T, Unsigned)           \
    template <>                             \
    struct ShiftedInteger<T> {              \
        static constexpr bool value = true; \
        using type = Unsigned;              \
    };
SIMT_SHIFTED(bool, unsigned)
SIMT_SHIFTED(char, unsigned)
SIMT_SHIFTED(signed char, unsigned)
SIMT_SHIFTED(unsigned char, unsigned)
SIMT_SHIFTED(wchar_t, unsigned)
SIMT_SHIFTED(char16_t, unsigned)
SIMT_SHIFTED(char32_t, unsigned)
SIMT_SHIFTED(short, unsigned)
SIMT_SHIFTED(unsigned short, unsigned)
SIMT_SHIFTED(int, unsigned)
SIMT_SHIFTED(unsigned, unsigned)
SIMT_SHIFTED(long, unsigned long)
SIMT_SHIFTED(unsigned long, unsigned long)
SIMT_SHIFTED(long long, unsigned long long)
SIMT_SHIFTED(unsigned long long, unsigned long long)
#undef SIMT_SHIFTED

/// The type without reference, const and volatile.
template <typename T>
struct Plain {
    using type = T;
};
template <typename T>
struct Plain<T&> : Plain<T> {};
template <typename T>
struct Plain<T&&> : Plain<T> {};
template <typename T>
struct Plain<const T> : Plain<T> {};
template <typename T>
struct Plain<volatile T> : Plain<T> {};
template <typename T>
struct Plain<const volatile T> : Plain<T> {};

template <bool condition>
struct ShiftIf {};
template <>
struct ShiftIf<true> {
    using type = int;
};
template <typename L, typename R>
using if_integers = typename ShiftIf<ShiftedInteger<typename Plain<L>::type>::value &&
                                     ShiftedInteger<typename Plain<R>::type>::value>::type;
template <typename L, typename R>
using unless_integers = typename ShiftIf<!(ShiftedInteger<typename Plain<L>::type>::value &&
                                           ShiftedInteger<typename Plain<R>::type>::value)>::type;

/// Without branches: an amount out of range masks the result, or becomes the largest amount. Integers are taken by
/// value, since a bit-field has no address.
template <typename L, typename R, if_integers<L, R> = 0>
SIMT_INLINE constexpr auto shift_left(L value, R amount) {
    using Result = decltype(+value);
    using Unsigned = typename ShiftedInteger<Result>::type;
    constexpr unsigned width = 8 * sizeof(Result);
    const unsigned bits = static_cast<unsigned>(amount);
    const Unsigned kept = static_cast<Unsigned>(0) - static_cast<Unsigned>(bits < width);
    return static_cast<Result>(static_cast<Unsigned>(value) << (bits & (width - 1)) & kept);
}
template <typename L, typename R, if_integers<L, R> = 0>
SIMT_INLINE constexpr auto shift_right(L value, R amount) {
    using Result = decltype(+value);
    using Unsigned = typename ShiftedInteger<Result>::type;
    constexpr unsigned width = 8 * sizeof(Result);
    const unsigned bits = static_cast<unsigned>(amount);
    if constexpr (static_cast<Result>(-1) < static_cast<Result>(0)) {
        return static_cast<Result>(static_cast<Result>(value) >> ((bits | (0u - (bits >= width))) & (width - 1)));
    } else {
        const Unsigned kept = static_cast<Unsigned>(0) - static_cast<Unsigned>(bits < width);
        return static_cast<Result>(static_cast<Unsigned>(value) >> (bits & (width - 1)) & kept);
    }
}
template <typename L, typename R, if_integers<L, R> = 0>
SIMT_INLINE constexpr L& assign_shift_left(L& value, R amount) {
    value = static_cast<L>(shift_left(value, amount));
    return value;
}
template <typename L, typename R, if_integers<L, R> = 0>
SIMT_INLINE constexpr L& assign_shift_right(L& value, R amount) {
    value = static_cast<L>(shift_right(value, amount));
    return value;
}
template <typename L, typename R, if_integers<L, R> = 0>
SIMT_INLINE void assign_shift_left(volatile L& value, R amount) {
    value = static_cast<L>(shift_left(value, amount));
}
template <typename L, typename R, if_integers<L, R> = 0>
SIMT_INLINE void assign_shift_right(volatile L& value, R amount) {
    value = static_cast<L>(shift_right(value, amount));
}

template <typename L, typename R, unless_integers<L, R> = 0>
SIMT_INLINE constexpr decltype(auto) shift_left(L&& left, R&& right) {
    return static_cast<L&&>(left) << static_cast<R&&>(right);
}
template <typename L, typename R, unless_integers<L, R> = 0>
SIMT_INLINE constexpr decltype(auto) shift_right(L&& left, R&& right) {
    return static_cast<L&&>(left) >> static_cast<R&&>(right);
}
template <typename L, typename R, unless_integers<L, R> = 0>
SIMT_INLINE constexpr decltype(auto) assign_shift_left(L&& left, R&& right) {
    return static_cast<L&&>(left) <<= static_cast<R&&>(right);
}
template <typename L, typename R, unless_integers<L, R> = 0>
SIMT_INLINE constexpr decltype(auto) assign_shift_right(L&& left, R&& right) {
    return static_cast<L&&>(left) >>= static_cast<R&&>(right);
}

}  // namespace simt
