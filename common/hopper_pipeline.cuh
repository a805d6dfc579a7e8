#pragma once
// The ring of shared-memory stages between Hopper's copy engine and the warps that multiply: one thread asks for tiles
// of A and B, `filled` tells the consumers that a stage has come, `emptied` tells the producer that they are done with
// it.
#include "common/hopper_async.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// Position in the ring. Both sides walk it in the same order, so neither tells the other where it is.
template <int stages> struct RingPosition {
    int stage = 0;
    unsigned parity = 0;
    __device__ void advance() {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/// One stage holds tile_m x tile_k of A and tile_k x tile_n of B, tile_k elements being 128 bytes. A's rows are 128
/// bytes, swizzled; B lies in boxes of tile_k x box_n side by side: square, as swizzled ones must be, or fewer.
template <typename T, int tile_m_, int tile_n_, int stages_, int box_n_ = 128 / sizeof(T)> struct HopperPipeline {
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, stages = stages_, box_n = box_n_;
    static constexpr int tile_k = 128 / sizeof(T);
    static constexpr int boxes = tile_n / box_n;
    static constexpr unsigned stage_bytes = (tile_m + tile_n) * 128;
    static_assert(tile_m % 8 == 0 && tile_m <= 256, "A's tile is one box");
    static_assert(tile_n % box_n == 0 && box_n <= 256, "B's tile is whole boxes");

    struct Shared {
        alignas(1024) T a[stages][tile_m * tile_k];
        alignas(1024) T b[stages][boxes][tile_k * box_n];
        std::uint64_t filled[stages], emptied[stages];
    };
    using Position = RingPosition<stages>;

    /// `consumers`: how many arrivals empty a stage. By one thread, then a barrier.
    __device__ static void init(Shared& shared, unsigned consumers) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(&shared.filled[stage], 1);
            barrier_init(&shared.emptied[stage], consumers);
        }
        fence_barrier_init();
    }

    /// Brings the stages [first_stage, end_stage) along k of the tile whose corner is (row, column) of C. By one
    /// thread.
    __device__ static void produce(Shared& shared, Position& position, const CUtensorMap& map_a,
                                   const CUtensorMap& map_b, int row, int column, int first_stage, int end_stage) {
        for (int step = first_stage; step < end_stage; ++step, position.advance())
            bring(shared, position, map_a, map_b, row, column, step);
    }

    /// Brings one of them.
    __device__ static void bring(Shared& shared, const Position& position, const CUtensorMap& map_a,
                                 const CUtensorMap& map_b, int row, int column, int step) {
        const int stage = position.stage;
        std::uint64_t* filled = &shared.filled[stage];
        barrier_wait(&shared.emptied[stage], position.parity ^ 1); // a fresh barrier counts as emptied
        barrier_arrive_and_expect(filled, stage_bytes);
        copy_box_in(shared.a[stage], map_a, filled, step * tile_k, row);
#pragma unroll
        for (int box = 0; box < boxes; ++box)
            copy_box_in(shared.b[stage][box], map_b, filled, column + box * box_n, step * tile_k);
    }

    /// Tells the producer that one consumer is done with this stage; its thread 0 does.
    __device__ static void release(Shared& shared, int stage, unsigned thread) {
        if (thread == 0) barrier_arrive(&shared.emptied[stage]);
    }
};

} // namespace BACKEND
