// SPDX-License-Identifier: MIT
// Conversions between numbers, by casts and by name, and between their bits.
#pragma once

#include <limits.h>  // IWYU pragma: export
#include <math.h>

#include "simt/declare.h"
#include "simt/rounding.hpp"
#include "simt/shifts.hpp"

namespace simt {

// ---- conversions of floating-point numbers to integers, as nvcc compiles them and GPUs carry them out

// A number out of range becomes the nearest integer of at least 32 bits. NaN becomes 0 when a type of at most 32 bits
// is converted to 32 bits, and otherwise the integer with only the top bit set. (C++ leaves all this open, and
// processors differ.) simcc's rewriter puts Target in the casts of device code, (T)x becomes (T)(simt::Target<T>)x, and
// Assigned around what is converted without a cast.

template <typename T>
struct FloatingPoint {
    static constexpr bool value = false;
};
template <>
struct FloatingPoint<float> {
    static constexpr bool value = true;
};
template <>
struct FloatingPoint<double> {
    static constexpr bool value = true;
};
template <>
struct FloatingPoint<long double> {
    static constexpr bool value = true;
};

/// The integer of 32 or 64 bits that the conversion goes through.
template <typename T>
struct Wide {
    using type = decltype(+T());
};
template <>
struct Wide<unsigned char> {
    using type = unsigned;
};
template <>
struct Wide<unsigned short> {
    using type = unsigned;
};
template <>
struct Wide<char16_t> {
    using type = unsigned;
};

template <typename Integer, typename Float>
SIMT_INLINE constexpr Integer not_a_number() {
    using Unsigned = typename ShiftedInteger<Integer>::type;
    return sizeof(Integer) == 4 && sizeof(Float) == 4 ? 0 : static_cast<Integer>(~(static_cast<Unsigned>(-1) >> 1));
}

#ifdef __x86_64__
/// The processor's conversion, which gives the lowest integer for every number out of range and for NaN: one comparison
/// recognizes them. (In assembly, since g++ would conclude from a conversion in C++ that the number was in range.)
template <bool is_narrow>
SIMT_INLINE auto truncated(float x) {
    if constexpr (is_narrow) {
        int result;
        __asm__("cvttss2si %1, %0" : "=r"(result) : "xm"(x));
        return result;
    } else {
        long long result;
        __asm__("cvttss2si %1, %0" : "=r"(result) : "xm"(x));
        return result;
    }
}
template <bool is_narrow>
SIMT_INLINE auto truncated(double x) {
    if constexpr (is_narrow) {
        int result;
        __asm__("cvttsd2si %1, %0" : "=r"(result) : "xm"(x));
        return result;
    } else {
        long long result;
        __asm__("cvttsd2si %1, %0" : "=r"(result) : "xm"(x));
        return result;
    }
}
#endif

template <typename Integer, typename Float>
SIMT_INLINE constexpr Integer saturated(Float x) {
    constexpr bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(0);
    using Unsigned = typename ShiftedInteger<Integer>::type;
    constexpr Unsigned highest = static_cast<Unsigned>(-1) >> is_signed;
    constexpr Float beyond = static_cast<Float>(highest / 2 + 1) * 2, lowest = is_signed ? -beyond : Float(0);
#ifdef __x86_64__
    if constexpr (sizeof(Float) <= 8 && (is_signed || sizeof(Integer) == 4)) {
        if (!__builtin_is_constant_evaluated() && !__builtin_constant_p(x)) {
            constexpr bool is_int = is_signed && sizeof(Integer) == 4;
            const auto converted = truncated<is_int>(x);
            const bool is_right = is_signed ? static_cast<Unsigned>(converted) != highest + 1
                                            : static_cast<unsigned long long>(converted) <= highest;
            if (__builtin_expect(is_right, 1)) return static_cast<Integer>(converted);
        }
    }
#endif
    if (x >= beyond) return static_cast<Integer>(highest);
    if (x <= lowest) return is_signed ? static_cast<Integer>(highest + 1) : 0;
    if (x != x) return not_a_number<Integer, Float>();
    return static_cast<Integer>(x);
}

/// The nearest integer of any width, as the 16-bit floating-point types convert.
template <typename Integer>
SIMT_INLINE constexpr Integer saturated_narrowly(float x) {
    using Intermediate = typename Wide<Integer>::type;
    const auto wide = saturated<Intermediate>(x);
    if constexpr (sizeof(Integer) < sizeof(Intermediate)) {
        constexpr bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(0);
        constexpr Intermediate highest = (Intermediate{1} << (8 * sizeof(Integer) - is_signed)) - 1,
                               lowest = is_signed ? -highest - 1 : 0;
        return static_cast<Integer>(wide < lowest ? lowest : wide > highest ? highest : wide);
    }
    return static_cast<Integer>(wide);
}
template <typename Integer, typename Object>
SIMT_INLINE constexpr auto from_object(Object&& x, int)
    -> decltype(static_cast<Integer>(typename Plain<Object>::type::simt_saturates{}), Integer()) {
    return saturated_narrowly<Integer>(static_cast<float>(x));
}
template <typename Integer, typename Object>
SIMT_INLINE constexpr Integer from_object(Object&& x, long) {
    return (Integer) static_cast<Object&&>(x);
}

/// An integer type that everything converts to as to T, but floating-point numbers as above.
template <typename T>
class Saturated {
public:
    template <typename From, typename ShiftIf<FloatingPoint<From>::value>::type = 0>
    SIMT_INLINE constexpr explicit Saturated(From from)
        : value_(static_cast<T>(saturated<typename Wide<T>::type>(from))) {}
    template <typename From,
              typename ShiftIf<!FloatingPoint<From>::value && !__is_class(From) && !__is_union(From)>::type = 0>
    SIMT_INLINE constexpr explicit Saturated(From from) : value_((T)from) {}
    template <typename From, typename Object = typename Plain<From>::type,
              typename ShiftIf<__is_class(Object) || __is_union(Object)>::type = 0>
    SIMT_INLINE constexpr explicit Saturated(From&& from) : value_(from_object<T>(static_cast<From&&>(from), 0)) {}

