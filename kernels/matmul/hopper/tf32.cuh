#pragma once
// f32 inputs on Hopper's tensor cores as tf32 (10 bits of fraction, rounded to nearest by TMA):
//   matmul_hopper_tf32   removes, from matmul_wmma, the same costs as matmul_hopper_mma does, with one difference: in
//                        tf32 the tensor cores cannot read an operand in shared memory whose rows run along n, as B's
//                        do. So it computes the transposed product, C' = B' A': B' is now the first operand, which may
//                        come from registers, and each lane loads the elements of B that it needs
// The larger tiles have more rows than columns: only B's elements must be loaded into registers, and each serves all
// rows. Stream-K shares small tiles along k among as many blocks as is worthwhile. Sums are in f32.
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// The ring, and boxes of 32 x 32 outgoing results: one or two for each pair of warps, which has 32 columns.
template <int tile_m, int warpgroups, int stages>
struct HopperTf32Shared {
    using Pipeline = HopperPipeline<float, tile_m, 64 * warpgroups, stages>;
    static constexpr size_t box_bytes = 32 * 32 * sizeof(float);
    static constexpr size_t bytes_with_two = sizeof(typename Pipeline::Shared) + 4 * warpgroups * box_bytes;
    static constexpr int boxes = bytes_with_two <= most_shared_bytes ? 2 : 1;

    typename Pipeline::Shared ring;
    alignas(1024) float c[2 * warpgroups][boxes][32 * 32];
};

/// Stores a pair of warps' sums through shared memory, 32 rows at a time: TMA writes whole lines while the warps
/// already multiply the next tile. (row, column): the pair's corner of C. Not for tiles of fewer than 32 rows.
template <int tile_m, int count, typename Product>
__device__ inline void copy_out(const float (&d)[tile_m / 2], float (&boxes)[count][32 * 32], const CUtensorMap& map_c,
                                int row, int column, Product product, int warp, int lane) {
    constexpr unsigned threads = 64;
    const unsigned pair_barrier = partial_barrier + 1 + static_cast<unsigned>(warp) / 2;
    const int piece = TransposedOperand<float>::piece(warp, lane);
    const bool leader = threadIdx.x % threads == 0, second_first = lane / 8 % 2 != 0;
#pragma unroll
    for (int rows = 0; rows < tile_m / 32; ++rows) {
        float* box = boxes[rows % count];
        if (leader) wait_copies_out_read<count - 1>();  // TMA has read what was last in this box
        barrier_among(pair_barrier, threads);           // both warps may overwrite it
#pragma unroll
        for (int group = 0; group < 4; ++group)
#pragma unroll
            for (int odd = 0; odd < 2; ++odd) {  // half the lanes begin with their second row: no bank conflicts
                const float* sums = d + 16 * rows + 4 * group;
                const int r = lane % 4 * 2 + (second_first ? 1 - odd : odd);
                const float2 pair =
                    second_first ? make_float2(sums[1 - odd], sums[3 - odd]) : make_float2(sums[odd], sums[2 + odd]);
                float* target = box + (8 * group + r) * 32 + (piece ^ r) * 4 + lane / 4 % 2 * 2;
                *reinterpret_cast<float2*>(target) = pair;
            }
        fence_shared_for_copies();
        barrier_among(pair_barrier, threads);  // the box is complete
        if (leader) {
            copy_box_out(map_c, box, column, row + 32 * rows, product);
            commit_copies_out();
        }
    }
}

