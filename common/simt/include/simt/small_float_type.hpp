// SPDX-License-Identifier: MIT
// The classes behind __half and __nv_bfloat16, and their pairs: storage, conversions, operators.
#pragma once

#include "simt/small_float.hpp"

namespace simt {

template <typename T>
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

/// Converts to the format, rounded once to nearest.
template <typename Format>
SIMT_INLINE unsigned short narrow_number(float value) {
    return narrow_nearest<Format>(value);
}
template <typename Format>
SIMT_INLINE unsigned short narrow_number(double value) {
    return narrow<Format, Rounding::nearest>(value);
}
template <typename Format>
SIMT_INLINE unsigned short narrow_number(long long value) {
    return narrow<Format, Rounding::nearest>(to_odd(value));
}
template <typename Format>
SIMT_INLINE unsigned short narrow_number(unsigned long long value) {
    return narrow<Format, Rounding::nearest>(to_odd(value));
}
template <typename Format>
SIMT_INLINE unsigned short narrow_number(int value) {
    return narrow<Format, Rounding::nearest>(static_cast<double>(value));
}
template <typename Format>
SIMT_INLINE unsigned short narrow_number(unsigned value) {
    return narrow<Format, Rounding::nearest>(static_cast<double>(value));
}
template <typename Format>
SIMT_INLINE unsigned short narrow_number(long value) {
    return narrow_number<Format>(static_cast<long long>(value));
}
template <typename Format>
SIMT_INLINE unsigned short narrow_number(unsigned long value) {
    return narrow_number<Format>(static_cast<unsigned long long>(value));
}

/// Types with this mark take part in the operators and functions below.
template <typename T>
struct SmallFloat {
    static constexpr bool scalar = false, pair = false;
};
template <typename T>
using if_scalar = typename EnableIf<SmallFloat<T>::scalar>::type;
template <typename T>
using if_pair = typename EnableIf<SmallFloat<T>::pair>::type;

}  // namespace simt

// A scalar type: trivial, so that it may live in shared memory and unions. It converts from every number and to float,
// and through float to everything else.
#define SIMT_SMALL_FLOAT(name, raw_name, format_)                                                        \
    struct raw_name {                                                                                    \
        unsigned short x;                                                                                \
    };                                                                                                   \
    struct name {                                                                                        \
        using format = format_;                                                                          \
        using simt_saturates = int; /* casts to integers of every width do (conversions.hpp) */          \
        unsigned short __x;                                                                              \
                                                                                                         \
        name() = default;                                                                                \
        SIMT_INLINE constexpr name(raw_name raw) : __x(raw.x) {}                                         \
        template <typename Number, typename ::simt::EnableIf<::simt::IsNumber<Number>::value>::type = 0> \
        SIMT_INLINE name(Number value) : __x(::simt::narrow_number<format>(value)) {}                    \
        template <typename Other, typename Other::format* = nullptr>                                     \
        SIMT_INLINE explicit name(Other value) : name(static_cast<float>(value)) {}                      \
        SIMT_INLINE operator float() const { return ::simt::widen<format>(__x); }                        \
        SIMT_INLINE constexpr operator raw_name() const { return {__x}; }                                \
        SIMT_INLINE operator raw_name() const volatile { return {__x}; } /* reads volatile values */     \
        template <typename Number, typename ::simt::EnableIf<::simt::IsNumber<Number>::value>::type = 0> \
        SIMT_INLINE name& operator=(Number value) {                                                      \
            return *this = name(value);                                                                  \
        }                                                                                                \
    };                                                                                                   \
    template <>                                                                                          \
    struct simt::SmallFloat<name> {                                                                      \
        static constexpr bool scalar = true, pair = false;                                               \
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
    template <typename T, ::simt::if_scalar<T> = 0>               \
    SIMT_INLINE T operator op(T a, T b) {                         \
        return T(static_cast<float>(a) op static_cast<float>(b)); \
    }                                                             \
    template <typename T, ::simt::if_pair<T> = 0>                 \
    SIMT_INLINE T operator op(T a, T b) {                         \
        return T(a.x op b.x, a.y op b.y);                         \
    }                                                             \
    template <typename T, ::simt::if_scalar<T> = 0>               \
    SIMT_INLINE T& operator op##=(T& a, T b) {                    \
        return a = a op b;                                        \
    }                                                             \
    template <typename T, ::simt::if_pair<T> = 0>                 \
    SIMT_INLINE T& operator op##=(T& a, T b) {                    \
        return a = a op b;                                        \
    }
