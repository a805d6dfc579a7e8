#pragma once
// Tiles dealt to blocks so that none idles at the end: whole waves of tiles first, then equal shares of the stages of
// the tiles that are left. A share begins and ends in the middle of tiles; who has a tile's first stage adds the sums
// of the others, or of groups of them, and stores it. After Osama et al., "Stream-K: Work-centric Parallel
// Decomposition for Dense Matrix-Matrix Multiplication on the GPU", PPoPP 2023.
#include "common/cuda/bulk_copy.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// `whole` tiles are one block's each: all of them, or a multiple of the number of blocks; the stages of the rest are
/// shared out, one share to each of the first `shares` blocks. A tile has `steps` stages along k.
/// `paired`, 1 or 0: whether the two blocks of a cluster work side by side, on tiles that follow each other. Then each
/// pair of blocks counts as one here, and of tiles, too.
struct TileShares {
    unsigned tiles = 0, whole = 0, steps = 0, shares = 0, paired = 0;

    __device__ unsigned shared_tiles() const { return tiles - whole; }

    /// The first stage of a share, counted from the first tile that is shared: share * stages / shares, in 32 bits.
    __device__ unsigned begin(unsigned share) const {
        const unsigned stages = shared_tiles() * steps;
        return stages / shares * share + stages % shares * share / shares;
    }

    /// Blocks that start first have the last shares, so that a block waits only for blocks that started before it.
    __device__ unsigned own() const { return shares - 1 - (blockIdx.x >> paired); }

    __device__ unsigned rank() const { return blockIdx.x & paired; }

    /// The stages of all of this block's segments.
    __device__ unsigned own_stages() const {
        const unsigned block = blockIdx.x >> paired, blocks = gridDim.x >> paired;
        const unsigned waves = whole > block ? (whole - block + blocks - 1) / blocks : 0;
        return waves * steps + (block < shares ? begin(own() + 1) - begin(own()) : 0);
    }
};

/// The stages [first, end) of a tile, and the shares [first_share, end_share) that have stages of it.
struct TileSegment {
    unsigned tile = 0;
    int first = 0, end = 0;
    unsigned first_share = 0, end_share = 1;
};

/// This block's segment number `index`; false, and none in `segment`, if it has fewer. All roles of a block go through
/// them in this order.
/// `may_share`: false leaves out the code for shares, where the shortest kernels would wait for its instructions.
template <bool may_share = true>
__device__ inline bool find_segment(const TileShares& shares, unsigned index, TileSegment& segment) {
    if (!may_share) {
        segment = {blockIdx.x + index * gridDim.x, 0, static_cast<int>(shares.steps)};
        return segment.tile < shares.tiles << shares.paired;
    }
    const unsigned whole = shares.whole << shares.paired;
    const unsigned waves = (whole + gridDim.x - 1) / gridDim.x, wave_tile = blockIdx.x + index * gridDim.x;
    if (index < waves) {
        segment = {wave_tile, 0, static_cast<int>(shares.steps)};
        return wave_tile < whole;
    }
    if (blockIdx.x >= shares.shares << shares.paired) return false;
    const unsigned begin = shares.begin(shares.own()), end = shares.begin(shares.own() + 1);
    const unsigned tile = begin / shares.steps + index - waves, tile_begin = tile * shares.steps;
    if (tile_begin >= end) return false;
    segment.tile = ((shares.whole + tile) << shares.paired) + shares.rank();
    segment.first = static_cast<int>(begin > tile_begin ? begin - tile_begin : 0);
    segment.end = static_cast<int>(end - tile_begin < shares.steps ? end - tile_begin : shares.steps);
    segment.first_share = tile * shares.shares / shares.shared_tiles();
    if (shares.begin(segment.first_share + 1) <= tile_begin) ++segment.first_share;
    segment.end_share = ((tile + 1) * shares.shares + shares.shared_tiles() - 1) / shares.shared_tiles();
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

/// The most elements of a tile that is shared.
constexpr size_t partial_tile_elements = 128 * 256;

/// Where shares leave the sums of tiles that others complete: for each share a tile, with room for
/// partial_tile_elements, and a flag. All flags are zero between launches.
struct PartialSums {
    float* d_sums = nullptr;
    unsigned* d_ready = nullptr;
};

/// Sums of smaller tiles are added in groups of so many shares: two levels for the blocks of an H200.
constexpr unsigned sums_group = 12;

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
    barrier_among(partial_barrier, threads); // the release below stands for all threads' sums
    if (threadIdx.x % threads == 0) store_release(partial.d_ready + share, 1);
}

