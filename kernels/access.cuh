// SPDX-License-Identifier: MIT
#pragma once
// Which word each lane touches. A pattern is data: one kernel serves all patterns.
//
// The warps' requests go from tile to tile of an array. Every lane has a place in its request's tile; the words that a
// request leaves out are touched in later passes over the array, one column further on. If the array is larger than the
// caches, these words' sectors have been evicted by then: each request moves all of its sectors.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

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

}  // namespace BACKEND
