// IEEE 754 binary16 as bits, for host compilers that lack the type.
#pragma once

#include <bit>
#include <cstdint>

// Exact, by exponent: zero and subnormal, infinity and NaN, normal.
inline float widen_half(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 1023u;
    const std::uint32_t magnitude = exponent == 0    ? std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24f)
                                    : exponent == 31 ? 0x7f800000u | fraction << 13
                                                     : (exponent + 112) << 23 | fraction << 13;
    return std::bit_cast<float>(sign | magnitude);
}

// To the nearest, ties to even; beyond 65504 and a half unit, infinity.
inline std::uint16_t narrow_half(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);    // NaN
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);   // 65520 and more
    // Subnormal: adding a half aligns the fraction to units of 2^-24, rounded as any addition is.
    if (magnitude < 0x38800000u)
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) & 0x7ffu));
    const std::uint32_t to_even = magnitude >> 13 & 1u;
    return static_cast<std::uint16_t>(sign | (magnitude - (112u << 23) + 0xfffu + to_even) >> 13);
}
