// SPDX-License-Identifier: MIT
#pragma once
// Words of 1 to 16 bytes: loading them, making them, and folding them into a checksum of what was read.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

using Word1 = unsigned char;
using Word2 = unsigned short;
using Word4 = unsigned;
using Word8 = uint2;
using Word16 = uint4;

/// Loads past L1: the bytes of a request come from the L2 cache or from memory.
template <typename Word>
__device__ __forceinline__ Word load_past_l1(const Word* address) {
    return __ldcg(address);
}

/// The 4-byte part `index` of the word that a kernel writes at this index of the array: the same for every writer. A
/// shorter word has one part.
__host__ __device__ __forceinline__ unsigned written_part(size_t position, unsigned word_bytes, unsigned index) {
    const unsigned bits = static_cast<unsigned>(position) * 0x9e3779b1u + 0x7f4a7c15u;
    return word_bytes < sizeof bits ? bits >> (32 - 8 * word_bytes) : bits + index;
}

template <typename Word>
__device__ __forceinline__ Word word_for(size_t position) {
    const auto part = [=](unsigned index) { return written_part(position, sizeof(Word), index); };
    if constexpr (sizeof(Word) == sizeof(Word16)) return {part(0), part(1), part(2), part(3)};
    else if constexpr (sizeof(Word) == sizeof(Word8)) return {part(0), part(1)};
    else return static_cast<Word>(part(0));
}

/// Adds a word to the fold of the words read before it. The order counts. One multiplication per 4 bytes.
__host__ __device__ __forceinline__ unsigned folded(unsigned fold, unsigned word) { return fold * 0x01000193u + word; }
__host__ __device__ __forceinline__ unsigned folded(unsigned fold, uint2 word) {
    return folded(folded(fold, word.x), word.y);
}
__host__ __device__ __forceinline__ unsigned folded(unsigned fold, uint4 word) {
    return folded(folded(folded(folded(fold, word.x), word.y), word.z), word.w);
}

/// A lane's contribution: a warp's result is the sum over its lanes.
__host__ __device__ __forceinline__ unsigned fold_of_lane(unsigned fold, unsigned lane) {
    return fold * (2 * lane + 1);
}

}  // namespace BACKEND
