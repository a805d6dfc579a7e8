// SPDX-License-Identifier: MIT
#pragma once
// The device side of Stream-K: how producer and consumers walk through a block's segments, and the fix-up, in which the
// blocks that share a tile add their sums.
#include "common/cuda/arrivals.cuh"
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/stream_k.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Finds segment number `index` of this block; false if there is none.
template <bool stream_k = true>
__device__ inline bool find_segment(const StreamKSchedule& schedule, unsigned index, TileSegment& segment) {
    return segment_of_block<stream_k>(schedule, blockIdx.x, gridDim.x, index, segment);
}

/// Called by one thread. Loads the stages of all of this block's segments.
template <typename Pipeline, bool stream_k, bool many = false, typename Maps, typename Order>
__device__ inline void produce_segments(typename Pipeline::Shared& ring, const Maps& maps, const Order& order,
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

/// Where shares leave their sums for other blocks: for each share, one tile (partial_tile_elements); and counters, one
/// for each share or shared tile. All counters are zero between launches.
struct PartialSums {
    float* d_sums = nullptr;
    unsigned* d_counters = nullptr;
};

/// The number of the barrier among the threads that multiply.
constexpr unsigned partial_barrier = 3;

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

/// How the `threads` threads of a block that multiply add the sums of a tile that blocks share. Each has `count` of
/// them, in pieces of 16 bytes.
///
/// If tiles are cut into few shares, the block that has a tile's first stage adds the sums of the others one after
/// another, and stores the tile. If they are cut into many, this block would still be adding long after the others have
/// finished. Then blocks exchange their sums: each leaves its own for all others to read, and adds all blocks' sums of
/// an equal part of the tile, which it stores. (128 x 128 x 16384 in f32 in tiles of 64 x 64, each in 33 shares, on an
/// H100: 23.6 us, not 26.6.) For this, all blocks must run at the same time. `can_exchange`: whether the kernel calls
/// add_part().
template <unsigned threads, typename T, int count, bool can_exchange = true>
struct SumsOfShares {
    static constexpr int length = sizeof(float4) / sizeof(T), pieces = count / length;
    static constexpr unsigned tile_pieces = pieces * threads;  // number piece * threads + thread
    static_assert(tile_pieces * 4 <= partial_tile_elements, "a share's sums have room");

    /// If this block is to store the segment's whole tile, adds the other shares' sums and returns true. Otherwise
    /// leaves its own for other blocks and returns false. `thread` is the number of each thread.
    __device__ static bool complete(T (&sums)[count], const TileSegment& segment, const StreamKSchedule& schedule,
                                    const PartialSums& partial, unsigned thread) {
        if (segment.end_share - segment.first_share == 1) return true;
        const unsigned before = shares_before(schedule), own = before + schedule.share_of(blockIdx.x),
                       end = before + segment.end_share;
        const bool exchanged = is_exchanged(segment, schedule);
        if (segment.first > 0 || exchanged) {
            float4* left = left_by(partial, own) + thread;
#pragma unroll
            for (int i = 0; i < pieces; ++i) __stcg(left + i * threads, bits_of(sums + i * length));
            barrier_among(partial_barrier, threads);  // so that the release below covers all threads' sums
            if (thread == 0)
                add_release(exchanged ? counter_of(partial, segment, schedule) : partial.d_counters + own, one_left);
            return false;
        }
        for (unsigned share = own + 1 + thread; share < end; share += threads) {  // one thread waits for each share
            unsigned* counter = partial.d_counters + share;
            while (load_acquire(counter) == 0) {}
            *counter = 0;  // no other block reads it in this launch
        }
        barrier_among(partial_barrier, threads);                     // all shares' sums are there
        constexpr unsigned at_once = pieces < 16 ? 16 / pieces : 1;  // shares whose sums are loaded together
#pragma unroll 1
        for (unsigned share = own + 1; share < end; share += at_once) {
            float4 more[at_once][pieces];
#pragma unroll
            for (unsigned s = 0; s < at_once; ++s) {
                const float4* left = left_by(partial, share + s < end ? share + s : share) + thread;
#pragma unroll
                for (int i = 0; i < pieces; ++i) more[s][i] = __ldcg(left + i * threads);
            }
#pragma unroll
            for (unsigned s = 0; s < at_once; ++s) {
                if (s > 0 && share + s >= end) break;
#pragma unroll
                for (int i = 0; i < pieces; ++i) add_bits(sums + i * length, more[s][i]);
            }
        }
        return true;
    }

    /// Called after all of the block's segments are complete. If it has exchanged its sums of a tile, stores its part
    /// of the tile: calls store_of(tile), and what this returns for each piece, with (piece, thread, sums).
    /// `memory`: 16 bytes a thread, for any use.
    template <typename StoreOf>
    __device__ static void add_part(const StreamKSchedule& schedule, const PartialSums& partial, void* memory,
                                    unsigned thread, const StoreOf& store_of) {
        static_assert(can_exchange);
        TileSegment segment;
        for (unsigned index = 0; find_segment(schedule, index, segment); ++index) {
            if (!is_exchanged(segment, schedule)) continue;
            const unsigned shares = segment.end_share - segment.first_share;
            unsigned* counter = counter_of(partial, segment, schedule);
            const auto store = store_of(segment.tile);
            if (thread == 0)
                while (load_acquire(counter) % one_waited < shares) {}
            barrier_among(partial_barrier, threads);  // all shares' sums are there
            add_pieces(schedule.share_of(blockIdx.x) - segment.first_share, shares,
                       left_by(partial, shares_before(schedule) + segment.first_share), static_cast<float4*>(memory),
                       thread, store);
            if (thread == 0 && atomicAdd(counter, one_waited) / one_waited == shares - 1) *counter = 0;
        }
    }

private:
    static constexpr unsigned one_left = 1, one_waited = 1U << 16;  // what a block adds to a counter

    __device__ static bool is_exchanged(const TileSegment& segment, const StreamKSchedule& schedule) {
        return can_exchange && schedule.exchanged && segment.end_share - segment.first_share > 1;
    }
    __device__ static unsigned* counter_of(const PartialSums& partial, const TileSegment& segment,
                                           const StreamKSchedule& schedule) {
        return partial.d_counters + (segment.tile - (schedule.whole << schedule.paired));
    }
    /// The shares of lower ranks come first.
    __device__ static unsigned shares_before(const StreamKSchedule& schedule) {
        return schedule.rank_of(blockIdx.x) * schedule.shares;
    }
    __device__ static float4* left_by(const PartialSums& partial, unsigned share) {
        return reinterpret_cast<float4*>(partial.d_sums) + static_cast<size_t>(share) * tile_pieces;
    }
    /// Adds part number `part` of the tile, of as many as there are shares, whose sums lie at `left` one after another.
    /// The order of a sum's terms depends on the number of shares and its place in the tile alone.
    template <typename Store>
    __device__ static void add_pieces(unsigned part, unsigned shares, const float4* left, float4* memory,
                                      unsigned thread, const Store& store) {
        const unsigned first = tile_pieces * part / shares, end = tile_pieces * (part + 1) / shares,
                       width = end - first;
        const auto store_piece = [&](unsigned piece, const T(&sums)[length]) {
            store(static_cast<int>(piece / threads), static_cast<int>(piece % threads), sums);
        };
        if (2 * width > threads) {  // a thread adds all shares' sums, of two pieces at once
            for (unsigned piece = first + thread; piece < end; piece += 2 * threads) {
                const unsigned pair[2] = {piece, piece + threads < end ? piece + threads : piece};
                T sums[2][length] = {};
                add_shares<4>(pair, sums, left, 0, 1, shares);
                store_piece(pair[0], sums[0]);
                if (pair[1] != pair[0]) store_piece(pair[1], sums[1]);
            }
            return;
        }
        if (width == 0) return;  // more shares than pieces
        // Teams of threads have all pieces each, and every teams-th share.
        const unsigned teams = threads / width, team = thread / width, piece[1] = {first + thread % width};
        T sums[1][length] = {};
        if (team < teams) add_shares<8>(piece, sums, left, team, teams, shares);
        memory[thread] = bits_of(sums[0]);
        barrier_among(partial_barrier, threads);  // all teams' sums are there
        if (team > 0) return;
        for (unsigned other = 1; other < teams; ++other) add_bits(sums[0], memory[other * width + thread]);
        store_piece(piece[0], sums[0]);
    }

    /// Adds to `sums` those of these pieces of every step-th share from `share` on, `at_once` shares at a time.
    template <unsigned at_once, int many>
    __device__ static void add_shares(const unsigned (&piece)[many], T (&sums)[many][length], const float4* left,
                                      unsigned share, unsigned step, unsigned shares) {
        for (; share < shares; share += at_once * step) {
            float4 more[at_once][many];
#pragma unroll
            for (unsigned i = 0; i < at_once; ++i)
                if (share + i * step < shares)
#pragma unroll
                    for (int p = 0; p < many; ++p)
                        more[i][p] = __ldcg(left + static_cast<size_t>(share + i * step) * tile_pieces + piece[p]);
#pragma unroll
            for (unsigned i = 0; i < at_once; ++i)
                if (share + i * step < shares)
#pragma unroll
                    for (int p = 0; p < many; ++p) add_bits(sums[p], more[i][p]);
        }
    }
};

}  // namespace BACKEND
