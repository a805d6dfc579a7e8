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
/// bytes, swizzled; B lies in square boxes of tile_k x tile_k side by side. With `blocks` = 2, two blocks of a cluster
/// work on tiles one above the other: each brings half of their common tile of B to both.
template <typename T, int tile_m_, int tile_n_, int stages_, int blocks_ = 1> struct HopperPipeline {
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, stages = stages_, blocks = blocks_;
    static constexpr int tile_k = 128 / sizeof(T);
    static constexpr int boxes = tile_n / tile_k;
    static constexpr unsigned stage_bytes = (tile_m + tile_n) * 128;
    static_assert(boxes % blocks == 0, "each block of the cluster brings as many boxes of B");
    static_assert(tile_m % 8 == 0 && tile_m <= 256, "A's tile is one box");

    struct Shared {
        alignas(1024) T a[stages][tile_m * tile_k];
        alignas(1024) T b[stages][boxes][tile_k * tile_k];
        std::uint64_t filled[stages], emptied[stages];
    };
    using Position = RingPosition<stages>;

    /// `consumers`: how many arrivals empty a stage, in each block of the cluster. By one thread, then a barrier.
    __device__ static void init(Shared& shared, unsigned consumers) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(&shared.filled[stage], 1);
            barrier_init(&shared.emptied[stage], consumers * blocks);
        }
        fence_barrier_init();
    }

    /// Brings the stages [first_stage, end_stage) along k of the tile whose corner is (row, column) of C. By one
    /// thread.
    __device__ static void produce(Shared& shared, Position& position, const CUtensorMap& map_a,
                                   const CUtensorMap& map_b, int row, int column, int first_stage, int end_stage,
                                   unsigned rank) {
        constexpr int boxes_here = boxes / blocks;
        for (int step = first_stage; step < end_stage; ++step, position.advance()) {
            const int stage = position.stage;
            std::uint64_t* filled = &shared.filled[stage];
            barrier_wait(&shared.emptied[stage], position.parity ^ 1); // a fresh barrier counts as emptied
            barrier_arrive_and_expect(filled, stage_bytes);
            copy_box_in(shared.a[stage], map_a, filled, step * tile_k, row);
#pragma unroll
            for (int i = 0; i < boxes_here; ++i) {
                const int box = i + static_cast<int>(rank) * boxes_here;
                T* target = shared.b[stage][box];
                if (blocks == 1) copy_box_in(target, map_b, filled, column + box * tile_k, step * tile_k);
                else
                    copy_box_to_blocks(target, map_b, filled, column + box * tile_k, step * tile_k, (1U << blocks) - 1);
            }
        }
    }

    /// Tells every producer that writes to this stage that one consumer is done with it. `thread`: 0 for one thread of
    /// the consumer, 1 for a second one; others do nothing.
    __device__ static void release(Shared& shared, int stage, unsigned thread) {
        if (blocks == 1) {
            if (thread == 0) barrier_arrive(&shared.emptied[stage]);
        } else if (thread < blocks) {
            barrier_arrive_at(&shared.emptied[stage], thread);
        }
    }
};

} // namespace BACKEND
