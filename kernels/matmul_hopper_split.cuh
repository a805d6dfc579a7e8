#pragma once
// bf16 and f16 on Hopper for few tiles: small matrices, and those with few rows.
//   matmul_hopper_split   removes the idling of multiprocessors that get no tile: the blocks of a cluster take shares
//   of k for
//                         the same tile, then read each other's sums from shared memory, each adding and storing some
//                         rows
// A block is one warp that brings tiles and one or two warpgroups that multiply 64 x tile_n each.
#include "common/hopper_launch.cuh"
#include "common/hopper_pipeline.cuh"
#include "common/hopper_wgmma.cuh"
#include "common/matmul_arguments.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// One block's sums in shared memory, with rows a little longer so that they begin at different banks.
template <int tile_n> constexpr int partial_row = tile_n + 4;

/// Adds `rows` rows of all blocks' sums from `first_row` on and stores them as T.
template <typename T, int tile_n>
__device__ inline void add_blocks(const float* partial, unsigned blocks, int first_row, int rows, T* c, int tile_row,
                                  int tile_column, int m, int n) {
    constexpr int pieces = tile_n / 8; // of eight results: 16 bytes
    for (int i = static_cast<int>(threadIdx.x); i < rows * pieces; i += static_cast<int>(blockDim.x)) {
        const int r = first_row + i / pieces, x = i % pieces * 8;
        const int row = tile_row + r, column = tile_column + x;
        if (row >= m || column >= n) continue;
        float total[8] = {};
        for (unsigned block = 0; block < blocks; ++block) {
            const float4 low = load_from_block(partial + r * partial_row<tile_n> + x, block);
            const float4 high = load_from_block(partial + r * partial_row<tile_n> + x + 4, block);
            const float more[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
            for (int e = 0; e < 8; ++e) total[e] += more[e];
        }
        alignas(16) T results[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) results[e] = T(total[e]);
        T* target = c + static_cast<size_t>(row) * n + column;
        if (n % 8 == 0) {
            *reinterpret_cast<float4*>(target) = *reinterpret_cast<const float4*>(results);
        } else {
#pragma unroll
            for (int e = 0; e < 8; ++e)
                if (column + e < n) target[e] = results[e];
        }
    }
}

/// Grid: tiles x blocks of a cluster; block 128 per 64 rows of the tile, and 32 more.
template <typename T, int tile_m, int tile_n, int stages>
__global__ void __launch_bounds__(tile_m * 2 + 32, 1)
    matmul_hopper_split(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, T* c,
                        int m, int n, int k, TileOrder order, unsigned blocks) {
#if HOPPER_CODE
    using Pipeline = HopperPipeline<T, tile_m, tile_n, stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Pipeline::Shared*>(memory);
    const unsigned rank = blockIdx.x % blocks;
    const int steps = (k + Pipeline::tile_k - 1) / Pipeline::tile_k;
    const int first_step = static_cast<int>(steps * rank / blocks),
              end_step = static_cast<int>(steps * (rank + 1) / blocks);
    typename Pipeline::Position position;
    unsigned tile_row = 0, tile_column = 0;
    order.place(blockIdx.x / blocks, tile_row, tile_column);
    const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;

    constexpr unsigned multipliers = tile_m * 2;
    if (threadIdx.x == multipliers) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
        Pipeline::init(shared, tile_m / 64);
    }
    __syncthreads();

    auto* partial = reinterpret_cast<float*>(memory);
    if (threadIdx.x >= multipliers) {
        if (threadIdx.x == multipliers)
            Pipeline::produce(shared, position, map_a, map_b, row, column, first_step, end_step, 0);
        __syncwarp();
    } else {
        const unsigned consumer = threadIdx.x / 128, thread = threadIdx.x % 128, lane = thread % 32;
        float d[tile_n / 2];
#pragma unroll
        for (float& sum : d) sum = 0;
        int previous = 0;
        for (int step = first_step; step < end_step; ++step) {
            const int stage = position.stage;
            barrier_wait(&shared.filled[stage], position.parity);
            const std::uint64_t a = wgmma_operand(&shared.a[stage][consumer * 64 * 64], 16, 1024);
            const std::uint64_t b = wgmma_operand(shared.b[stage], 64 * 128, 1024);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < 4; ++i) Wgmma<T, tile_n>::multiply(d, a + i * 2, b + i * 128, 1);
            wgmma_commit();
            if (step > first_step) {
                wgmma_wait<1>(); // the group before this one has read its stage
                Pipeline::release(shared, previous, thread);
            }
            previous = stage;
            position.advance();
        }
        wgmma_wait<0>();
        barrier_among(1, multipliers); // all stages have been read: their memory is free for the sums
        const int r = static_cast<int>(consumer * 64 + thread / 32 * 16 + lane / 4), x = static_cast<int>(lane % 4) * 2;
#pragma unroll
        for (int j = 0; j < tile_n / 8; ++j) {
            *reinterpret_cast<float2*>(partial + r * partial_row<tile_n> + 8 * j + x) =
                make_float2(d[4 * j], d[4 * j + 1]);
            *reinterpret_cast<float2*>(partial + (r + 8) * partial_row<tile_n> + 8 * j + x) =
                make_float2(d[4 * j + 2], d[4 * j + 3]);
        }
    }
    cluster_barrier(); // all blocks' sums are there
    const int rows = tile_m / static_cast<int>(blocks);
    add_blocks<T, tile_n>(partial, blocks, static_cast<int>(rank) * rows, rows, c, row, column, m, n);
    cluster_barrier(); // nobody reads the shared memory of a block that has left
#endif
}

/// blocks: 1, 2, 4 or 8 per tile.
template <typename T, int tile_m, int tile_n, int stages>
LaunchShape launch_hopper_split(const MatmulArguments<T>& arguments, unsigned blocks, unsigned group = 8) {
    using Pipeline = HopperPipeline<T, tile_m, tile_n, stages>;
    static_assert(tile_m * partial_row<tile_n> * sizeof(float) <= stages * Pipeline::stage_bytes,
                  "the sums fit where the stages were");
    const HopperOperands<T> operands(arguments);
    const TileOrder order{grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group};
    return launch_hopper(matmul_hopper_split<T, tile_m, tile_n, stages>, order.tiles() * blocks, tile_m * 2 + 32,
                         sizeof(typename Pipeline::Shared), blocks, arguments.stream, operands.map_a(tile_m),
                         operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B), arguments.d_c, int(arguments.m), int(arguments.n),
                         int(arguments.k), order, blocks);
}

} // namespace BACKEND
