// SPDX-License-Identifier: MIT
// Eight-bit floating-point formats: rounding to them, and their numbers as floats.
#pragma once

#include "simt/small_float.hpp"

namespace simt {

// Magnitudes up to `largest` are finite numbers; larger values become `overflow`, or `largest` if they must be finite.
struct E4M3Format {
    static constexpr int fraction_bits = 3, bias = 7;
    static constexpr unsigned largest = 0x7e, overflow = 0x7f;  // there is no infinity: NaN
};
struct E5M2Format {
    static constexpr int fraction_bits = 2, bias = 15;
    static constexpr unsigned largest = 0x7b, overflow = 0x7c;
};

// Rounds once, to the nearest, ties to even.
template <class Format>
inline unsigned char narrow8(double value, bool to_finite) {
    const auto bits = reinterpret_bits<unsigned long long>(value);
    const unsigned sign = static_cast<unsigned>(bits >> 63) << 7;
    // NaN keeps the upper bits of its fraction where the format has several.
    if (value != value)
        return static_cast<unsigned char>(sign | (Format::fraction_bits == 3 ? 0x7f : 0x7e | (bits >> 50 & 3)));
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023, smallest_normal = 1 - Format::bias;
    if (exponent > Format::bias + 1)
        return static_cast<unsigned char>(sign | (to_finite ? Format::largest : Format::overflow));
    // Units in the last place: adding 2^52 rounds to whole ones, and a carry moves into the exponent.
    const int scale = exponent < smallest_normal ? smallest_normal : exponent;
    const auto units_of_one =
        reinterpret_bits<double>(static_cast<unsigned long long>(1023 + Format::fraction_bits - scale) << 52);
    const double units = __builtin_fabs(value) * units_of_one + 0x1p52 - 0x1p52;
    const unsigned magnitude =
        static_cast<unsigned>(units) + (static_cast<unsigned>(scale - smallest_normal) << Format::fraction_bits);
    if (magnitude <= Format::largest) return static_cast<unsigned char>(sign | magnitude);
    return static_cast<unsigned char>(sign | (to_finite ? Format::largest : Format::overflow));
}

// Every number of either format is a half; NaN becomes the canonical one.
template <class Format>
SIMT_INLINE unsigned short widen8(unsigned char bits);

template <>
SIMT_INLINE unsigned short widen8<E5M2Format>(unsigned char bits) {
    return (bits & 0x7f) > 0x7c ? 0x7fff : static_cast<unsigned short>(bits << 8);
}
template <>
SIMT_INLINE unsigned short widen8<E4M3Format>(unsigned char bits) {
    const unsigned sign = (bits & 0x80u) << 8, magnitude = bits & 0x7fu;
    if (magnitude == 0x7f) return 0x7fff;
    if (magnitude >= 8) return static_cast<unsigned short>(sign | ((magnitude << 7) + (8 << 10)));
    // A denormal: units of 2^-9, which is normal as a half.
    return static_cast<unsigned short>(sign | narrow_nearest<HalfFormat>(static_cast<float>(magnitude) * 0x1p-9f));
}

}  // namespace simt
