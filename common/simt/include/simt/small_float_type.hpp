// SPDX-License-Identifier: MIT
// The classes behind __half and __nv_bfloat16, and their pairs: storage, conversions, operators.
#pragma once

#include "simt/small_float.hpp"

namespace simt {

template <class T>
struct IsNumber {
    static constexpr bool value = false;
};
// clang-format off
#define SIMT_NUMBER(T) template <> struct IsNumber<T> { static constexpr bool value = true; };
SIMT_NUMBER(bool) SIMT_NUMBER(char) SIMT_NUMBER(signed char) SIMT_NUMBER(unsigned char) SIMT_NUMBER(short)
SIMT_NUMBER(unsigned short) SIMT_NUMBER(int) SIMT_NUMBER(unsigned) SIMT_NUMBER(long) SIMT_NUMBER(unsigned long)
SIMT_NUMBER(long long) SIMT_NUMBER(unsigned long long) SIMT_NUMBER(float) SIMT_NUMBER(double)
#undef SIMT_NUMBER
    // clang-format on

    template <bool condition>
    struct EnableIf {
};
template <>
struct EnableIf<true> {
    using type = int;
};

// Converts to the format, rounded once to nearest.
template <class Format>
SIMT_INLINE unsigned short narrow_number(float value) {
    return narrow_nearest<Format>(value);
}
template <class Format>
SIMT_INLINE unsigned short narrow_number(double value) {
    return narrow<Format, Rounding::nearest>(value);
}
template <class Format>
SIMT_INLINE unsigned short narrow_number(long long value) {
    return narrow<Format, Rounding::nearest>(to_odd(value));
}
template <class Format>
SIMT_INLINE unsigned short narrow_number(unsigned long long value) {
    return narrow<Format, Rounding::nearest>(to_odd(value));
}
template <class Format>
SIMT_INLINE unsigned short narrow_number(int value) {
    return narrow<Format, Rounding::nearest>(static_cast<double>(value));
}
template <class Format>
SIMT_INLINE unsigned short narrow_number(unsigned value) {
    return narrow<Format, Rounding::nearest>(static_cast<double>(value));
}
template <class Format>
SIMT_INLINE unsigned short narrow_number(long value) {
    return narrow_number<Format>(static_cast<long long>(value));
}
template <class Format>
SIMT_INLINE unsigned short narrow_number(unsigned long value) {
    return narrow_number<Format>(static_cast<unsigned long long>(value));
}

// Types with this mark take part in the operators and functions below.
template <class T>
struct SmallFloat {
    static constexpr bool scalar = false, pair = false;
};
template <class T>
using if_scalar = typename EnableIf<SmallFloat<T>::scalar>::type;
template <class T>
using if_pair = typename EnableIf<SmallFloat<T>::pair>::type;

}  // namespace simt

// A scalar type: trivial, so that it may live in shared memory and unions. It converts from every number and to float,
// and through float to everything else.
#define SIMT_SMALL_FLOAT(name, raw_name, format_)                                                     \
    struct raw_name {                                                                                 \
        unsigned short x;                                                                             \
    };                                                                                                \
    struct name {                                                                                     \
        using format = format_;                                                                       \
        using simt_saturates = int; /* casts to integers of every width do (saturated.hpp) */         \
        unsigned short __x;                                                                           \
                                                                                                      \
        name() = default;                                                                             \
        SIMT_INLINE constexpr name(raw_name raw) : __x(raw.x) {}                                      \
        template <class Number, typename ::simt::EnableIf<::simt::IsNumber<Number>::value>::type = 0> \
        SIMT_INLINE name(Number value) : __x(::simt::narrow_number<format>(value)) {}                 \
        SIMT_INLINE operator float() const { return ::simt::widen<format>(__x); }                     \
        SIMT_INLINE constexpr operator raw_name() const { return {__x}; }                             \
        SIMT_INLINE operator raw_name() const volatile { return {__x}; } /* reads volatile values */  \
        template <class Number, typename ::simt::EnableIf<::simt::IsNumber<Number>::value>::type = 0> \
        SIMT_INLINE name& operator=(Number value) {                                                   \
            return *this = name(value);                                                               \
        }                                                                                             \
    };                                                                                                \
    template <>                                                                                       \
    struct simt::SmallFloat<name> {                                                                   \
        static constexpr bool scalar = true, pair = false;                                            \
    };

#define SIMT_SMALL_FLOAT_PAIR(name, raw_name, scalar_)                     \
    struct __attribute__((aligned(4))) raw_name {                          \
        unsigned short x, y;                                               \
    };                                                                     \
    struct __attribute__((aligned(4))) name {                              \
        using scalar = scalar_;                                            \
        scalar x, y;                                                       \
                                                                           \
        name() = default;                                                  \
        SIMT_INLINE constexpr name(scalar x_, scalar y_) : x(x_), y(y_) {} \
    };                                                                     \
    template <>                                                            \
    struct simt::SmallFloat<name> {                                        \
        static constexpr bool scalar = false, pair = true;                 \
    };

// ---- operators: arithmetic in float, rounded to the type, which gives the correctly rounded result -----------------
#define SIMT_ARITHMETIC(op)                                       \
    template <class T, ::simt::if_scalar<T> = 0>                  \
    SIMT_INLINE T operator op(T a, T b) {                         \
        return T(static_cast<float>(a) op static_cast<float>(b)); \
    }                                                             \
    template <class T, ::simt::if_pair<T> = 0>                    \
    SIMT_INLINE T operator op(T a, T b) {                         \
        return T(a.x op b.x, a.y op b.y);                         \
    }                                                             \
    template <class T, ::simt::if_scalar<T> = 0>                  \
    SIMT_INLINE T& operator op##=(T& a, T b) {                    \
        return a = a op b;                                        \
    }                                                             \
    template <class T, ::simt::if_pair<T> = 0>                    \
    SIMT_INLINE T& operator op##=(T& a, T b) {                    \
        return a = a op b;                                        \
    }
SIMT_ARITHMETIC(+)
SIMT_ARITHMETIC(-)
SIMT_ARITHMETIC(*)
SIMT_ARITHMETIC(/)
#undef SIMT_ARITHMETIC

#define SIMT_COMPARISON(op)                                    \
    template <class T, ::simt::if_scalar<T> = 0>               \
    SIMT_INLINE bool operator op(T a, T b) {                   \
        return static_cast<float>(a) op static_cast<float>(b); \
    }                                                          \
    template <class T, ::simt::if_pair<T> = 0>                 \
    SIMT_INLINE bool operator op(T a, T b) {                   \
        return a.x op b.x && a.y op b.y;                       \
    }
SIMT_COMPARISON(==)
SIMT_COMPARISON(!=)
SIMT_COMPARISON(<)
SIMT_COMPARISON(<=)
SIMT_COMPARISON(>)
SIMT_COMPARISON(>=)
#undef SIMT_COMPARISON

template <class T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator+(T a) {
    return a;
}
template <class T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator-(T a) {
    a.__x = (a.__x & 0x7fff) > T::format::infinity ? T::format::nan : a.__x ^ 0x8000;
    return a;
}
template <class T, ::simt::if_pair<T> = 0>
SIMT_INLINE T operator-(T a) {
    return T(-a.x, -a.y);
}
template <class T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T& operator++(T& a) {
    return a += T(1.0f);
}
template <class T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T& operator--(T& a) {
    return a -= T(1.0f);
}
template <class T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator++(T& a, int) {
    const T before = a;
    ++a;
    return before;
}
template <class T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator--(T& a, int) {
    const T before = a;
    --a;
    return before;
}