    SIMT_INLINE constexpr operator T() const { return value_; }

private:
    T value_;
};

/// Saturated<T> for an integer T, and T for every other type.
template <typename T, bool is_integer>
struct TargetOf {
    using type = T;
};
template <typename T>
struct TargetOf<T, true> {
    using type = Saturated<typename Plain<T>::type>;
};
template <typename T>
struct TargetOf<T&, true> {
    using type = T&;
};
template <typename T>
struct TargetOf<T&&, true> {
    using type = T&&;
};
template <>
struct TargetOf<bool, true> {
    using type = bool;
};
template <typename T>
using Target = typename TargetOf<T, ShiftedInteger<typename Plain<T>::type>::value>::type;

// ---- the same where no cast says so: i = x becomes i = simt::Assigned<decltype(i)>::from(x)

template <typename T>
constexpr bool is_class_type = __is_class(T) || __is_union(T);

template <typename Integer, typename Object>
SIMT_INLINE constexpr auto implicitly_from_object(Object&& x, int)
    -> decltype(static_cast<Integer>(typename Plain<Object>::type::simt_saturates{}), Integer()) {
    return saturated_narrowly<Integer>(static_cast<float>(x));
}
template <typename Integer, typename Object>
SIMT_INLINE constexpr Integer implicitly_from_object(Object&& x, long) {
    return static_cast<Object&&>(x);
}

/// Other types than integers take what they take anyway: objects by reference, for they may have operators of their own,
/// numbers and pointers by value.
template <typename T, bool is_integer, bool is_object>
struct AssignedTo {
    SIMT_INLINE static constexpr T from(T x) { return x; }
};
template <typename T>
struct AssignedTo<T, false, true> {
    template <typename From>
    SIMT_INLINE static constexpr From&& from(From&& x) {
        return static_cast<From&&>(x);
    }
};
template <typename T>
struct AssignedTo<T, true, false> {
    template <typename From, typename ShiftIf<!is_class_type<From>>::type = 0>
    SIMT_INLINE static constexpr T from(From x) {
        if constexpr (FloatingPoint<From>::value) return static_cast<T>(saturated<typename Wide<T>::type>(x));
        else return x;
    }
    template <typename From, typename ShiftIf<is_class_type<typename Plain<From>::type>>::type = 0>
    SIMT_INLINE static constexpr T from(From&& x) {
        return implicitly_from_object<T>(static_cast<From&&>(x), 0);
    }
};
/// As a target of an assignment, bool is no integer: whatever is not zero becomes true.
template <typename T, typename P = typename Plain<T>::type>
struct Assigned : AssignedTo<P, ShiftedInteger<P>::value, is_class_type<P>> {};
template <typename T>
struct Assigned<T, bool> : AssignedTo<bool, false, false> {};

/// Of an argument, which may be an object that converts itself.
template <typename T>
struct Argument {
    template <typename From, typename ShiftIf<!is_class_type<From>>::type = 0>
    SIMT_INLINE static constexpr auto from(From x) {
        if constexpr (FloatingPoint<From>::value) return Assigned<T>::from(x);
        else return x;
    }
    template <typename From, typename ShiftIf<is_class_type<typename Plain<From>::type>>::type = 0>
    SIMT_INLINE static constexpr From&& from(From&& x) {
        return static_cast<From&&>(x);
    }
};

/// Of a declaration, whose type may be a reference by another name.
template <typename T>
struct Initialized : Assigned<T> {};
template <typename T>
struct Initialized<T&> : AssignedTo<T, false, true> {};
template <typename T>
struct Initialized<T&&> : AssignedTo<T, false, true> {};

/// The right operand of `i *= x` and its like, where i is an integer and x a floating-point number.
template <typename T>
struct RealOperand {
    T value;
};
template <typename T, typename P = typename Plain<T>::type>
struct Factor {
    template <typename From, typename ShiftIf<!is_class_type<From>>::type = 0>
    SIMT_INLINE static constexpr auto from(From x) {
        constexpr bool is_integer = ShiftedInteger<P>::value;
        if constexpr (is_integer && FloatingPoint<From>::value) return RealOperand<From>{x};
        else return x;
    }
    template <typename From, typename ShiftIf<is_class_type<typename Plain<From>::type>>::type = 0>
    SIMT_INLINE static constexpr From&& from(From&& x) {
        return static_cast<From&&>(x);
    }
};
#define SIMT_REAL_OPERAND(sign)                                                    \
    template <typename T, typename Real>                                           \
    SIMT_INLINE constexpr T& operator sign##=(T& x, RealOperand<Real> y) {         \
        x = Assigned<T>::from(x sign y.value);                                     \
        return x;                                                                  \
    }                                                                              \
    template <typename T, typename Real>                                           \
    SIMT_INLINE constexpr T operator sign##=(volatile T& x, RealOperand<Real> y) { \
        const T value = Assigned<T>::from(x sign y.value);                         \
        x = value;                                                                 \
        return value;                                                              \
    }
