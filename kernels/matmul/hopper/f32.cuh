// SPDX-License-Identifier: MIT
#pragma once
// f32 without tensor cores on Hopper, where the multiply-add units are the limit:
//   matmul_hopper_f32   removes, from the portable kernel with asynchronous copies, the copy instructions (one thread
//                       has TMA fetch whole tiles), the transposing of A's tile (a lane loads four neighbors along k
//                       at once; the swizzle keeps lanes on different banks), and the barriers of the whole block: each
//                       warp waits only for data
// Besides multiply-adds, only 16-byte loads from shared memory remain to be issued. For larger products, and for few
// rows or columns, the ladder continues in hopper/f32_transposed.cuh.
//
// Eight consumer warps multiply; one thread of a third warpgroup, the producer, loads tiles. Each consumer takes a
// slice of every stage along k for the whole tile, and their sums are added at the end. So even a small tile gives each
// lane many independent sums.
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"

#include <cuda_runtime.h>

namespace BACKEND {

/// How the lanes of a warp share a block's tile.
template <int tile_m_, int tile_n_, int lanes_m_>
struct F32Shape {
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, lanes_m = lanes_m_, lanes_n = 32 / lanes_m;
    static constexpr int rows = tile_m / lanes_m, columns = tile_n / lanes_n, vectors = columns / 4;  // of one lane
    static constexpr int slices = 8, stages = 8;
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages, tile_n>;
    static_assert(columns % 4 == 0 && tile_n <= 128, "a lane loads four columns at once");
    static_assert(lanes_m == 4 || lanes_m == 8, "rows of lanes stay within a swizzled group of eight");
    static_assert(slices * tile_m * tile_n * sizeof(float) <= stages * Pipeline::stage_bytes,
                  "the slices' sums fit where the stages were");
};

/// Where this warp and lane work. (Each warp has the whole tile, so row and column are 0. Without these zeros ptxas
/// allocates other registers, with more register bank conflicts in tiles of 64 x 64.)
template <typename Shape>
struct F32Position {
    int row, column, slice, lane_row, lane_column;
    __device__ explicit F32Position(int warp, int lane)
        : row(0), column(0), slice(warp), lane_row(lane / Shape::lanes_n), lane_column(lane % Shape::lanes_n) {}
};

/// sums += this lane's part of one stage: A's tile swizzled in rows of 32 along k, B's in rows of tile_n.
template <typename Shape>
__device__ inline void multiply_stage(const float* a, const float* b, const F32Position<Shape>& at,
                                      float (&sums)[Shape::rows][Shape::columns]) {
    constexpr int pieces = 8 / Shape::slices;  // of four along k
    const float* a_rows = a + (at.row + at.lane_row) * 32;
    const float* b_columns = b + at.slice * pieces * 4 * Shape::tile_n + at.column + at.lane_column * 4;
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
        const int piece = at.slice * pieces + i;
        float4 left[Shape::rows];
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r) {
            const int swizzled = piece ^ ((at.lane_row + r * Shape::lanes_m) % 8);
            left[r] = *reinterpret_cast<const float4*>(a_rows + r * Shape::lanes_m * 32 + swizzled * 4);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float right[Shape::columns];
#pragma unroll
            for (int v = 0; v < Shape::vectors; ++v)
                *reinterpret_cast<float4*>(right + 4 * v) =
                    *reinterpret_cast<const float4*>(b_columns + (i * 4 + k) * Shape::tile_n + v * Shape::lanes_n * 4);
#pragma unroll
            for (int r = 0; r < Shape::rows; ++r) {
                const float element = k == 0 ? left[r].x : k == 1 ? left[r].y : k == 2 ? left[r].z : left[r].w;
#pragma unroll
                for (int c = 0; c < Shape::columns; ++c) sums[r][c] += element * right[c];
            }
        }
    }
}

