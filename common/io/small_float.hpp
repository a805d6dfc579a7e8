// SPDX-License-Identifier: MIT
// The 16-bit and 8-bit floating-point types as the host stores them, whether or not its compiler has them: bits that
// convert to and from float. (The functions are C++17 for nvcc.)
#pragma once

#include <cstdint>
#include <cstring>

#include "common/simt/include/simt/small_float.hpp"

inline float float_of_bits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline std::uint32_t bits_of_float(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- 16 bits, which convert as in the simulator: rounded to nearest, ties to even; every NaN becomes 0x7fff

template <typename Format>
struct Float16 {
    std::uint16_t bits;

    Float16() = default;
    explicit Float16(float value) : bits(simt::narrow_nearest<Format>(value)) {}
    operator float() const { return simt::widen<Format>(bits); }
};
using Half = Float16<simt::HalfFormat>;  // IEEE 754 binary16
using BFloat16 = Float16<simt::Bfloat16Format>;

// ---- 8 bits (Micikevicius et al., "FP8 Formats for Deep Learning", 2022)
//   e4m3   4 bits of exponent, 3 of fraction: up to 448, no infinity, one NaN of each sign
//   e5m2   5 and 2, the upper half of an f16: up to 57344, infinity, NaN
// Conversion to them is what cuda_fp8.h calls saturating to finite: it rounds to nearest, ties to even; anything too
// large, infinity included, becomes the largest number. NaN becomes 0x7f.

struct E4M3Format {
    static constexpr int fraction_bits = 3, bias = 7;
    static constexpr std::uint8_t largest = 0x7e;
    static constexpr float largest_value = 448;
};
struct E5M2Format {
    static constexpr int fraction_bits = 2, bias = 15;
    static constexpr std::uint8_t largest = 0x7b;
    static constexpr float largest_value = 57344;
};

template <typename Format>
std::uint8_t narrow_float8(float value) {
    constexpr int dropped_bits = 23 - Format::fraction_bits, rebias = 127 - Format::bias;
    const std::uint32_t bits = bits_of_float(value), sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7f;  // NaN
    // Subnormal: adding a float whose last bit is the subnormals' unit aligns the fraction to that unit and rounds it.
    if (magnitude < (rebias + 1u) << 23) {
        const std::uint32_t aligner = (rebias + 1u + dropped_bits) << 23;
        return static_cast<std::uint8_t>(sign |
                                         (bits_of_float(float_of_bits(magnitude) + float_of_bits(aligner)) - aligner));
    }
    const std::uint32_t to_even = magnitude >> dropped_bits & 1u, below_half = (1u << (dropped_bits - 1)) - 1;
    const std::uint32_t rounded = (magnitude - (std::uint32_t{rebias} << 23) + below_half + to_even) >> dropped_bits;
    return static_cast<std::uint8_t>(sign | (rounded < Format::largest ? rounded : Format::largest));
}

struct Float8E4M3 {
    using Format = E4M3Format;
    std::uint8_t bits;

    Float8E4M3() = default;
    explicit Float8E4M3(float value) : bits(narrow_float8<Format>(value)) {}
    // Exact, by exponent: NaN, zero and subnormal, normal.
    operator float() const {
        const std::uint32_t sign = (bits & 0x80u) << 24, exponent = bits >> 3 & 15u, fraction = bits & 7u;
        const std::uint32_t magnitude = (bits & 0x7fu) == 0x7fu ? 0x7fc00000u
                                        : exponent == 0         ? bits_of_float(static_cast<float>(fraction) * 0x1p-9f)
                                                                : (exponent + 120) << 23 | fraction << 20;
        return float_of_bits(sign | magnitude);
    }
};

struct Float8E5M2 {
    using Format = E5M2Format;
    std::uint8_t bits;

    Float8E5M2() = default;
    explicit Float8E5M2(float value) : bits(narrow_float8<Format>(value)) {}
    operator float() const { return simt::widen<simt::HalfFormat>(static_cast<std::uint16_t>(bits << 8)); }
};