SIMT_REAL_OPERAND(+)
SIMT_REAL_OPERAND(-)
SIMT_REAL_OPERAND(*)
SIMT_REAL_OPERAND(/)
#undef SIMT_REAL_OPERAND

/// A floating-point number in a list, for a member of a type that is not known here.
template <typename Real>
struct ListedReal {
    Real value;
    template <typename T, typename ShiftIf<ShiftedInteger<T>::value || FloatingPoint<T>::value>::type = 0>
    SIMT_INLINE constexpr operator T() const {
        return Assigned<T>::from(value);
    }
};
template <typename T>
struct ListedElement {
    using type = typename Plain<T>::type;
};
template <typename T>
struct ListedElement<T[]> : ListedElement<T> {};
template <typename T, decltype(sizeof 0) n>
struct ListedElement<T[n]> : ListedElement<T> {};
template <typename T, bool is_object>
struct ListedIn : Assigned<T> {};
template <typename T>
struct ListedIn<T, true> {
    template <typename From, typename ShiftIf<!is_class_type<From>>::type = 0>
    SIMT_INLINE static constexpr auto from(From x) {
        if constexpr (__is_aggregate(T) && FloatingPoint<From>::value) return ListedReal<From>{x};
        else return x;
    }
    template <typename From, typename ShiftIf<is_class_type<typename Plain<From>::type>>::type = 0>
    SIMT_INLINE static constexpr From&& from(From&& x) {
        return static_cast<From&&>(x);
    }
};
/// The elements of lists: int a[2] = {x, y} becomes {simt::Listed<decltype(a)>::from(x), ...}.
template <typename T, typename E = typename ListedElement<typename Plain<T>::type>::type>
struct Listed : ListedIn<E, is_class_type<E>> {};

}  // namespace simt

// ---- conversions with the rounding mode in the name, and between numbers and their bits

// A number outside the integer's range gives the nearest representable integer; NaN gives what it gives on a GPU
// (see above).

namespace simt::arithmetic {

template <Rounding mode>
SIMT_INLINE double to_whole(double x) {
    switch (mode) {
        case Rounding::nearest: return nearbyint(x);
        case Rounding::zero: return trunc(x);
        case Rounding::up: return ceil(x);
        case Rounding::down: return floor(x);
    }
    return x;
}

template <typename Integer, Rounding mode, typename Float>
SIMT_INLINE Integer to_integer(Float x) {
    if (x != x) return not_a_number<Integer, Float>();
    return saturated<Integer>(to_whole<mode>(x));
}

/// long double holds every 64-bit integer and every double exactly, so the error of the narrower value is exact, too.
template <typename Float, Rounding mode>
SIMT_INLINE Float to_float(long double exact) {
    const Float nearest = static_cast<Float>(exact);
    return rounded<mode>(nearest, exact - nearest);
}

template <typename To, typename From>
SIMT_INLINE To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the sizes must agree");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

}  // namespace simt::arithmetic

