// SPDX-License-Identifier: MIT
#pragma once
// Reading, writing and copying words in a pattern. The warps request the same number of words in all three; the pattern
// decides how much memory must move for them.
//   access_read    reads; each warp leaves one number, which tells the host whether it read the right words
//   access_write   writes values that depend only on the address, so that a word written twice is still right
//   access_copy    reads and writes in the same pattern, from one array to another
// Exactly `unroll` loads are in flight per thread: the loop over groups is not unrolled further.
//
// Any n, any pattern. The block is whole warps, the grid any; a grid that is resident at once leaves the fewest gaps.
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

// ---- which word each lane touches. A pattern is data: one kernel serves all patterns.
//
// The warps' requests go from tile to tile of an array. Every lane has a place in its request's tile; the words that a
// request leaves out are touched in later passes over the array, one column further on. If the array is larger than the
// caches, these words' sectors have been evicted by then: each request moves all of its sectors.

namespace BACKEND {

/// All lengths are in words. Lane l's place is ((l * lane_multiplier + lane_addend) & lane_mask) + offset.
struct AccessPattern {
    unsigned lane_multiplier = 1, lane_addend = 0, lane_mask = ~0u, offset = 0;
    unsigned tile_words = lanes_per_warp;  // from one tile to the next
    unsigned columns = 1;                  // passes after which every word has been touched
    unsigned tile_multiplier = 1;          // request r goes to tile r * tile_multiplier modulo tiles
    size_t tiles = 1;                      // a multiple of a group's requests; a power of two for random places
    unsigned random_shift = 0;             // not 0: random places instead, see random_place()
    unsigned salt = 0;                     // of the random places

    __host__ __device__ unsigned place_of(unsigned lane) const {
        return ((lane * lane_multiplier + lane_addend) & lane_mask) + offset;
    }
    __host__ __device__ size_t words() const { return tiles * tile_words; }
    __host__ __device__ size_t words_to_next_request() const {
        return static_cast<size_t>(tile_multiplier) * tile_words;
    }
    /// Words to allocate: the last places and the last requests of a group reach beyond the last tile.
    size_t allocated_words(unsigned requests_per_group) const {
        size_t farthest = tile_words;
        for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
            if (place_of(lane) + columns > farthest) farthest = place_of(lane) + columns;
        return words() - tile_words + farthest + (requests_per_group - 1) * words_to_next_request();
    }
};

/// For 2^b words, b from 2 to 32: the shift that scrambles best, half of b rounded up.
inline unsigned random_shift_for(size_t words) {
    unsigned bits = 0;
    while (words >> bits > 1) ++bits;
    return (bits + 1) / 2;
}

/// The word that a lane touches in a request of a pattern of random places. Each lane goes through its own 1/32 of the
/// array in its own order, so that no two lanes of a request share a sector. Every step is a permutation of the numbers
/// below a power of two: no word is touched twice before all others have been.
__host__ __device__ inline size_t random_place(const AccessPattern& pattern, size_t request, unsigned lane) {
    const unsigned mask = static_cast<unsigned>(pattern.tiles - 1), shift = pattern.random_shift;
    unsigned place = static_cast<unsigned>(request) + ((lane + 1) * 0x9e3779b9u ^ pattern.salt);
    place &= mask;
    place ^= place >> shift;
    place = (place * 0x9e3779b1u) & mask;
    place ^= place >> shift;
    place = (place * 0x85ebca6bu) & mask;
    place ^= place >> shift;
    return lane * pattern.tiles + place;
}

/// The word at which a request of any other pattern begins; a lane's place is added to it. The requests of a group
/// follow each other without wrapping around to the array's start. (AccessWalk computes the same with additions.)
inline size_t begin_of_request(const AccessPattern& pattern, size_t request, unsigned requests_per_group) {
    const size_t in_group = request % requests_per_group, first = request - in_group;
    const size_t tile = first % pattern.tiles * pattern.tile_multiplier % pattern.tiles;
    const size_t column = first / pattern.tiles % pattern.columns;
    return tile * pattern.tile_words + column + in_group * pattern.words_to_next_request();
}

// ---- the path of one thread through the array: only a few additions per group of requests, so that they do not limit
// the bandwidth

/// The distance to a warp's next group. It is the same for all warps and takes divisions, so the host computes it.
struct AccessStep {
    unsigned warps = 1;    // of the grid
    unsigned columns = 0;  // passes in between, modulo the pattern's columns
    size_t words = 0;      // modulo the pattern's words

