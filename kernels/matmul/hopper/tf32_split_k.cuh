// SPDX-License-Identifier: MIT
#pragma once
// Few rows of C in tf32 on Hopper's tensor cores, where the time is that of reading B:
//   matmul_hopper_tf32_split_k   removes, from the kernels for many rows, the rows of a tile that do not exist (in the
//                                transposed product, C' = B' A', a tile may have 16), and the idling of multiprocessors
//                                that get no tile. Split-K: the blocks of a cluster take parts of k for the same tile,
//                                then read each other's sums from shared memory; each adds and stores some rows
// A block is one consumer warpgroup, which multiplies tile_m x 64, and one producer warp, which loads tiles. 16-bit
// types have matmul_hopper_transposed for this.
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// The row length of a block's sums in shared memory, padded so that rows begin at different banks.
template <int tile_n>
constexpr int partial_row = tile_n + 4;

/// Adds `rows` rows, from `first_row` on, of all blocks' sums and stores them.
template <int tile_n>
__device__ inline void add_blocks(const float* partial, unsigned blocks, int first_row, int rows, float* c,
                                  int tile_row, int tile_column, int m, int n) {
    constexpr int fours = tile_n / 4;
    for (int i = static_cast<int>(threadIdx.x); i < rows * fours; i += static_cast<int>(blockDim.x)) {
        const int r = first_row + i / fours, x = i % fours * 4;
        const int row = tile_row + r, column = tile_column + x;
        if (row >= m || column >= n) continue;
        float4 total = {};
        for (unsigned block = 0; block < blocks; ++block) {
            const float4 more = load_from_block(partial + r * partial_row<tile_n> + x, block);
            total = make_float4(total.x + more.x, total.y + more.y, total.z + more.z, total.w + more.w);
        }
        store_four(c, n, row, column, m, n, total);
    }
}

/// Grid: tiles * `blocks`, the blocks of a cluster; block 160. A tile is tile_m x 64. Any m, n and k.
template <int tile_m, int stages>
__global__ void __launch_bounds__(160, 1)
    matmul_hopper_tf32_split_k(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                               float* c, int m, int n, int k, TileOrder order, unsigned blocks) {
#if HOPPER_CODE
    constexpr int tile_n = 64, consumers = 128;
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Pipeline::Shared*>(memory);
    const unsigned rank = blockIdx.x % blocks;
    const auto steps = static_cast<unsigned>((k + Pipeline::tile_k - 1) / Pipeline::tile_k);
    const int first_step = static_cast<int>(steps * rank / blocks),
              end_step = static_cast<int>(steps * (rank + 1) / blocks);
    typename Pipeline::Position position;
    unsigned tile_row = 0, tile_column = 0;
    order.place(blockIdx.x / blocks, tile_row, tile_column);
    const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;
    if (threadIdx.x == consumers) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
        Pipeline::init(shared, 1);
    }
    Pipeline::begin();

    auto* partial = reinterpret_cast<float*>(memory);
    if (threadIdx.x >= consumers) {
        if (is_elected_lane())
            Pipeline::produce(shared, position, MapPair{map_a, map_b}, row, column, first_step, end_step);
        __syncwarp();  // the cluster barrier below needs whole warps
    } else {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        float d[tile_m / 2] = {};
        for (int step = first_step; step < end_step; ++step, position.advance()) {
            const int stage = position.stage;
            barrier_wait(&shared.filled[stage], position.parity);
            TransposedOperand<float> operand;
            operand.load(shared.b[stage], warp, lane);
            const std::uint64_t a = decltype(operand)::OfA::descriptor(shared.a[stage]);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < 4; ++i) operand.multiply<tile_m>(d, i, a, 1);
            wgmma_commit();
            wgmma_wait<0>();  // takes a fraction of the time in which the next stage arrives
            wgmma_settle(d);
            Pipeline::release(shared, stage, threadIdx.x % 128);
        }
        barrier_among(1, consumers);  // all stages have been read: their memory is free for the sums
        float* target =
            partial + lane % 4 * 2 * partial_row<tile_n> + TransposedOperand<float>::first_column(warp, lane);
#pragma unroll
        for (int group = 0; group < tile_m / 8; ++group, target += 8 * partial_row<tile_n>) {
            target[0] = d[4 * group];
            target[partial_row<tile_n>] = d[4 * group + 1];
            target[TransposedOperand<float>::column_step] = d[4 * group + 2];
            target[partial_row<tile_n> + TransposedOperand<float>::column_step] = d[4 * group + 3];
        }
    }
    cluster_barrier();  // all blocks' sums are in shared memory
    const int rows = tile_m / static_cast<int>(blocks);
    add_blocks<tile_n>(partial, blocks, static_cast<int>(rank) * rows, rows, c, row, column, m, n);
    cluster_barrier();  // no block reads the shared memory of one that has exited
#endif
}

template <int tile_m_, int stages, int split_k_>
struct Tf32SplitKTile : HopperTile {
    using Element = float;
    static constexpr unsigned tile_m = tile_m_, tile_n = 64, split_k = split_k_;
    using Pipeline = HopperPipeline<float, tile_m_, 64, stages>;
    static_assert(tile_m * partial_row<64> * sizeof(float) <= stages * Pipeline::stage_bytes,
                  "the sums fit where the stages were");
    static_assert(tile_m % split_k == 0 && split_k <= 8, "each block of a cluster stores as many rows");

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        constexpr unsigned group = 8;
        const HopperOperands<float> operands(arguments);
        const TileOrder order{grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group};
        return launch_hopper(matmul_hopper_tf32_split_k<tile_m_, stages>, order.tiles() * split_k, 160,
                             sizeof(typename Pipeline::Shared), split_k, operands.stream(),
                             operands.map_a(tile_m, transposed_map_type<float>),
                             operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B, transposed_map_type<float>), arguments.d_c,
                             int(arguments.m), int(arguments.n), int(arguments.k), order, split_k);
    }
};

}  // namespace BACKEND
