// SPDX-License-Identifier: MIT
// Conversions of floating-point numbers to integers as nvcc compiles them and GPUs carry them out: a number out of
// range becomes the nearest integer of at least 32 bits. NaN becomes 0 when a type of at most 32 bits is converted to
// 32 bits, and otherwise the integer with only the top bit set. (C++ leaves all this open, and processors differ.)
// simcc's rewriter puts Target in the casts of device code: (T)x becomes (T)(simt::Target<T>)x.
#pragma once

#include "simt/shifts.hpp"

namespace simt {

template <class T>
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

// The integer of 32 or 64 bits that the conversion goes through.
template <class T>
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

template <class Integer, class Float>
SIMT_INLINE constexpr Integer not_a_number() {
    using Unsigned = typename ShiftedInteger<Integer>::type;
    return sizeof(Integer) == 4 && sizeof(Float) == 4 ? 0 : static_cast<Integer>(~(static_cast<Unsigned>(-1) >> 1));
}

#ifdef __x86_64__
// The processor's conversion, which gives the lowest integer for every number out of range and for NaN: one comparison
// recognizes them. (In assembly, since g++ would conclude from a conversion in C++ that the number was in range.)
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

template <class Integer, class Float>
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

// The nearest integer of any width, as the 16-bit floating-point types convert.
template <class Integer>
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
template <class Integer, class Object>
SIMT_INLINE constexpr auto from_object(Object&& x, int)
    -> decltype(static_cast<Integer>(typename Plain<Object>::type::simt_saturates{}), Integer()) {
    return saturated_narrowly<Integer>(static_cast<float>(x));
}
template <class Integer, class Object>
SIMT_INLINE constexpr Integer from_object(Object&& x, long) {
    return (Integer) static_cast<Object&&>(x);
}

// An integer type that everything converts to as to T, but floating-point numbers as above.
template <class T>
class Saturated {
public:
    template <class From, typename ShiftIf<FloatingPoint<From>::value>::type = 0>
    SIMT_INLINE constexpr explicit Saturated(From from)
        : value_(static_cast<T>(saturated<typename Wide<T>::type>(from))) {}
    template <class From,
              typename ShiftIf<!FloatingPoint<From>::value && !__is_class(From) && !__is_union(From)>::type = 0>
    SIMT_INLINE constexpr explicit Saturated(From from) : value_((T)from) {}
    template <class From, class Object = typename Plain<From>::type,
              typename ShiftIf<__is_class(Object) || __is_union(Object)>::type = 0>
    SIMT_INLINE constexpr explicit Saturated(From&& from) : value_(from_object<T>(static_cast<From&&>(from), 0)) {}

    SIMT_INLINE constexpr operator T() const { return value_; }

private:
    T value_;
};

// Saturated<T> for an integer T, and T for every other type.
template <class T, bool is_integer>
struct TargetOf {
    using type = T;
};
template <class T>
struct TargetOf<T, true> {
    using type = Saturated<typename Plain<T>::type>;
};
template <class T>
struct TargetOf<T&, true> {
    using type = T&;
};
template <class T>
struct TargetOf<T&&, true> {
    using type = T&&;
};
template <>
struct TargetOf<bool, true> {
    using type = bool;
};
template <class T>
using Target = typename TargetOf<T, ShiftedInteger<typename Plain<T>::type>::value>::type;
// The same for the type of a variable, or of what an expression refers to.
template <class T>
using TargetOfType = Target<typename Plain<T>::type>;

}  // namespace simt