    AccessStep(const AccessPattern& pattern, unsigned grid_warps, unsigned requests_per_group) : warps(grid_warps) {
        const size_t requests = static_cast<size_t>(warps) * requests_per_group;
        columns = static_cast<unsigned>(requests / pattern.tiles % pattern.columns);
        words = requests % pattern.tiles * pattern.tile_multiplier % pattern.tiles * pattern.tile_words;
    }
};

/// The warps of the grid take groups of `unroll` requests in turn, up to n words. The block is whole warps.
///     for (; walk.is_whole(); walk.advance())   visits a thread's groups in which every lane has `unroll` words;
///     then walk.reaches(k)                      tells whether this lane has word k of the last, partial group
template <unsigned unroll>
class AccessWalk {
public:
    __device__ AccessWalk(const AccessPattern& pattern, const AccessStep& step, size_t n)
        : pattern_(pattern), step_(step), n_(n), lane_(threadIdx.x % lanes_per_warp) {
        // The first groups' numbers are far below 2^32, so 32-bit divisions are enough.
        const unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / lanes_per_warp, first = group * unroll;
        const unsigned tiles = static_cast<unsigned>(pattern.tiles < ~0u ? pattern.tiles : ~0u);
        group_ = group;
        column_ = first / tiles % pattern.columns;
        begin_ = static_cast<size_t>(first % tiles * pattern.tile_multiplier % tiles) * pattern.tile_words;
    }

    __device__ unsigned lane() const { return lane_; }
    __device__ bool is_whole() const { return group_ < n_ / (lanes_per_warp * unroll); }
    __device__ bool reaches(unsigned k) const { return (group_ * unroll + k) * lanes_per_warp + lane_ < n_; }

    /// The indices of this lane's words of the group; position(k) is that of word k alone.
    __device__ void locate(size_t (&positions)[unroll]) const {
        if (pattern_.random_shift != 0) {
#pragma unroll
            for (unsigned k = 0; k < unroll; ++k) positions[k] = random_place(pattern_, group_ * unroll + k, lane_);
        } else {
            const size_t first = begin_ + (column_ + pattern_.place_of(lane_));
#pragma unroll
            for (unsigned k = 0; k < unroll; ++k) positions[k] = first + k * pattern_.words_to_next_request();
        }
    }
    __device__ size_t position(unsigned k) const {
        if (pattern_.random_shift != 0) return random_place(pattern_, group_ * unroll + k, lane_);
        return begin_ + (column_ + pattern_.place_of(lane_)) + k * pattern_.words_to_next_request();
    }

    __device__ void advance() {
        group_ += step_.warps;
        begin_ += step_.words;
        column_ += step_.columns;
        if (begin_ >= pattern_.words()) {
            begin_ -= pattern_.words();
            ++column_;
        }
        if (column_ >= pattern_.columns) column_ -= pattern_.columns;
    }

private:
    const AccessPattern& pattern_;
    const AccessStep& step_;
    const size_t n_;
    const unsigned lane_;
    unsigned column_;
    size_t group_, begin_;
};

// ---- words of 1 to 16 bytes: loading them, making them, and folding them into a checksum of what was read

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

// ---- the kernels

/// Block whole warps; any grid. folds: one number per warp of the grid.
template <typename Word, unsigned unroll>
__global__ void __launch_bounds__(largest_block)
    access_read(AccessPattern pattern, AccessStep step, size_t n, const Word* source, unsigned* folds) {
    AccessWalk<unroll> walk(pattern, step, n);
    size_t positions[unroll];
    unsigned fold = 0;
#pragma unroll 1
    for (; walk.is_whole(); walk.advance()) {
        walk.locate(positions);
        Word words[unroll];
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) words[k] = load_past_l1(source + positions[k]);
        __syncwarp();  // keeps the compiler from folding the first words before it loads the last
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) fold = folded(fold, words[k]);
    }
#pragma unroll 1
    for (unsigned k = 0; k < unroll && walk.reaches(k); ++k)
        fold = folded(fold, load_past_l1(source + walk.position(k)));
    __syncwarp();  // all lanes have left the loop

    fold = fold_of_lane(fold, walk.lane());
    for (unsigned distance = lanes_per_warp / 2; distance > 0; distance /= 2)
        fold += __shfl_down_sync(~0u, fold, distance);
    if (walk.lane() == 0) folds[(blockIdx.x * blockDim.x + threadIdx.x) / lanes_per_warp] = fold;
}