SIMT_ARITHMETIC(+)
SIMT_ARITHMETIC(-)
SIMT_ARITHMETIC(*)
SIMT_ARITHMETIC(/)
#undef SIMT_ARITHMETIC

#define SIMT_COMPARISON(op)                                    \
    template <typename T, ::simt::if_scalar<T> = 0>            \
    SIMT_INLINE bool operator op(T a, T b) {                   \
        return static_cast<float>(a) op static_cast<float>(b); \
    }                                                          \
    template <typename T, ::simt::if_pair<T> = 0>              \
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

template <typename T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator+(T a) {
    return a;
}
template <typename T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator-(T a) {
    a.__x = (a.__x & 0x7fff) > T::format::infinity ? T::format::nan : a.__x ^ 0x8000;
    return a;
}
template <typename T, ::simt::if_pair<T> = 0>
SIMT_INLINE T operator-(T a) {
    return T(-a.x, -a.y);
}
template <typename T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T& operator++(T& a) {
    return a += T(1.0f);
}
template <typename T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T& operator--(T& a) {
    return a -= T(1.0f);
}
template <typename T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator++(T& a, int) {
    const T before = a;
    ++a;
    return before;
}
template <typename T, ::simt::if_scalar<T> = 0>
SIMT_INLINE T operator--(T& a, int) {
    const T before = a;
    --a;
    return before;
}

// ---- the functions that __half and __nv_bfloat16 share by name

// These are arithmetic, comparison, and mathematics, for single values
// (__hadd, hexp) and, element by element, for pairs (__hadd2, h2exp).

// A function for scalars and its form for pairs.
#define SIMT_SCALAR                                 \
    template <typename T, ::simt::if_scalar<T> = 0> \
    SIMT_INLINE
#define SIMT_PAIR                                 \
    template <typename T, ::simt::if_pair<T> = 0> \
    SIMT_INLINE

#define SIMT_UNARY(name, pair_name, expression)    \
    SIMT_SCALAR T name(T a) { return expression; } \
    SIMT_PAIR T pair_name(T a) { return T(name(a.x), name(a.y)); }
#define SIMT_BINARY(name, pair_name, expression)        \
    SIMT_SCALAR T name(T a, T b) { return expression; } \
    SIMT_PAIR T pair_name(T a, T b) { return T(name(a.x, b.x), name(a.y, b.y)); }
#define SIMT_TERNARY(name, pair_name, expression)            \
    SIMT_SCALAR T name(T a, T b, T c) { return expression; } \
    SIMT_PAIR T pair_name(T a, T b, T c) { return T(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); }

namespace simt {

SIMT_SCALAR bool is_nan(T a) { return (a.__x & 0x7fff) > T::format::infinity; }

SIMT_SCALAR T from_bits16(unsigned bits) {
    T value;
    value.__x = static_cast<unsigned short>(bits);
    return value;
}

/// The product is exact in double and the sum is rounded to odd, so the result is rounded once.
SIMT_SCALAR T fused(T a, T b, T c) {
    const double product = static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b));
    return from_bits16<T>(
        narrow<typename T::format, Rounding::nearest>(add_to_odd(product, static_cast<double>(static_cast<float>(c)))));
}

/// Clamps to the range from 0 to 1; NaN becomes 0.
SIMT_SCALAR T saturate(T a) {
    const float value = static_cast<float>(a);
    return value > 1 ? T(1.0f) : value > 0 ? a : T(0.0f);
}

/// The larger of two numbers, +0 above -0; the number if the other is NaN; the canonical NaN if both are NaN.
SIMT_SCALAR T larger(T a, T b) {
    if (is_nan(a)) return is_nan(b) ? from_bits16<T>(T::format::nan) : b;
    if (is_nan(b)) return a;
    if (static_cast<float>(a) == static_cast<float>(b)) return from_bits16<T>(a.__x & b.__x);
    return static_cast<float>(a) > static_cast<float>(b) ? a : b;
}
SIMT_SCALAR T smaller(T a, T b) {
    if (is_nan(a) || is_nan(b)) return larger(a, b);
    if (static_cast<float>(a) == static_cast<float>(b)) return from_bits16<T>(a.__x | b.__x);
    return static_cast<float>(a) < static_cast<float>(b) ? a : b;
}

// A float function of a value, rounded to the value's type.
#define SIMT_BY_FLOAT(function) T(__builtin_##function##f(static_cast<float>(a)))

}  // namespace simt

