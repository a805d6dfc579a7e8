#pragma once
// Few rows of C on Hopper's tensor cores, where reading B is all that matters:
//   matmul_hopper_split   removes, from the kernels for many rows, the rows of a tile that do not exist (computed the
//                         other way round, C' = B' A', it may have 16), and the idling of multiprocessors that get no
//                         tile: the blocks of a cluster take shares of k for the same tile, then read each other's
//                         sums from shared memory, each adding and storing some rows
// A block is one or more warpgroups that multiply tile_m x 64 each (one in every tile in use) and one warp that brings
// tiles. 16-bit types have matmul_hopper_swapped for this.
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/swapped_operands.cuh"
#include "kernels/matmul/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// One block's sums in shared memory, with rows a little longer so that they begin at different banks.
template <int tile_n> constexpr int partial_row = tile_n + 4;

/// Adds `rows` rows of all blocks' sums from `first_row` on and stores them as T.
template <typename T, int tile_n>
__device__ inline void add_blocks(const float* partial, unsigned blocks, int first_row, int rows, T* c, int tile_row,
                                  int tile_column, int m, int n) {
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
        alignas(16) const T results[4] = {T(total.x), T(total.y), T(total.z), T(total.w)};
        T* target = c + static_cast<size_t>(row) * n + column;
        if (n % 4 == 0) {
            using Four = std::conditional_t<sizeof(T) == 4, float4, float2>;
            *reinterpret_cast<Four*>(target) = *reinterpret_cast<const Four*>(results);
        } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (column + e < n) target[e] = results[e];
        }
    }
}

/// Grid: tiles x blocks of a cluster; block 128 per 64 columns of the tile, and 32 more.
template <typename T, int tile_m, int warpgroups, int stages>
__global__ void __launch_bounds__(128 * warpgroups + 32, 1)
    matmul_hopper_split(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, T* c,
                        int m, int n, int k, TileOrder order, unsigned blocks) {
#if HOPPER_CODE
    constexpr int tile_n = 64 * warpgroups, multipliers = 128 * warpgroups;
    using Pipeline = HopperPipeline<T, tile_m, tile_n, stages>;
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
    if (threadIdx.x == multipliers) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
        Pipeline::init(shared, warpgroups);
    }
    __syncthreads();

    auto* partial = reinterpret_cast<float*>(memory);
    if (threadIdx.x >= multipliers) {
        if (threadIdx.x == multipliers)
            Pipeline::produce(shared, position, map_a, map_b, row, column, first_step, end_step);
        __syncwarp();
    } else {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        float d[tile_m / 2] = {};
        for (int step = first_step; step < end_step; ++step, position.advance()) {
            const int stage = position.stage;
            barrier_wait(&shared.filled[stage], position.parity);
            SwappedOperand<T> operand;
            operand.load(shared.b[stage], warp, lane);
            const std::uint64_t a = wgmma_operand(shared.a[stage], 16, 1024);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < 4; ++i) operand.template multiply<tile_m>(d, i, a + i * 2, 1);
            wgmma_commit();
            wgmma_wait<0>(); // it takes a fraction of the time that the next stage takes to come
            wgmma_settle(d);
            Pipeline::release(shared, stage, threadIdx.x % 128);
        }
        barrier_among(1, multipliers); // all stages have been read: their memory is free for the sums
        float* target = partial + lane % 4 * 2 * partial_row<tile_n> + SwappedOperand<T>::first_column(warp, lane);
#pragma unroll
        for (int group = 0; group < tile_m / 8; ++group, target += 8 * partial_row<tile_n>) {
            target[0] = d[4 * group];
            target[partial_row<tile_n>] = d[4 * group + 1];
            target[SwappedOperand<T>::column_step] = d[4 * group + 2];
            target[partial_row<tile_n> + SwappedOperand<T>::column_step] = d[4 * group + 3];
        }
    }
    cluster_barrier(); // all blocks' sums are there
    const int rows = tile_m / static_cast<int>(blocks);
    add_blocks<T, tile_n>(partial, blocks, static_cast<int>(rank) * rows, rows, c, row, column, m, n);
    cluster_barrier(); // nobody reads the shared memory of a block that has left
#endif
}

/// blocks: 1, 2, 4 or 8 per tile.
template <typename T, int tile_m, int warpgroups, int stages>
LaunchShape launch_hopper_split(const MatmulArguments<T>& arguments, unsigned blocks) {
    constexpr int tile_n = 64 * warpgroups;
    constexpr unsigned group = 8;
    using Pipeline = HopperPipeline<T, tile_m, tile_n, stages>;
    static_assert(tile_m * partial_row<tile_n> * sizeof(float) <= stages * Pipeline::stage_bytes,
                  "the sums fit where the stages were");
    const HopperOperands<T> operands(arguments);
    const TileOrder order{grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group};
    return launch_hopper(matmul_hopper_split<T, tile_m, warpgroups, stages>, order.tiles() * blocks,
                         128 * warpgroups + 32, sizeof(typename Pipeline::Shared), blocks, arguments.stream,
                         operands.map_a(tile_m, swapped_map_type<T>),
                         operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B, swapped_map_type<T>), arguments.d_c,
                         int(arguments.m), int(arguments.n), int(arguments.k), order, blocks);
}

} // namespace BACKEND