/// Adds the slices' sums through the stages' shared memory and stores them. Called by all consumers.
template <typename Shape>
__device__ inline void add_slices(float* partial, const F32Position<Shape>& at,
                                  const float (&sums)[Shape::rows][Shape::columns], float* c, int tile_row,
                                  int tile_column, int m, int n) {
    constexpr unsigned consumers = 256;
    constexpr int tile_elements = Shape::tile_m * Shape::tile_n;
    barrier_among(1, consumers);  // all warps have finished reading the stages
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r)
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v) {
            const int row = at.row + at.lane_row + r * Shape::lanes_m,
                      column = at.column + (v * Shape::lanes_n + at.lane_column) * 4;
            *reinterpret_cast<float4*>(partial + at.slice * tile_elements + row * Shape::tile_n + column) =
                make_float4(sums[r][4 * v], sums[r][4 * v + 1], sums[r][4 * v + 2], sums[r][4 * v + 3]);
        }
    barrier_among(1, consumers);  // all slices' sums are in shared memory
    for (int i = static_cast<int>(threadIdx.x % consumers) * 4; i < tile_elements; i += consumers * 4) {
        float4 total = *reinterpret_cast<const float4*>(partial + i);
#pragma unroll
        for (int slice = 1; slice < Shape::slices; ++slice) {
            const float4 more = *reinterpret_cast<const float4*>(partial + slice * tile_elements + i);
            total = make_float4(total.x + more.x, total.y + more.y, total.z + more.z, total.w + more.w);
        }
        store_four(c, n, tile_row + i / Shape::tile_n, tile_column + i % Shape::tile_n, m, n, total);
    }
}

/// Grid: one block per tile. Block 384: warps 0 to 7 multiply, thread 256 loads. Any m, n and k.
template <typename Shape>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_f32(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* c,
                      int m, int n, int k, TileOrder order) {
#if HOPPER_CODE
    using Pipeline = typename Shape::Pipeline;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Pipeline::Shared*>(memory);
    const int steps = (k + Pipeline::tile_k - 1) / Pipeline::tile_k;
    typename Pipeline::Position position;
    if (threadIdx.x == 0) Pipeline::init(shared, 8);
    Pipeline::begin();

    unsigned tile_row = 0, tile_column = 0;
    order.place(blockIdx.x, tile_row, tile_column);
    const int row = static_cast<int>(tile_row) * Shape::tile_m, column = static_cast<int>(tile_column) * Shape::tile_n;

    if (threadIdx.x >= 256) {
        give_up_registers<24>();
        if (threadIdx.x < 288 && is_elected_lane())
            Pipeline::produce(shared, position, MapPair{map_a, map_b}, row, column, 0, steps);
        return;
    }
    take_registers<240>();
    const F32Position<Shape> at(threadIdx.x / 32, threadIdx.x % 32);
    float sums[Shape::rows][Shape::columns] = {};
    int previous = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step, position.advance()) {
        barrier_wait(&shared.filled[position.stage], position.parity);
        __syncwarp();  // all lanes have multiplied the previous stage
        if (step > 0) Pipeline::release(shared, previous, threadIdx.x % 32);
        multiply_stage<Shape>(shared.a[position.stage], shared.b[position.stage][0], at, sums);
        previous = position.stage;
    }
    add_slices<Shape>(shared.a[0], at, sums, c, row, column, m, n);
#endif
}

template <int tile_m_, int tile_n_, int lanes_m>
struct F32Tile : HopperTile {
    using Element = float;
    using Shape = F32Shape<tile_m_, tile_n_, lanes_m>;
    static constexpr unsigned tile_m = tile_m_, tile_n = tile_n_;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        constexpr unsigned group = 8;
        const HopperOperands<float> operands(arguments);
        const TileOrder order{grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group};
        return launch_hopper(matmul_hopper_f32<Shape>, order.tiles(), 384, sizeof(typename Shape::Pipeline::Shared), 1,
                             operands.stream(), operands.map_a(tile_m), operands.map_b_rows(tile_n), arguments.d_c,
                             int(arguments.m), int(arguments.n), int(arguments.k), order);
    }
};

}  // namespace BACKEND