/// Waits for the sums of every `stride`-th share from `first` up to `last`, a thread for each; then nobody reads their
/// flags any more in this launch.
template <unsigned threads>
__device__ inline void await_sums(const PartialSums& partial, unsigned first, unsigned last, unsigned stride) {
    for (unsigned share = first + threadIdx.x % threads * stride; share < last; share += threads * stride) {
        while (load_acquire(partial.d_ready + share) == 0) {}
        partial.d_ready[share] = 0;
    }
    barrier_among(partial_barrier, threads); // all sums are there
}

/// Makes the sums of a segment those of its tile, if this block is to store it; else leaves them to the block that is.
/// Returns whether it is this block. By the `threads` threads that multiply, each with `count` sums in any order that
/// is the same in all blocks.
/// The shares of a smaller tile are added in groups, the groups' sums in groups of groups, and so on: where many blocks
/// have a short share each, one that added all would take longer than they multiply.
template <unsigned threads, int count>
__device__ inline bool complete_tile(float (&sums)[count], const TileSegment& segment, const TileShares& shares,
                                     const PartialSums& partial) {
    static_assert(count * threads <= partial_tile_elements, "a share's sums have room");
    constexpr bool grouped = count < 128;                // large tiles are not cut into many shares
    constexpr int at_once = count < 64 ? 64 / count : 1; // shares whose sums are loaded at once
    const auto fours_of = [&](unsigned share) {
        return reinterpret_cast<float4*>(partial.d_sums) + static_cast<size_t>(share) * (count / 4) * threads +
               threadIdx.x % threads;
    };
    const unsigned lower_ranks = shares.rank() * shares.shares; // the sums and flags of lower ranks come first
    const unsigned first_share = lower_ranks + segment.first_share, end_share = lower_ranks + segment.end_share,
                   own = lower_ranks + shares.own(), parts = end_share - first_share;
    for (unsigned stride = 1; stride < parts; stride *= grouped ? sums_group : parts) {
        if (segment.first > 0 && (!grouped || (own - first_share) % (stride * sums_group) != 0)) {
            float4* fours = fours_of(own);
#pragma unroll
            for (int i = 0; i < count / 4; ++i)
                __stcg(fours + i * threads,
                       make_float4(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]));
            announce_sums<threads>(partial, own);
            return false;
        }
        const unsigned end = grouped && stride * sums_group < end_share - own ? own + stride * sums_group : end_share;
        await_sums<threads>(partial, own + stride, end, stride);
#pragma unroll 1
        for (unsigned share = own + stride; share < end; share += stride * at_once) {
            float4 more[at_once][count / 4];
#pragma unroll
            for (int s = 0; s < at_once; ++s) {
                const unsigned existing = share + s * stride < end ? share + s * stride : share;
#pragma unroll
                for (int i = 0; i < count / 4; ++i) more[s][i] = __ldcg(fours_of(existing) + i * threads);
            }
#pragma unroll
            for (int s = 0; s < at_once; ++s) {
                if (s > 0 && share + s * stride >= end) break;
#pragma unroll
                for (int i = 0; i < count / 4; ++i) {
                    sums[4 * i] += more[s][i].x;
                    sums[4 * i + 1] += more[s][i].y;
                    sums[4 * i + 2] += more[s][i].z;
                    sums[4 * i + 3] += more[s][i].w;
                }
            }
        }
    }
    return true;
}

} // namespace BACKEND
