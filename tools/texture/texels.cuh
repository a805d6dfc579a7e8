// SPDX-License-Identifier: MIT
// The elements of a matrix on the host: their channels, which are numbers, and those of a thread's result.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "common/io/dtype.hpp"
#include "common/measure/random.hpp"
#include "kernels/texture/texels.cuh"
#include "tools/texture/options.hpp"

namespace BACKEND {

template <typename T>
constexpr bool has_bytes = std::is_same_v<T, uchar4> || std::is_same_v<T, NormalizedBytes>;
template <typename T>
constexpr bool is_normalized = std::is_same_v<T, NormalizedBytes>;
template <typename T>
constexpr size_t channels_of = std::is_same_v<T, float> || std::is_same_v<T, __half> ? 1 : 4;

// A channel as it is stored, and as it is in a result.
template <typename T>
using StoredChannel =
    std::conditional_t<has_bytes<T>, unsigned char, std::conditional_t<std::is_same_v<T, __half>, __half, float>>;
template <typename T>
using ResultChannel = std::conditional_t<std::is_same_v<T, uchar4>, unsigned char, float>;

// Numbers whose sums are exact.
template <typename T>
float random_channel(std::uint64_t seed, size_t i) {
    if constexpr (has_bytes<T>) return float(random_bits(seed, i) >> 56);
    else return exact_summand<float>(seed, i);
}

// The sum of channels as a result has it.
template <typename T>
double result_channel(double sum) {
    if constexpr (std::is_same_v<T, uchar4>) return double(static_cast<unsigned long long>(sum) % 256);
    else return is_normalized<T> ? sum / 255 : sum;
}

template <typename T>
cudaChannelFormatDesc texel_format() {
    constexpr int bits = 8 * int(sizeof(StoredChannel<T>)), more = channels_of<T> == 4 ? bits : 0;
    return cudaCreateChannelDesc(bits, more, more, more,
                                 has_bytes<T> ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindFloat);
}

template <typename T>
std::optional<DType> dtype_of_texel() {
    if constexpr (has_bytes<T>) return std::nullopt;
    else return std::is_same_v<T, __half> ? DType::f16 : DType::f32;
}

// Calls action(T{}) with the type of the elements.
template <typename Action>
void with_texel(Texel texel, Action action) {
    switch (texel) {
        case Texel::f32: return action(float{});
        case Texel::f16: return action(__half{});
        case Texel::float4: return action(float4{});
        case Texel::uchar4: return action(uchar4{});
        case Texel::unorm4: return action(NormalizedBytes{});
    }
}

}  // namespace BACKEND
