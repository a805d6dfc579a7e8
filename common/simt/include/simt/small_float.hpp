// SPDX-License-Identifier: MIT
// Sixteen-bit floating-point formats: conversion from and to float and double, with each IEEE 754 rounding mode. (The
// programs' host code includes this, too, and does not search the folder of CUDA's headers.)
#pragma once

#include "declare.h"

namespace simt {

/// A format with one sign bit, `exponent_bits` and `fraction_bits`, in IEEE 754's layout.
template <int exponent_bits_, int fraction_bits_>
struct FloatFormat {
    static constexpr int exponent_bits = exponent_bits_, fraction_bits = fraction_bits_;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr unsigned short infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    static constexpr unsigned short largest = infinity - 1;
    static constexpr unsigned short nan = 0x7fff;  ///< CUDA converts every NaN to this
    static constexpr unsigned short one = bias << fraction_bits;
};
using HalfFormat = FloatFormat<5, 10>;
using Bfloat16Format = FloatFormat<8, 7>;

enum class Rounding { nearest, zero, down, up };

template <typename To, typename From>
SIMT_INLINE To reinterpret_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

/// Rounds a double once, to the format. Denormals are kept; a value that is too large becomes infinity or, when
/// rounding towards zero, the largest number.
template <typename Format, Rounding rounding>
inline unsigned short narrow(double value) {
    const auto bits = reinterpret_bits<unsigned long long>(value);
    const unsigned short sign = (bits >> 63) << 15;
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    unsigned long long significand = bits & 0xfffffffffffffULL;
    if (exponent == 1024) return significand ? Format::nan : sign | Format::infinity;
    if (exponent == -1023) {
        if (significand == 0) return sign;
    } else {
        significand |= 1ULL << 52;
    }

    // The result counts units in the last place, so that a carry out of the fraction moves into the exponent.
    const int smallest_normal = 1 - Format::bias;
    const int scale = exponent < smallest_normal ? smallest_normal : exponent;
    int dropped_bits = 52 - Format::fraction_bits + (scale - exponent);
    if (dropped_bits > 62) dropped_bits = 62;
    unsigned long long units = significand >> dropped_bits;
    const unsigned long long rest = significand & ((1ULL << dropped_bits) - 1), half = 1ULL << (dropped_bits - 1);
    const bool negative = sign != 0;
    const bool away = rounding == Rounding::nearest ? rest > half || (rest == half && (units & 1))
                      : rounding == Rounding::zero  ? false
                                                    : rest > 0 && negative == (rounding == Rounding::down);
    units += away;
    const unsigned long long magnitude =
        units + (static_cast<unsigned long long>(scale - smallest_normal) << Format::fraction_bits);
    if (magnitude < Format::infinity) return sign | static_cast<unsigned short>(magnitude);
    const bool to_infinity = rounding == Rounding::nearest || (rounding == Rounding::down && negative) ||
                             (rounding == Rounding::up && !negative);
    return sign | (to_infinity ? Format::infinity : Format::largest);
}

/// The common case, float to nearest, without 64-bit arithmetic.
template <typename Format>
SIMT_INLINE unsigned short narrow_nearest(float value);

template <>
SIMT_INLINE unsigned short narrow_nearest<Bfloat16Format>(float value) {
    const auto bits = reinterpret_bits<unsigned>(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return Bfloat16Format::nan;
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <>
SIMT_INLINE unsigned short narrow_nearest<HalfFormat>(float value) {
    const auto bits = reinterpret_bits<unsigned>(value);
    const unsigned magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    constexpr unsigned first_infinite = (127 + 16) << 23, first_normal = (127 - 14) << 23;
    if (magnitude >= first_infinite) {
        return static_cast<unsigned short>(magnitude > 0x7f800000 ? HalfFormat::nan : sign | HalfFormat::infinity);
    }
    if (magnitude < first_normal) {
        // After adding a half, the float's last bit is worth one unit of a denormal, so the processor rounds.
        const float shifted = reinterpret_bits<float>(magnitude) + 0.5f;
        return static_cast<unsigned short>(sign | (reinterpret_bits<unsigned>(shifted) - 0x3f000000));
    }
    const unsigned odd = magnitude >> 13 & 1;
    return static_cast<unsigned short>(sign | ((magnitude - ((127 - 15) << 23) + 0xfff + odd) >> 13));
}

/// Every number of either format is a float.
template <typename Format>
SIMT_INLINE float widen(unsigned short bits);

template <>
SIMT_INLINE float widen<Bfloat16Format>(unsigned short bits) {
    return reinterpret_bits<float>(static_cast<unsigned>(bits) << 16);
}

template <>
SIMT_INLINE float widen<HalfFormat>(unsigned short bits) {
    const unsigned sign = (bits & 0x8000u) << 16, magnitude = (bits & 0x7fffu) << 13;
    const unsigned exponent = magnitude & (0x1fu << 23);
    if (exponent == 0x1fu << 23) return reinterpret_bits<float>(sign | (magnitude + ((255 - 31) << 23)));
    if (exponent != 0) return reinterpret_bits<float>(sign | (magnitude + ((127 - 15) << 23)));
    // A denormal: its bits count units of 2^-24.
    const float denormal = static_cast<float>(bits & 0x3ff) * 0x1p-24f;
    return reinterpret_bits<float>(sign | reinterpret_bits<unsigned>(denormal));
}

/// The sum rounded to odd: if it is not exact, its last bit is one. Rounding it again to a shorter format then gives
/// the same result as rounding the exact sum.
SIMT_INLINE double add_to_odd(double a, double b) {
    const double sum = a + b;
    if (!(sum - sum == 0)) return sum;  // infinity or NaN
    const double b_part = sum - a;
    const double error = (a - (sum - b_part)) + (b - b_part);
    auto bits = reinterpret_bits<unsigned long long>(sum);
    if (error == 0 || (bits & 1)) return sum;
    bits += (error > 0) == (sum > 0) ? 1 : -1;
    return reinterpret_bits<double>(bits);
}

/// A 64-bit integer as a double, rounded to odd for the same reason.
SIMT_INLINE double to_odd(unsigned long long value) {
    return add_to_odd(static_cast<double>(value >> 32) * 0x1p32, static_cast<double>(value & 0xffffffff));
}
SIMT_INLINE double to_odd(long long value) {
    const auto magnitude = static_cast<unsigned long long>(value);
    return value < 0 ? -to_odd(-magnitude) : to_odd(magnitude);
}

}  // namespace simt
