// SPDX-License-Identifier: MIT
#pragma once
// For the costs of thin products, which depend on the size of elements.

namespace BACKEND {

/// The value for T: a 16-bit type, f32 or f64.
template <typename T>
constexpr double by_size(double of_16_bits, double of_32_bits, double of_64_bits) {
    return sizeof(T) == 2 ? of_16_bits : sizeof(T) == 4 ? of_32_bits : of_64_bits;
}

}  // namespace BACKEND
