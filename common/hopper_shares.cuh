#pragma once
// Tiles dealt to blocks so that none idles at the end: whole waves of tiles first, then equal shares of the stages of
// the tiles that are left. A share begins and ends in the middle of tiles; who has a tile's first stage adds the sums
// of the others and stores it. After Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense
// Matrix-Matrix Multiplication on the GPU", PPoPP 2023.
#include "common/hopper_async.cuh"
#include "common/launch_shape.cuh"
#include "common/matmul_arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// `whole` tiles are one block's each: all of them, or a multiple of the number of blocks; the stages of the rest are
/// shared out, one share to each of the first `shares` blocks. A tile has `steps` stages along k.
struct TileShares {
    unsigned tiles = 0, whole = 0, steps = 0, shares = 0;

    /// The first stage of a share, counted from the first tile that is shared.
    __device__ unsigned long long begin(unsigned share) const {
        return static_cast<unsigned long long>(tiles - whole) * steps * share / shares;
    }

    /// Blocks that start first have the last shares, so that a block waits only for blocks that started before it.
    __device__ unsigned own() const { return shares - 1 - blockIdx.x; }
};

/// The stages [first, end) of a tile.
struct TileSegment {
    unsigned tile = 0;
    int first = 0, end = 0;
};

/// This block's segment number `index`; false, and none in `segment`, if it has fewer. All roles of a block go through
/// them in this order.
/// `may_share`: false leaves out the code for shares, where the shortest kernels would wait for its instructions.
template <bool may_share = true>
__device__ inline bool find_segment(const TileShares& shares, unsigned index, TileSegment& segment) {
    if (!may_share) {
        segment = {blockIdx.x + index * gridDim.x, 0, static_cast<int>(shares.steps)};
        return segment.tile < shares.tiles;
    }
    const unsigned waves = (shares.whole + gridDim.x - 1) / gridDim.x, wave_tile = blockIdx.x + index * gridDim.x;
    if (index < waves) {
        segment = {wave_tile, 0, static_cast<int>(shares.steps)};
        return wave_tile < shares.whole;
    }
    if (blockIdx.x >= shares.shares) return false;
    const unsigned long long begin = shares.begin(shares.own()), end = shares.begin(shares.own() + 1);
    const unsigned long long tile = begin / shares.steps + index - waves, tile_begin = tile * shares.steps;
    if (tile_begin >= end) return false;
    segment.tile = shares.whole + static_cast<unsigned>(tile);
    segment.first = static_cast<int>(begin > tile_begin ? begin - tile_begin : 0);
    segment.end = static_cast<int>(end - tile_begin < shares.steps ? end - tile_begin : shares.steps);
    return true;
}

/// Brings the stages of all of this block's segments. By one thread.
template <typename Pipeline, bool may_share>
__device__ inline void bring_segments(typename Pipeline::Shared& ring, const CUtensorMap& map_a,
                                      const CUtensorMap& map_b, const TileOrder& order, const TileShares& shares) {
    typename Pipeline::Position position;
    TileSegment segment;
    for (unsigned index = 0; find_segment<may_share>(shares, index, segment); ++index) {
        unsigned tile_row = 0, tile_column = 0;
        order.place(segment.tile, tile_row, tile_column);
        Pipeline::produce(ring, position, map_a, map_b, static_cast<int>(tile_row) * Pipeline::tile_m,
                          static_cast<int>(tile_column) * Pipeline::tile_n, segment.first, segment.end);
    }
}

/// One past the last share with stages of the segment's tile.
__device__ inline unsigned last_share(const TileShares& shares, const TileSegment& segment) {
    const unsigned long long tile_end =
        static_cast<unsigned long long>(segment.tile - shares.whole + 1) * shares.steps;
    unsigned share = shares.own() + 1;
    if (segment.end == static_cast<int>(shares.steps)) return share;
    while (share < shares.shares && shares.begin(share) < tile_end) ++share;
    return share;
}

/// The most elements of a tile that is shared.
constexpr size_t partial_tile_elements = 128 * 256;

/// Where shares leave the sums of tiles that others complete: for each share partial_tile_elements, and a flag. All
/// flags are zero between launches.
struct PartialSums {
    float* d_sums = nullptr;
    unsigned* d_ready = nullptr;
};

/// The number of the barrier among the threads that multiply.
constexpr unsigned partial_barrier = 3;

__device__ inline unsigned load_acquire(const unsigned* flag) {
    unsigned value = 0;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
__device__ inline void store_release(unsigned* flag, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/// By the `threads` threads that multiply, after they have written their share's sums: tells the others.
template <unsigned threads> __device__ inline void announce_sums(const PartialSums& partial, unsigned share) {
    __threadfence();
    barrier_among(partial_barrier, threads); // all sums are on their way
    if (threadIdx.x % threads == 0) store_release(partial.d_ready + share, 1);
}

/// Waits for the sums of the shares from `first` up to `last`.
template <unsigned threads>
__device__ inline void await_sums(const PartialSums& partial, unsigned first, unsigned last) {
    if (threadIdx.x % threads == 0)
        for (unsigned share = first; share < last; ++share)
            while (load_acquire(partial.d_ready + share) == 0) {}
    barrier_among(partial_barrier, threads); // all sums are there
}

/// After await_sums() nobody reads the flags any more in this launch.
template <unsigned threads>
__device__ inline void clear_flags(const PartialSums& partial, unsigned first, unsigned last) {
    if (threadIdx.x % threads == 0)
        for (unsigned share = first; share < last; ++share) partial.d_ready[share] = 0;
}

/// Makes the sums of a segment those of its tile, if this block is to store it; else leaves them to the block that is.
/// Returns whether it is this block. By the `threads` threads that multiply, each with `count` sums in any order that
/// is the same in all blocks.
template <unsigned threads, int count>
__device__ inline bool complete_tile(float (&sums)[count], const TileSegment& segment, const TileShares& shares,
                                     const PartialSums& partial) {
    static_assert(count * threads <= partial_tile_elements, "a share's sums have room");
    const auto fours_of = [&](unsigned share) {
        return reinterpret_cast<float4*>(partial.d_sums) + static_cast<size_t>(share) * (count / 4) * threads +
               threadIdx.x % threads;
    };
    if (segment.first > 0) {
        float4* fours = fours_of(shares.own());
#pragma unroll
        for (int i = 0; i < count / 4; ++i)
            __stcg(fours + i * threads, make_float4(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]));
        announce_sums<threads>(partial, shares.own());
        return false;
    }
    const unsigned first = shares.own() + 1, last = last_share(shares, segment);
    if (first == last) return true;
    await_sums<threads>(partial, first, last);
    clear_flags<threads>(partial, first, last);
    for (unsigned share = first; share < last; ++share) {
        const float4* fours = fours_of(share);
#pragma unroll
        for (int i = 0; i < count / 4; ++i) {
            const float4 more = __ldcg(fours + i * threads);
            sums[4 * i] += more.x;
            sums[4 * i + 1] += more.y;
            sums[4 * i + 2] += more.z;
            sums[4 * i + 3] += more.w;
        }
    }
    return true;
}

} // namespace BACKEND