/// Block whole warps; any grid.
template <typename Word, unsigned unroll>
__global__ void __launch_bounds__(largest_block)
    access_write(AccessPattern pattern, AccessStep step, size_t n, Word* target) {
    AccessWalk<unroll> walk(pattern, step, n);
    size_t positions[unroll];
#pragma unroll 1
    for (; walk.is_whole(); walk.advance()) {
        walk.locate(positions);
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) target[positions[k]] = word_for<Word>(positions[k]);
    }
#pragma unroll 1
    for (unsigned k = 0; k < unroll && walk.reaches(k); ++k)
        target[walk.position(k)] = word_for<Word>(walk.position(k));
}

/// Block whole warps; any grid. The arrays do not overlap.
template <typename Word, unsigned unroll>
__global__ void __launch_bounds__(largest_block)
    access_copy(AccessPattern pattern, AccessStep step, size_t n, const Word* source, Word* target) {
    AccessWalk<unroll> walk(pattern, step, n);
    size_t positions[unroll];
#pragma unroll 1
    for (; walk.is_whole(); walk.advance()) {
        walk.locate(positions);
        Word words[unroll];
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) words[k] = load_past_l1(source + positions[k]);
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) target[positions[k]] = words[k];
    }
#pragma unroll 1
    for (unsigned k = 0; k < unroll && walk.reaches(k); ++k)
        target[walk.position(k)] = load_past_l1(source + walk.position(k));
}

// ---- launches the kernels of access: the instance for a word size and unrolling, on a grid that is resident at once

enum class AccessOperation { read, write, copy };

/// d_source: for read and copy; d_target: for write and copy, does not overlap it. Both are aligned to 32 bytes and
/// have pattern.allocated_words(unroll). d_folds: for read, one number per warp that the device can hold at once.
/// block_size is rounded up to whole warps.
struct AccessArguments {
    const void* d_source = nullptr;
    void* d_target = nullptr;
    unsigned* d_folds = nullptr;
    AccessPattern pattern;
    size_t n = 0;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

/// As many blocks as the device holds of this kernel at once, or fewer if that leaves some without work.
inline unsigned access_grid(const void* kernel, const AccessArguments& arguments, unsigned block_size,
                            unsigned unroll) {
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(block_size), 0));
    const size_t resident = static_cast<size_t>(blocks < 1 ? 1 : blocks) * arguments.multiprocessors;
    const size_t needed = arguments.n / (static_cast<size_t>(block_size) * unroll) + 1;
    return static_cast<unsigned>(needed < resident ? needed : resident);
}

template <typename Word, unsigned unroll>
LaunchShape launch_access_words(AccessOperation operation, const AccessArguments& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    const Word* source = static_cast<const Word*>(arguments.d_source);
    Word* target = static_cast<Word*>(arguments.d_target);
    const AccessPattern& pattern = arguments.pattern;
    const auto run = [&](auto kernel, const auto&... others) {
        const unsigned grid = access_grid(address_of(kernel), arguments, block, unroll);
        const AccessStep step(pattern, grid * (block / lanes_per_warp), unroll);
        kernel<<<grid, block, 0, arguments.stream>>>(pattern, step, arguments.n, others...);
        return LaunchShape{dim3(grid), dim3(block), 0};
    };
    switch (operation) {
        case AccessOperation::read: return run(access_read<Word, unroll>, source, arguments.d_folds);
        case AccessOperation::write: return run(access_write<Word, unroll>, target);
        default: return run(access_copy<Word, unroll>, source, target);
    }
}

using AccessLaunch = LaunchShape(AccessOperation operation, const AccessArguments& arguments);

template <typename Word>
AccessLaunch* access_launch_of_word(size_t unroll) {
    switch (unroll) {
        case 1: return launch_access_words<Word, 1>;
        case 2: return launch_access_words<Word, 2>;
        case 4: return launch_access_words<Word, 4>;
        default: return launch_access_words<Word, 8>;
    }
}

/// word_bytes: 1, 2, 4, 8 or 16; unroll: 1, 2, 4 or 8.
inline AccessLaunch* access_launch(size_t word_bytes, size_t unroll) {
    switch (word_bytes) {
        case 1: return access_launch_of_word<Word1>(unroll);
        case 2: return access_launch_of_word<Word2>(unroll);
        case 4: return access_launch_of_word<Word4>(unroll);
        case 8: return access_launch_of_word<Word8>(unroll);
        default: return access_launch_of_word<Word16>(unroll);
    }
}

}  // namespace BACKEND
