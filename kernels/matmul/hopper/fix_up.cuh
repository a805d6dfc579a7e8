#pragma once
// The device side of Stream-K: how producer and consumers walk through a block's segments, and the fix-up, in which the
// block that stores a tile adds the sums of the blocks that share it.
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/hopper/stream_k.cuh"
#include "kernels/matmul/tile_order.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Finds segment number `index` of this block; false if there is none.
template <bool stream_k = true>
__device__ inline bool find_segment(const StreamKSchedule& schedule, unsigned index, TileSegment& segment) {
    return segment_of_block<stream_k>(schedule, blockIdx.x, gridDim.x, index, segment);
}

/// Called by one thread. Loads the stages of all of this block's segments.
template <typename Pipeline, bool stream_k, bool many = false, typename Maps>
__device__ inline void produce_segments(typename Pipeline::Shared& ring, const Maps& maps, const TileOrder& order,
                                        const StreamKSchedule& schedule) {
    typename Pipeline::Position position;
    TileSegment segment;
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, segment); ++index) {
        unsigned tile_row = 0, tile_column = 0;
        ProductNumber<many> product{};
        order.place(segment.tile, tile_row, tile_column, product);
        Pipeline::produce(ring, position, maps, static_cast<int>(tile_row) * Pipeline::tile_m,
                          static_cast<int>(tile_column) * Pipeline::tile_n, segment.first, segment.end, product);
    }
}

/// The most elements that a shared tile may have.
constexpr size_t partial_tile_elements = 128 * 256;

/// Where shares leave the sums of tiles that other blocks complete: for each share, one tile (partial_tile_elements)
/// and one flag. All flags are zero between launches.
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

/// Called by the `threads` threads that multiply, after they have written their share's sums: sets the share's flag.
template <unsigned threads>
__device__ inline void announce_sums(const PartialSums& partial, unsigned share) {
    barrier_among(partial_barrier, threads);  // so that the release below covers all threads' sums
    if (threadIdx.x % threads == 0) store_release(partial.d_ready + share, 1);
}

/// Waits for the sums of every `stride`-th share in [first, last), one thread per share, and clears their flags: no
/// other block reads them in this launch.
template <unsigned threads>
__device__ inline void await_sums(const PartialSums& partial, unsigned first, unsigned last, unsigned stride) {
    for (unsigned share = first + threadIdx.x % threads * stride; share < last; share += threads * stride) {
        while (load_acquire(partial.d_ready + share) == 0) {}
        partial.d_ready[share] = 0;
    }
    barrier_among(partial_barrier, threads);  // all shares' sums have arrived
}

/// 16 bytes of a thread's sums.
__device__ inline float4 bits_of(const float* sums) { return make_float4(sums[0], sums[1], sums[2], sums[3]); }
__device__ inline float4 bits_of(const double* sums) {
    return make_float4(__int_as_float(__double2loint(sums[0])), __int_as_float(__double2hiint(sums[0])),
                       __int_as_float(__double2loint(sums[1])), __int_as_float(__double2hiint(sums[1])));
}
__device__ inline void add_bits(float* sums, const float4& four) {
    sums[0] += four.x;
    sums[1] += four.y;
    sums[2] += four.z;
    sums[3] += four.w;
}
__device__ inline void add_bits(double* sums, const float4& bits) {
    sums[0] += __hiloint2double(__float_as_int(bits.y), __float_as_int(bits.x));
    sums[1] += __hiloint2double(__float_as_int(bits.w), __float_as_int(bits.z));
}

/// If this block is to store the segment's tile, adds the other shares' sums to `sums` and returns true; otherwise
/// leaves `sums` for the block that does, and returns false. Called by the `threads` threads that multiply, each with
/// `count` sums, in any order that is the same in all blocks.
/// The shares of a smaller tile are added in groups, the groups' sums in groups of groups, and so on: if many blocks
/// have a short share each, one block that added all would take longer than they multiply.
template <unsigned threads, typename T, int count>
__device__ inline bool complete_tile(T (&sums)[count], const TileSegment& segment, const StreamKSchedule& schedule,
                                     const PartialSums& partial) {
    constexpr int length = sizeof(float4) / sizeof(T), pieces = count / length;
    static_assert(pieces * threads * 4 <= partial_tile_elements, "a share's sums have room");
    constexpr bool grouped = pieces < 32;                   // large tiles are not cut into many shares
    constexpr int at_once = pieces < 16 ? 16 / pieces : 1;  // shares whose sums are loaded at once
    const auto pieces_of = [&](unsigned share) {
        return reinterpret_cast<float4*>(partial.d_sums) + static_cast<size_t>(share) * pieces * threads +
               threadIdx.x % threads;
    };
    const unsigned lower_ranks =
        schedule.rank_of(blockIdx.x) * schedule.shares;  // the sums and flags of lower ranks come first
    const unsigned first_share = lower_ranks + segment.first_share, end_share = lower_ranks + segment.end_share,
                   own = lower_ranks + schedule.share_of(blockIdx.x), parts = end_share - first_share;
    for (unsigned stride = 1; stride < parts; stride *= grouped ? sums_group : parts) {
        if (segment.first > 0 && (!grouped || (own - first_share) % (stride * sums_group) != 0)) {
            float4* own_pieces = pieces_of(own);
#pragma unroll
            for (int i = 0; i < pieces; ++i) __stcg(own_pieces + i * threads, bits_of(sums + i * length));
            announce_sums<threads>(partial, own);
            return false;
        }
        const unsigned end = grouped && stride * sums_group < end_share - own ? own + stride * sums_group : end_share;
        await_sums<threads>(partial, own + stride, end, stride);
#pragma unroll 1
        for (unsigned share = own + stride; share < end; share += stride * at_once) {
            float4 more[at_once][pieces];
#pragma unroll
            for (int s = 0; s < at_once; ++s) {
                const unsigned existing = share + s * stride < end ? share + s * stride : share;
#pragma unroll
                for (int i = 0; i < pieces; ++i) more[s][i] = __ldcg(pieces_of(existing) + i * threads);
            }
#pragma unroll
            for (int s = 0; s < at_once; ++s) {
                if (s > 0 && share + s * stride >= end) break;
#pragma unroll
                for (int i = 0; i < pieces; ++i) add_bits(sums + i * length, more[s][i]);
            }
        }
    }
    return true;
}

}  // namespace BACKEND
