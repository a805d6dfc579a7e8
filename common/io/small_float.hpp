// SPDX-License-Identifier: MIT
// The 16-bit and 8-bit floating-point types as the host stores them, whether or not its compiler has them: bits that
// convert to and from float. (The functions are C++17 for nvcc.)
#pragma once

#include <cstdint>
#include <cstring>

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

// IEEE 754 binary16. Exact, by exponent: zero and subnormal, infinity and NaN, normal.
inline float widen_half(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 1023u;
    const std::uint32_t magnitude = exponent == 0    ? bits_of_float(static_cast<float>(fraction) * 0x1p-24f)
                                    : exponent == 31 ? 0x7f800000u | fraction << 13
                                                     : (exponent + 112) << 23 | fraction << 13;
    return float_of_bits(sign | magnitude);
}

// Rounds to nearest, ties to even; infinity from 65520 on.
inline std::uint16_t narrow_half(float value) {
    const std::uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // NaN
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and more
    // Subnormal: adding 0.5 aligns the fraction to units of 2^-24 and rounds it.
    if (magnitude < 0x38800000u)
        return static_cast<std::uint16_t>(sign | (bits_of_float(float_of_bits(magnitude) + 0.5f) & 0x7ffu));
    const std::uint32_t to_even = magnitude >> 13 & 1u;
    return static_cast<std::uint16_t>(sign | (magnitude - (112u << 23) + 0xfffu + to_even) >> 13);
}

// The upper half of a float, rounded to nearest, ties to even.
inline std::uint16_t narrow_bfloat16(float value) {
    const std::uint32_t bits = bits_of_float(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);  // NaN
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

struct Half {
    std::uint16_t bits;

    Half() = default;
    explicit Half(float value) : bits(narrow_half(value)) {}
    operator float() const { return widen_half(bits); }
};

struct BFloat16 {
    std::uint16_t bits;

    BFloat16() = default;
    explicit BFloat16(float value) : bits(narrow_bfloat16(value)) {}
    operator float() const { return float_of_bits(std::uint32_t{bits} << 16); }
};

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
    operator float() const { return widen_half(static_cast<std::uint16_t>(bits << 8)); }
};