// ---- arithmetic ----------------------------------------------------------------------------------------------------
SIMT_BINARY(__hadd, __hadd2, a + b)
SIMT_BINARY(__hsub, __hsub2, a - b)
SIMT_BINARY(__hmul, __hmul2, a* b)
SIMT_BINARY(__hdiv, __h2div, a / b)
SIMT_BINARY(__hadd_rn, __hadd2_rn, a + b)
SIMT_BINARY(__hsub_rn, __hsub2_rn, a - b)
SIMT_BINARY(__hmul_rn, __hmul2_rn, a* b)
SIMT_BINARY(__hadd_sat, __hadd2_sat, simt::saturate(a + b))
SIMT_BINARY(__hsub_sat, __hsub2_sat, simt::saturate(a - b))
SIMT_BINARY(__hmul_sat, __hmul2_sat, simt::saturate(a* b))
SIMT_TERNARY(__hfma, __hfma2, simt::fused(a, b, c))
SIMT_TERNARY(__hfma_sat, __hfma2_sat, simt::saturate(simt::fused(a, b, c)))
SIMT_TERNARY(__hfma_relu, __hfma2_relu, __hmax_nan(simt::fused(a, b, c), T(0.0f)))
SIMT_UNARY(__hneg, __hneg2, -a)
SIMT_UNARY(__habs, __habs2, simt::from_bits16<T>(simt::is_nan(a) ? T::format::nan : a.__x & 0x7fff))
SIMT_BINARY(__hmax, __hmax2, simt::larger(a, b))
SIMT_BINARY(__hmin, __hmin2, simt::smaller(a, b))
SIMT_BINARY(__hmax_nan, __hmax2_nan,
            simt::is_nan(a) || simt::is_nan(b) ? simt::from_bits16<T>(T::format::nan) : simt::larger(a, b))
SIMT_BINARY(__hmin_nan, __hmin2_nan,
            simt::is_nan(a) || simt::is_nan(b) ? simt::from_bits16<T>(T::format::nan) : simt::smaller(a, b))

