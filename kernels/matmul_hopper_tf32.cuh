#pragma once
// f32 inputs on Hopper's tensor cores as tf32 (10 bits of fraction, rounded to nearest by the copy engine):
//   matmul_hopper_tf32   the kernel for 16-bit types, changed in one point: in tf32 the tensor cores cannot read an
//   operand in
//                        shared memory whose rows run along n, as B's do. So it computes the transpose, C' = B' A': now
//                        B' is the first operand, which may come from registers, and each lane loads the elements of B
//                        that it needs
// A lane's 16-byte load brings four neighbours along n; they are dealt to the rows 4 l / 4 .. of two instructions, so
// that each lane ends up with four neighbouring results and stores them at once. Sums are in f32.
#include "common/hopper_launch.cuh"
#include "common/hopper_pipeline.cuh"
#include "common/hopper_wgmma.cuh"
#include "common/matmul_arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// One stage's elements of B for this lane: [step of 8 along k][instruction][its four values].
struct Tf32Fragments {
    std::uint32_t values[4][2][4];

    /// box: 32 x 32 elements of B, rows along n, swizzled. Lane l reads rows l % 4 and l % 4 + 4 of every eight, the
    /// four columns from 4 (l / 4) on: all 32 banks, four times.
    __device__ void load(const float* box, unsigned lane) {
        const unsigned piece = lane / 4;
#pragma unroll
        for (int step = 0; step < 4; ++step) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const unsigned row = lane % 4 + 4 * half;
                const auto four = *reinterpret_cast<const uint4*>(box + (8 * step + row) * 32 + (piece ^ row) * 4);
                values[step][0][2 * half] = four.x;
                values[step][0][2 * half + 1] = four.y;
                values[step][1][2 * half] = four.z;
                values[step][1][2 * half + 1] = four.w;
            }
        }
    }
};

/// Stores 128 columns x 128 rows of C: lane l has, for every eight rows, columns 4 (l / 4) .. + 3 of the warp's 32 in
/// rows 2 (l % 4) and the next.
__device__ inline void store_tf32_tile(const float (&d)[2][64], float* c, int row, int column, int m, int n,
                                       unsigned lane) {
    const int first_column = column + static_cast<int>(lane / 4) * 4;
    const bool whole = n % 4 == 0 && first_column + 4 <= n;
#pragma unroll
    for (int group = 0; group < 16; ++group) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            const int r = row + 8 * group + 2 * static_cast<int>(lane % 4) + odd, i = 4 * group + odd;
            if (r >= m) continue;
            float* target = c + static_cast<size_t>(r) * n + first_column;
            if (whole) {
                *reinterpret_cast<float4*>(target) = make_float4(d[0][i], d[0][i + 2], d[1][i], d[1][i + 2]);
            } else {
                if (first_column < n) target[0] = d[0][i];
                if (first_column + 1 < n) target[1] = d[0][i + 2];
                if (first_column + 2 < n) target[2] = d[1][i];
                if (first_column + 3 < n) target[3] = d[1][i + 2];
            }
        }
    }
}

/// Grid: as many blocks as multiprocessors, or fewer, in clusters of `blocks`; block 384. A tile is 128 x 256.
template <int stages, int blocks>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_tf32(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* c,
                       int m, int n, int k, TileOrder order) {
#if HOPPER_CODE
    using Pipeline = HopperPipeline<float, 128, 256, stages, blocks>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Pipeline::Shared*>(memory);
    const unsigned rank = blocks > 1 ? cluster_rank() : 0;
    const unsigned warpgroup = threadIdx.x / 128, thread = threadIdx.x % 128, lane = threadIdx.x % 32;
    const int steps = (k + Pipeline::tile_k - 1) / Pipeline::tile_k;
    typename Pipeline::Position position;

    if (threadIdx.x == 0) Pipeline::init(shared, 2);
    if (blocks > 1) cluster_barrier_relaxed(); // the other block's barriers are ready too
    else __syncthreads();

    if (warpgroup == 0) {
        give_up_registers<24>();
        if (threadIdx.x == 0) {
            for (unsigned tile = blockIdx.x / blocks; tile < order.tiles(); tile += gridDim.x / blocks) {
                unsigned tile_row = 0, tile_column = 0;
                order.place(tile, tile_row, tile_column);
                const int row = static_cast<int>(tile_row * blocks + rank) * 128,
                          column = static_cast<int>(tile_column) * 256;
                Pipeline::produce(shared, position, map_a, map_b, row, column, 0, steps, rank);
            }
        }
        __syncwarp();
    } else {
        take_registers<240>();
        const unsigned box = (warpgroup - 1) * 4 + thread / 32; // this warp's 32 columns of the tile
        for (unsigned tile = blockIdx.x / blocks; tile < order.tiles(); tile += gridDim.x / blocks) {
            unsigned tile_row = 0, tile_column = 0;
            order.place(tile, tile_row, tile_column);
            float d[2][64];
            Tf32Fragments fragments[2]; // one is multiplied while the other is loaded
            int previous = 0;
            for (int first = 0; first < steps; first += 2) {
#pragma unroll
                for (int odd = 0; odd < 2; ++odd) {
                    if (first + odd >= steps) break;
                    const int stage = position.stage;
                    barrier_wait(&shared.filled[stage], position.parity);
                    fragments[odd].load(shared.b[stage][box], lane);
                    const std::uint64_t a = wgmma_operand(shared.a[stage], 16, 1024);
                    wgmma_fence();
#pragma unroll
                    for (int i = 0; i < 4; ++i) { // 8 elements along k: 32 bytes of A's rows
                        wgmma_tf32(d[0], fragments[odd].values[i][0], a + i * 2, first + odd + i > 0);
                        wgmma_tf32(d[1], fragments[odd].values[i][1], a + i * 2, first + odd + i > 0);
                    }
                    wgmma_commit();
                    if (first + odd > 0) {
                        wgmma_wait<1>(); // the group before this one is done with its stage and its fragments
                        Pipeline::release(shared, previous, thread);
                    }
                    previous = stage;
                    position.advance();
                }
            }
            wgmma_wait<0>();
            Pipeline::release(shared, previous, thread);
            const int row = static_cast<int>(tile_row * blocks + rank) * 128;
            store_tf32_tile(d, c, row, static_cast<int>(tile_column) * 256 + static_cast<int>(box) * 32, m, n, lane);
        }
    }
    if (blocks > 1) cluster_barrier_relaxed(); // nobody arrives at the barriers of a block that has left
#endif
}

template <int stages, int blocks>
LaunchShape launch_hopper_tf32(const MatmulArguments<float>& arguments, unsigned group = 8) {
    using Pipeline = HopperPipeline<float, 128, 256, stages, blocks>;
    const HopperOperands<float> operands(arguments);
    const CUtensorMapDataType rounded = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    const TileOrder order{grid_for(arguments.m, 128 * blocks), grid_for(arguments.n, 256), group};
    return launch_hopper(matmul_hopper_tf32<stages, blocks>, persistent_grid(order, arguments.multiprocessors, blocks),
                         384, sizeof(typename Pipeline::Shared), blocks, arguments.stream,
                         operands.map_a(Pipeline::tile_m, rounded), operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B, rounded),
                         arguments.d_c, int(arguments.m), int(arguments.n), int(arguments.k), order);
}

} // namespace BACKEND
