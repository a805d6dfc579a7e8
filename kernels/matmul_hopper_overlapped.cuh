#pragma once
// bf16 and f16 on Hopper's tensor cores, for matrices of many tiles:
//   matmul_hopper_overlapped   removes, from matmul_hopper_mma, the pause after each tile in which the tensor cores wait
//                              until its results have left (2700 cycles beside 65536 for k = 4096). Rounded to 16 bits
//                              the results need half the registers of their sums, so that the next tile's sums have
//                              room beside them: its multiplications begin at once, and a quarter of the results
//                              leaves during each of its first four stages
// Each warp stores by itself, without waiting for the others of its warpgroup: a box of 16 rows x 64 columns at a time.
#include "common/hopper_launch.cuh"
#include "common/hopper_pipeline.cuh"
#include "common/hopper_shares.cuh"
#include "common/hopper_wgmma.cuh"
#include "common/matmul_arguments.cuh"
#include "kernels/matmul_hopper_mma.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

struct OverlappedShape {
    static constexpr int tile_m = 128, tile_n = 256, stages = 4;
    static constexpr int box_rows = 16, box_columns = 64, boxes = tile_n / box_columns; // of a warp's results
};

template <typename T> struct HopperOverlappedShared {
    using Shape = OverlappedShape;
    typename HopperPipeline<T, Shape::tile_m, Shape::tile_n, Shape::stages>::Shared ring;
    alignas(1024) T results[Shape::tile_m / Shape::box_rows][Shape::box_rows * Shape::box_columns]; // a box a warp
};

/// A warp's finished results, two to a register, and how many of their boxes are still to be stored.
struct WaitingResults {
    using Shape = OverlappedShape;
    std::uint32_t pairs[Shape::boxes][16];
    int row = 0, column = 0, waiting = 0;

    template <typename T> __device__ void take(const float (&sums)[Shape::tile_n / 2], int tile_row, int tile_column, T) {
#pragma unroll
        for (int i = 0; i < Shape::tile_n / 4; ++i) pairs[i / 16][i % 16] = pack_pair(sums[2 * i], sums[2 * i + 1], T{});
        row = tile_row;
        column = tile_column;
        waiting = Shape::boxes;
    }

    /// Stores the next box through `memory`, if there is one. By whole warps.
    template <typename T> __device__ void store_next(const CUtensorMap& map_c, T* memory, int lane) {
        if (waiting == 0) return;
        const int next = Shape::boxes - waiting--;
#pragma unroll
        for (int box = 0; box < Shape::boxes; ++box) // registers have no index
            if (box == next) store(pairs[box], column + box * Shape::box_columns, map_c, memory, lane);
    }

private:
    template <typename T>
    __device__ void store(const std::uint32_t (&four_pairs)[16], int box_column, const CUtensorMap& map_c, T* memory,
                          int lane) const {
        if (lane == 0) wait_copies_out_read<0>(); // the box before has left
        __syncwarp();
        const int fragment_row = lane / 8 % 2 * 8 + lane % 8;
#pragma unroll
        for (int i = 0; i < 4; ++i) { // 16 columns: matrices left top, left bottom, right top, right bottom
            const int piece = (2 * i + lane / 16) ^ (fragment_row % 8);
            store_matrices(memory + fragment_row * Shape::box_columns + piece * 8, four_pairs[4 * i],
                           four_pairs[4 * i + 1], four_pairs[4 * i + 2], four_pairs[4 * i + 3]);
        }
        fence_shared_for_copies();
        __syncwarp();
        if (lane != 0) return;
        copy_box_out(map_c, memory, box_column, row);
        commit_copies_out();
    }
};

