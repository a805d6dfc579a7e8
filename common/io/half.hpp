// The 16-bit floating-point types as the host stores them, whether its compiler knows them or not: bits that convert to
// and from float. (The functions are C++17 for nvcc.)
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

// To the nearest, ties to even; infinity from 65520 on.
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

// The upper half of a float, to the nearest, ties to even.
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
