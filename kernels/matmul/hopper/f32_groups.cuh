#pragma once
// f32 without tensor cores on Hopper, for many small products:
//   matmul_hopper_f32_groups   removes, from matmul_hopper_f32, what a product of two or three stages cannot hide: the
//                              start of a block, the wait for its first stage, the adding of slices and the stores.
//                              A multiprocessor works on several tiles at once, each by a group of one to four warps
//                              with its own ring, and a group prefetches its next tile while it multiplies this one.
//                              Groups never wait for each other: while one stores, the others multiply
// Every warp has all of k for some rows of its group's tile. The group's first warp requests the stages from TMA.
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/f32.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// A group's tile, the warps that share its rows, and the groups of a block.
template <int tile_m_, int tile_n_, int warps_, int groups_, int stages_>
struct F32GroupShape {
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, warps = warps_, groups = groups_, warp_m = tile_m / warps;
    static constexpr int lanes_m = 4, lanes_n = 32 / lanes_m;
    static constexpr int rows = warp_m / lanes_m, columns = tile_n / lanes_n, vectors = columns / 4;  // of one lane
    static constexpr int slices = 8, stages = stages_, threads = groups * warps * 32;
    static constexpr int slices_at_once = rows * columns > 64 ? 1 : 2;  // as many as fit in registers
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages, tile_n>;
    using Shared = typename Pipeline::Shared[groups];
    static_assert(columns % 4 == 0 && warp_m % 8 == 0,
                  "a lane loads four columns, a warp whole swizzled groups of rows");
    static_assert(sizeof(Shared) <= most_shared_bytes);
};

/// Requests, one stage at a time, all stages of a group's tiles: every `stride`-th tile from `first`.
template <typename Shape>
struct F32GroupLoader {
    using Pipeline = typename Shape::Pipeline;
    const TileOrder& order;
    unsigned tile, stride;
    int step = 0, row = 0, column = 0;
    int product = 0;
    typename Pipeline::Position position = {};

    __device__ F32GroupLoader(const TileOrder& all, unsigned first, unsigned every)
        : order(all), tile(first), stride(every) {
        find_corner();
    }
    __device__ void find_corner() {
        unsigned tile_row = 0, tile_column = 0;
        order.place(tile, tile_row, tile_column, product);
        row = static_cast<int>(tile_row) * Shape::tile_m;
        column = static_cast<int>(tile_column) * Shape::tile_n;
    }
    /// Called by a whole warp: requests the next stage, if there is one.
    __device__ void ask(typename Pipeline::Shared& ring, const CUtensorMap& map_a, const CUtensorMap& map_b, int steps,
                        int lane) {
        if (tile >= order.tiles()) return;
        barrier_wait(&ring.emptied[position.stage], position.parity ^ 1);  // by all lanes; load_stage() need not wait
        if (lane == 0) Pipeline::load_stage(ring, position, map_a, map_b, row, column, step, product);
        __syncwarp();
        position.advance();
        if (++step < steps) return;
        step = 0;
        tile += stride;
        find_corner();
    }
};

/// Grid: at most one block per multiprocessor; block Shape::threads. Neighboring tiles go to different blocks.
template <typename Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    matmul_hopper_f32_groups(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                             float* c, size_t stride_c, int m, int n, int steps, TileOrder order) {
#if HOPPER_CODE
    using Pipeline = typename Shape::Pipeline;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& rings = *reinterpret_cast<typename Shape::Shared*>(memory);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % Shape::warps;
    const unsigned group = threadIdx.x / 32 / Shape::warps;
    if (threadIdx.x == 0) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
        for (auto& ring : rings) Pipeline::init(ring, Shape::warps);
    }
    Pipeline::begin();

    auto& ring = rings[group];
    const unsigned stride = gridDim.x * Shape::groups, first = group * gridDim.x + blockIdx.x;
    F32GroupLoader<Shape> loader(order, first, stride);
    if (warp == 0)
        for (int s = 0; s < Shape::stages - 1; ++s) loader.ask(ring, map_a, map_b, steps, lane);
    F32Position<Shape> at(0, lane);
    at.row = warp * Shape::warp_m;
    typename Pipeline::Position position;
    for (unsigned tile = first; tile < order.tiles(); tile += stride) {
        float sums[Shape::rows][Shape::columns] = {};
        int previous = 0;
#pragma unroll 1
        for (int step = 0; step < steps; ++step, position.advance()) {
            __syncwarp();  // all lanes have multiplied the previous stage
            if (step > 0) Pipeline::release(ring, previous, lane);
            if (warp == 0) loader.ask(ring, map_a, map_b, steps, lane);  // into the previous stage
            barrier_wait(&ring.filled[position.stage], position.parity);
#pragma unroll Shape::slices_at_once
            for (at.slice = 0; at.slice < Shape::slices; ++at.slice)
                multiply_stage<Shape>(ring.a[position.stage], ring.b[position.stage][0], at, sums);
            previous = position.stage;
        }
        __syncwarp();  // all lanes have multiplied the last stage
        Pipeline::release(ring, previous, lane);
        unsigned tile_row = 0, tile_column = 0;
        int product = 0;
        order.place(tile, tile_row, tile_column, product);
        const int row = static_cast<int>(tile_row) * Shape::tile_m + at.row + at.lane_row,
                  column = static_cast<int>(tile_column) * Shape::tile_n + at.lane_column * 4;
        float* const corner = matrix_of(product, c, stride_c);
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r)
#pragma unroll
            for (int v = 0; v < Shape::vectors; ++v) {
                const float* four = sums[r] + 4 * v;
                store_four(corner, static_cast<size_t>(n), row + r * Shape::lanes_m, column + v * Shape::lanes_n * 4, m,
                           n, make_float4(four[0], four[1], four[2], four[3]));
            }
    }
#endif
}

template <int tile_m_, int tile_n_, int warps, int groups, int stages = 2>
struct F32GroupTile : HopperTile {
    using Element = float;
    using Shape = F32GroupShape<tile_m_, tile_n_, warps, groups, stages>;
    static constexpr unsigned tile_m = tile_m_, tile_n = tile_n_, at_once = groups;
    static constexpr bool takes_batch = true;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments, const StreamKCost&) {
        constexpr unsigned group = 8;
        const HopperOperands<float> operands(arguments);
        const TileOrder order = order_of(arguments, tile_m, tile_n, group);
        return launch_hopper(matmul_hopper_f32_groups<Shape>, persistent_grid(order, arguments.multiprocessors),
                             Shape::threads, sizeof(typename Shape::Shared), 1, arguments.stream,
                             operands.map_a(tile_m), operands.map_b_rows(tile_n), arguments.d_c, arguments.stride_c,
                             int(arguments.m), int(arguments.n), int(divide_up(arguments.k, hopper_tile_k<float>)),
                             order);
    }
};

}  // namespace BACKEND