/// Grid: at most one block per multiprocessor. Block 384: a warpgroup that brings tiles and two that multiply.
template <typename T, bool may_share>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_overlapped(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                             const __grid_constant__ CUtensorMap map_c, TileOrder order, TileShares shares,
                             PartialSums partial) {
#if HOPPER_CODE
    using Shape = OverlappedShape;
    using Pipeline = HopperPipeline<T, Shape::tile_m, Shape::tile_n, Shape::stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperOverlappedShared<T>*>(memory);
    typename Pipeline::Position position;
    if (threadIdx.x == 0) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
        Pipeline::init(shared.ring, 2);
    }
    __syncthreads();

    TileSegment segment;
    unsigned tile_row = 0, tile_column = 0;
    if (threadIdx.x < 128) {
        give_up_registers<40>();
        if (threadIdx.x > 0) return;
        bring_segments<Pipeline, may_share>(shared.ring, map_a, map_b, order, shares);
        return;
    }
    take_registers<232>();
    const int consumer = static_cast<int>(threadIdx.x) / 128 - 1, warp = static_cast<int>(threadIdx.x) / 32 - 4,
              lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned thread = threadIdx.x % 128;
    T* box = shared.results[warp];
    WaitingResults results;
    for (unsigned index = 0; find_segment<may_share>(shares, index, segment); ++index) {
        float d[Shape::tile_n / 2];
        int previous = 0;
        for (int step = segment.first; step < segment.end; ++step) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            const std::uint64_t a = wgmma_operand(&shared.ring.a[stage][consumer * 64 * 64], 16, 1024);
            const std::uint64_t b = wgmma_operand(shared.ring.b[stage], 64 * 128, 1024);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < 4; ++i) // 16 along k: 32 bytes of A's rows, 16 rows of B; addresses in 16 bytes
                Wgmma<T, Shape::tile_n>::multiply(d, a + i * 2, b + i * 128, step > segment.first || i > 0);
            wgmma_commit();
            results.store_next(map_c, box, lane); // of the tile before, while this one is multiplied
            if (step > segment.first) {
                wgmma_wait<1>(); // the group before this one has read its stage
                Pipeline::release(shared.ring, previous, thread);
            }
            previous = stage;
            position.advance();
        }
        while (results.waiting > 0) results.store_next(map_c, box, lane);
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared.ring, previous, thread);
        if constexpr (may_share)
            if (!complete_tile<256>(d, segment, shares, partial)) continue;
        order.place(segment.tile, tile_row, tile_column);
        results.take(d, static_cast<int>(tile_row) * Shape::tile_m + warp * Shape::box_rows,
                     static_cast<int>(tile_column) * Shape::tile_n, T{});
    }
    while (results.waiting > 0) results.store_next(map_c, box, lane);
    if (lane == 0) wait_copies_out_read<0>(); // shared memory outlives the copies that read it
#endif
}

template <typename T, bool may_share>
LaunchShape launch_hopper_overlapped(const MatmulArguments<T>& arguments, unsigned group = 8) {
    using Shape = OverlappedShape;
    if (!rows_are_aligned(arguments.d_c, arguments.n)) // the copy engine cannot store them
        return launch_hopper_mma<T, Shape::tile_m, Shape::tile_n, Shape::stages>(arguments, group);
    const HopperOperands<T> operands(arguments, true);
    const TileOrder order{grid_for(arguments.m, Shape::tile_m), grid_for(arguments.n, Shape::tile_n), group};
    const TileShares shares = tile_shares(order.tiles(), arguments.k, 64, arguments.multiprocessors,
                                          may_share ? tensor_core_sharing : no_sharing);
    return launch_hopper(matmul_hopper_overlapped<T, may_share>, shares_grid(shares, arguments.multiprocessors), 384,
                         sizeof(HopperOverlappedShared<T>), 1, arguments.stream, operands.map_a(Shape::tile_m),
                         operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B),
                         tensor_map(arguments.d_c, arguments.m, arguments.n, arguments.n, Shape::box_rows,
                                    Shape::box_columns, CU_TENSOR_MAP_SWIZZLE_128B),
                         order, shares, partial_sums(arguments));
}

} // namespace BACKEND