/// Complex multiplication and addition: x is the real part, y the imaginary one.
SIMT_PAIR T __hcmadd(T a, T b, T c) {
    return T(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// ---- comparison: the unordered forms (u) hold when either value is a NaN; pairs give 1.0 or 0.0, a mask, or one bool
#define SIMT_COMPARISONS(name, condition)                                                                 \
    SIMT_SCALAR bool __h##name(T a, T b) { return condition; }                                            \
    SIMT_SCALAR bool __h##name##u(T a, T b) { return simt::is_nan(a) || simt::is_nan(b) || (condition); } \
    SIMT_COMPARISON_OF_PAIRS(name, )                                                                      \
    SIMT_COMPARISON_OF_PAIRS(name, u)
#define SIMT_COMPARISON_OF_PAIRS(name, u)                                                                     \
    SIMT_PAIR bool __hb##name##u##2(T a, T b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }    \
    SIMT_PAIR T __h##name##u##2(T a, T b) {                                                                   \
        using Scalar = typename T::scalar;                                                                    \
        return T(Scalar(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), Scalar(__h##name##u(a.y, b.y) ? 1.0f : 0.0f)); \
    }                                                                                                         \
    SIMT_PAIR unsigned __h##name##u##2_mask(T a, T b) {                                                       \
        return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u);         \
    }
SIMT_COMPARISONS(eq, a == b)
SIMT_COMPARISONS(ne, a != b && !simt::is_nan(a) && !simt::is_nan(b))
SIMT_COMPARISONS(lt, a < b)
SIMT_COMPARISONS(le, a <= b)
SIMT_COMPARISONS(gt, a > b)
SIMT_COMPARISONS(ge, a >= b)
#undef SIMT_COMPARISONS
#undef SIMT_COMPARISON_OF_PAIRS

SIMT_SCALAR bool __hisnan(T a) { return simt::is_nan(a); }
SIMT_SCALAR int __hisinf(T a) {
    if ((a.__x & 0x7fff) != T::format::infinity) return 0;
    return a.__x & 0x8000 ? -1 : 1;
}
SIMT_PAIR T __hisnan2(T a) {
    using Scalar = typename T::scalar;
    return T(Scalar(__hisnan(a.x) ? 1.0f : 0.0f), Scalar(__hisnan(a.y) ? 1.0f : 0.0f));
}

// ---- mathematics, computed in float --------------------------------------------------------------------------------
SIMT_UNARY(hsqrt, h2sqrt, SIMT_BY_FLOAT(sqrt))
SIMT_UNARY(hrsqrt, h2rsqrt, T(1.0f / __builtin_sqrtf(static_cast<float>(a))))
SIMT_UNARY(hrcp, h2rcp, T(1.0f / static_cast<float>(a)))
SIMT_UNARY(hexp, h2exp, SIMT_BY_FLOAT(exp))
SIMT_UNARY(hexp2, h2exp2, SIMT_BY_FLOAT(exp2))
SIMT_UNARY(hexp10, h2exp10, T(__builtin_exp2f(static_cast<float>(a) * 3.321928094887362f)))
SIMT_UNARY(hlog, h2log, SIMT_BY_FLOAT(log))
SIMT_UNARY(hlog2, h2log2, SIMT_BY_FLOAT(log2))
SIMT_UNARY(hlog10, h2log10, SIMT_BY_FLOAT(log10))
SIMT_UNARY(hsin, h2sin, SIMT_BY_FLOAT(sin))
SIMT_UNARY(hcos, h2cos, SIMT_BY_FLOAT(cos))
SIMT_UNARY(htanh, h2tanh, SIMT_BY_FLOAT(tanh))
SIMT_UNARY(htanh_approx, h2tanh_approx, SIMT_BY_FLOAT(tanh))
SIMT_UNARY(htrunc, h2trunc, SIMT_BY_FLOAT(trunc))
SIMT_UNARY(hceil, h2ceil, SIMT_BY_FLOAT(ceil))
SIMT_UNARY(hfloor, h2floor, SIMT_BY_FLOAT(floor))
SIMT_UNARY(hrint, h2rint, SIMT_BY_FLOAT(rint))

// ---- pairs ---------------------------------------------------------------------------------------------------------
SIMT_PAIR float __low2float(T a) { return static_cast<float>(a.x); }
SIMT_PAIR float __high2float(T a) { return static_cast<float>(a.y); }
SIMT_PAIR T __lowhigh2highlow(T a) { return T(a.y, a.x); }
SIMT_PAIR T __lows2half2(T a, T b) { return T(a.x, b.x); }
SIMT_PAIR T __highs2half2(T a, T b) { return T(a.y, b.y); }

#undef SIMT_UNARY
#undef SIMT_BINARY
#undef SIMT_TERNARY
#undef SIMT_BY_FLOAT

// Conversions between a type and integers, in the four roundings. `type_name` and `integer_name` are the words that
// CUDA's function names use; a value out of range becomes the nearest integer, NaN becomes 0.
namespace simt {

template <typename Integer>
SIMT_INLINE Integer integer_from(double whole) {
    constexpr bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(0);
    constexpr int bits = sizeof(Integer) * 8 - is_signed;
    constexpr Integer largest = static_cast<Integer>(~0ULL >> (64 - bits));
    constexpr Integer smallest = is_signed ? static_cast<Integer>(-largest - 1) : 0;
    if (!(whole == whole)) return sizeof(Integer) == 8 ? static_cast<Integer>(1ULL << 63) : 0;  // as a GPU does
    if (whole >= static_cast<double>(1ULL << (bits - 1)) * 2) return largest;
    return whole <= static_cast<double>(smallest) ? smallest : static_cast<Integer>(whole);
}

}  // namespace simt

#define SIMT_INTEGER_CONVERSIONS(T, type_name, integer_name, Integer)               \
    SIMT_INTEGER_CONVERSION(T, type_name, integer_name, Integer, rn, nearest, rint) \
    SIMT_INTEGER_CONVERSION(T, type_name, integer_name, Integer, rz, zero, trunc)   \
    SIMT_INTEGER_CONVERSION(T, type_name, integer_name, Integer, rd, down, floor)   \
    SIMT_INTEGER_CONVERSION(T, type_name, integer_name, Integer, ru, up, ceil)
#define SIMT_INTEGER_CONVERSION(T, type_name, integer_name, Integer, suffix, rounding, round)                      \
    SIMT_INLINE Integer __##type_name##2##integer_name##_##suffix(T a) {                                           \
        return ::simt::integer_from<Integer>(__builtin_##round(static_cast<double>(static_cast<float>(a))));       \
    }                                                                                                              \
    SIMT_INLINE T __##integer_name##2##type_name##_##suffix(Integer a) {                                           \
        using Wide = decltype(::simt::wide(a));                                                                    \
        return ::simt::from_bits16<T>(                                                                             \
            ::simt::narrow<typename T::format, ::simt::Rounding::rounding>(::simt::to_odd(static_cast<Wide>(a)))); \
    }
namespace simt {
long long wide(long long);
unsigned long long wide(unsigned long long);
long long wide(int);
unsigned long long wide(unsigned);
}  // namespace simt
