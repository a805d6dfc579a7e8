#pragma once
// f32 inputs on Hopper's tensor cores as tf32 (10 bits of fraction, rounded to nearest by the copy engine):
//   matmul_hopper_tf32   the kernel for 16-bit types, changed in one point: in tf32 the tensor cores cannot read an
//                        operand in shared memory whose rows run along n, as B's do. So it computes the transpose,
//                        C' = B' A': now B' is the first operand, which may come from registers, and each lane loads
//                        the elements of B that it needs
// The larger tiles have more rows than columns: only B's elements have to be loaded into registers, and each serves all
// rows. Sums are in f32.
#include "common/hopper_launch.cuh"
#include "common/hopper_pipeline.cuh"
#include "common/hopper_shares.cuh"
#include "common/hopper_swapped.cuh"
#include "common/matmul_arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Grid: at most one block per multiprocessor. Block 128 + 128 per warpgroup that multiplies. A tile is tile_m x 64
/// columns for each of these.
template <int tile_m, int warpgroups, int stages, bool may_share>
__global__ void __launch_bounds__(128 + 128 * warpgroups, 1)
    matmul_hopper_tf32(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* c,
                       int m, int n, TileOrder order, TileShares shares, PartialSums partial) {
#if HOPPER_CODE
    constexpr int tile_n = 64 * warpgroups;
    constexpr bool large = tile_m * warpgroups > 256;
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Pipeline::Shared*>(memory);
    typename Pipeline::Position position;
    if (threadIdx.x == 0) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
        Pipeline::init(shared, warpgroups);
    }
    __syncthreads();

    TileSegment segment;
    if (threadIdx.x < 128) {
        if (large) give_up_registers<40>();
        if (threadIdx.x > 0) return;
        for (unsigned index = 0; find_segment<may_share>(shares, index, segment); ++index) {
            unsigned tile_row = 0, tile_column = 0;
            order.place(segment.tile, tile_row, tile_column);
            Pipeline::produce(shared, position, map_a, map_b, static_cast<int>(tile_row) * tile_m,
                              static_cast<int>(tile_column) * tile_n, segment.first, segment.end);
        }
        return;
    }
    if (large) take_registers<232>();
    const int warp = static_cast<int>(threadIdx.x) / 32 - 4, lane = static_cast<int>(threadIdx.x) % 32;
    for (unsigned index = 0; find_segment<may_share>(shares, index, segment); ++index) {
        float d[tile_m / 2];
        SwappedOperand<float> operands[2]; // one is multiplied while the other is loaded
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
                for (int i = 0; i < 4; ++i) // 32 bytes of A's rows
                    operands[odd].multiply<tile_m>(d, i, a + i * 2, step > segment.first || i > 0);
                wgmma_commit();
                if (step > segment.first) {
                    wgmma_wait<1>(); // the group before this one is done with its stage and its operand
                    Pipeline::release(shared, previous, threadIdx.x % 128);
                }
                previous = stage;
                position.advance();
            }
        }
        wgmma_wait<0>();
        Pipeline::release(shared, previous, threadIdx.x % 128);
        if constexpr (may_share)
            if (!complete_tile<128 * warpgroups>(d, segment, shares, partial)) continue;
        unsigned tile_row = 0, tile_column = 0;
        order.place(segment.tile, tile_row, tile_column);
        const int column = SwappedOperand<float>::first_column(warp, lane);
        store_swapped<tile_m>(c, static_cast<int>(tile_row) * tile_m + lane % 4 * 2,
                              static_cast<int>(tile_column) * tile_n + column, m, n, d);
    }
#endif
}

template <int tile_m, int warpgroups, int stages, bool may_share>
LaunchShape launch_hopper_tf32(const MatmulArguments<float>& arguments, unsigned group = 4) {
    constexpr int tile_n = 64 * warpgroups;
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages>;
    const HopperOperands<float> operands(arguments);
    const TileOrder order{grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group};
    const TileShares shares = tile_shares(order.tiles(), arguments.k, Pipeline::tile_k, arguments.multiprocessors,
                                          may_share ? tensor_core_sharing : no_sharing);
    const CUtensorMap map_a = operands.map_a(tile_m, swapped_map_type<float>),
                      map_b = operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B, swapped_map_type<float>);
    return launch_hopper(matmul_hopper_tf32<tile_m, warpgroups, stages, may_share>,
                         shares_grid(shares, arguments.multiprocessors), 128 + 128 * warpgroups,
                         sizeof(typename Pipeline::Shared), 1, arguments.stream, map_a, map_b, arguments.d_c,
                         int(arguments.m), int(arguments.n), order, shares, partial_sums(arguments));
}

} // namespace BACKEND