// For each mode: __float2int_rn, __int2float_rn, __double2float_rn and so on.
#define SIMT_CONVERSIONS(suffix, mode)                                                                \
    SIMT_INLINE int __float2int_##suffix(float x) {                                                   \
        return simt::arithmetic::to_integer<int, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE int __double2int_##suffix(double x) {                                                 \
        return simt::arithmetic::to_integer<int, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE unsigned __float2uint_##suffix(float x) {                                             \
        return simt::arithmetic::to_integer<unsigned, simt::arithmetic::Rounding::mode>(x);           \
    }                                                                                                 \
    SIMT_INLINE unsigned __double2uint_##suffix(double x) {                                           \
        return simt::arithmetic::to_integer<unsigned, simt::arithmetic::Rounding::mode>(x);           \
    }                                                                                                 \
    SIMT_INLINE long long __float2ll_##suffix(float x) {                                              \
        return simt::arithmetic::to_integer<long long, simt::arithmetic::Rounding::mode>(x);          \
    }                                                                                                 \
    SIMT_INLINE long long __double2ll_##suffix(double x) {                                            \
        return simt::arithmetic::to_integer<long long, simt::arithmetic::Rounding::mode>(x);          \
    }                                                                                                 \
    SIMT_INLINE unsigned long long __float2ull_##suffix(float x) {                                    \
        return simt::arithmetic::to_integer<unsigned long long, simt::arithmetic::Rounding::mode>(x); \
    }                                                                                                 \
    SIMT_INLINE unsigned long long __double2ull_##suffix(double x) {                                  \
        return simt::arithmetic::to_integer<unsigned long long, simt::arithmetic::Rounding::mode>(x); \
    }                                                                                                 \
    SIMT_INLINE float __int2float_##suffix(int x) {                                                   \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __uint2float_##suffix(unsigned x) {                                             \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __ll2float_##suffix(long long x) {                                              \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __ull2float_##suffix(unsigned long long x) {                                    \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __double2float_##suffix(double x) {                                             \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE double __ll2double_##suffix(long long x) {                                            \
        return simt::arithmetic::to_float<double, simt::arithmetic::Rounding::mode>(x);               \
    }                                                                                                 \
    SIMT_INLINE double __ull2double_##suffix(unsigned long long x) {                                  \
        return simt::arithmetic::to_float<double, simt::arithmetic::Rounding::mode>(x);               \
    }
SIMT_CONVERSIONS(rn, nearest)
SIMT_CONVERSIONS(rz, zero)
SIMT_CONVERSIONS(ru, up)
SIMT_CONVERSIONS(rd, down)
#undef SIMT_CONVERSIONS

SIMT_INLINE double __int2double_rn(int x) { return x; }
SIMT_INLINE double __uint2double_rn(unsigned x) { return x; }

/// The same bits under another type.
SIMT_INLINE int __float_as_int(float x) { return simt::arithmetic::same_bits<int>(x); }
SIMT_INLINE unsigned __float_as_uint(float x) { return simt::arithmetic::same_bits<unsigned>(x); }
SIMT_INLINE float __int_as_float(int x) { return simt::arithmetic::same_bits<float>(x); }
SIMT_INLINE float __uint_as_float(unsigned x) { return simt::arithmetic::same_bits<float>(x); }
SIMT_INLINE long long __double_as_longlong(double x) { return simt::arithmetic::same_bits<long long>(x); }
SIMT_INLINE double __longlong_as_double(long long x) { return simt::arithmetic::same_bits<double>(x); }
SIMT_INLINE int __double2hiint(double x) {
    return static_cast<int>(simt::arithmetic::same_bits<unsigned long long>(x) >> 32);
}
SIMT_INLINE int __double2loint(double x) {
    return static_cast<int>(simt::arithmetic::same_bits<unsigned long long>(x));
}
SIMT_INLINE double __hiloint2double(int hi, int lo) {
    return simt::arithmetic::same_bits<double>(static_cast<unsigned long long>(static_cast<unsigned>(hi)) << 32 |
                                               static_cast<unsigned>(lo));
}
