// SPDX-License-Identifier: MIT
#pragma once
// The path of one thread through the array: only a few additions per group of requests, so that they do not limit the
// bandwidth.
#include "kernels/access/pattern.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

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

}  // namespace BACKEND