/// Grid: at most one block per multiprocessor. Block 128 for the producer plus 128 per warpgroup that multiplies. A
/// tile is tile_m x (64 * warpgroups). `many`: for the products of a batch, whose Cs are stride_c elements apart.
template <int tile_m, int warpgroups, int stages, bool stream_k, bool many>
__global__ void __launch_bounds__(128 + 128 * warpgroups, 1)
    matmul_hopper_tf32(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                       const __grid_constant__ CUtensorMap map_c, float* c, size_t stride_c, int m, int n,
                       TileOrder order, StreamKSchedule schedule, PartialSums partial, bool tma_store) {
#if HOPPER_CODE
    constexpr int tile_n = 64 * warpgroups;
    constexpr bool large = tile_m * warpgroups > 256;  // more sums than an equal part of the registers holds
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& all_shared = *reinterpret_cast<HopperTf32Shared<tile_m, warpgroups, stages>*>(memory);
    auto& shared = all_shared.ring;
    typename Pipeline::Position position;
    Pipeline::begin(shared, map_a, map_b, warpgroups);

    TileSegment segment;
    if (threadIdx.x < 128) {
        if (large) give_up_registers<40>();
        if (threadIdx.x > 0) return;
        produce_segments<Pipeline, stream_k, many>(shared, map_a, map_b, order, schedule);
        return;
    }
    if (large) take_registers<232>();
    const int warp = static_cast<int>(threadIdx.x) / 32 - 4, lane = static_cast<int>(threadIdx.x) % 32;
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, segment); ++index) {
        float d[tile_m / 2];
        TransposedOperand<float> operands[2];  // one is multiplied while the other is loaded
        int previous = 0;
        for (int first = segment.first; first < segment.end; first += 2) {
#pragma unroll
            for (int odd = 0; odd < 2; ++odd) {
                const int step = first + odd;
                if (step >= segment.end) break;
                const int stage = position.stage;
                barrier_wait(&shared.filled[stage], position.parity);
                operands[odd].load(shared.b[stage], warp, lane);
                const std::uint64_t a = wgmma_operand(shared.a[stage], 16, 1024);
                wgmma_fence();
#pragma unroll
                for (int i = 0; i < 4; ++i)  // 32 bytes of A's rows
                    operands[odd].multiply<tile_m>(d, i, a + i * 2, step > segment.first || i > 0);
                wgmma_commit();
                if (step > segment.first) {
                    wgmma_wait<1>();  // the previous group is done with its stage and its operand
                    Pipeline::release(shared, previous, threadIdx.x % 128);
                }
                previous = stage;
                position.advance();
            }
        }
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared, previous, threadIdx.x % 128);
        if constexpr (stream_k)
            if (!complete_tile<128 * warpgroups>(d, segment, schedule, partial)) continue;
        unsigned tile_row = 0, tile_column = 0;
        ProductNumber<many> product{};
        order.place(segment.tile, tile_row, tile_column, product);
        const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;
        if (tile_m % 32 == 0 && tma_store) {
            copy_out<tile_m>(d, all_shared.c[warp / 2], map_c, row, column + warp / 2 * 32, product, warp, lane);
        } else {
            store_transposed<tile_m>(matrix_of(product, c, stride_c), row + lane % 4 * 2,
                                     column + TransposedOperand<float>::first_column(warp, lane), m, n, d);
        }
    }
    if (threadIdx.x % 64 == 0) wait_copies_out_read<0>();  // shared memory must outlive the copies that read it
#endif
}

template <int tile_m_, int warpgroups, int stages, bool stream_k_, bool batch = false>
struct Tf32Tile : HopperTile {
    using Element = float;
    static constexpr unsigned tile_m = tile_m_, tile_n = 64 * warpgroups;
    static constexpr bool stream_k = stream_k_, takes_batch = batch;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments, const StreamKCost& cost) {
        constexpr unsigned group = 6;
        const HopperOperands<float> operands(arguments);
        const TileOrder order = order_of(arguments, tile_m, tile_n, group);
        const StreamKSchedule schedule = schedule_of(arguments, order, cost);
        const CUtensorMap map_a = operands.map_a(tile_m, transposed_map_type<float>),
                          map_b = operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B, transposed_map_type<float>);
        const bool tma_store = tile_m % 32 == 0 && rows_are_aligned(arguments.d_c, arguments.n);
        const CUtensorMap map_c = tma_store ? map_of_c(arguments, 32, 32) : map_b;  // not used
        return launch_hopper(
            kernel_of<batch>(arguments, matmul_hopper_tf32<tile_m_, warpgroups, stages, stream_k_, false>,
                             matmul_hopper_tf32<tile_m_, warpgroups, stages, stream_k_, batch>),
            stream_k_grid(schedule, arguments.multiprocessors), 128 + 128 * warpgroups,
            sizeof(HopperTf32Shared<tile_m_, warpgroups, stages>), 1, arguments.stream, map_a, map_b, map_c,
            arguments.d_c, arguments.stride_c, int(arguments.m), int(arguments.n), order, schedule,
            partial_sums(arguments), tma_store);
    }
};

}  // namespace BACKEND
