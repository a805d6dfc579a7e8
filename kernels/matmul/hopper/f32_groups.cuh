// SPDX-License-Identifier: MIT
#pragma once
// f32 without tensor cores on Hopper, for many small products, or one of many tiles and few steps along k:
//   matmul_hopper_f32_groups   removes, from matmul_hopper_f32, what a product of two or three stages cannot hide: the
//                              start of a block, the wait for its first stage, the adding of slices and the stores.
//                              A multiprocessor works on several tiles at once, each by a group of one to four warps
//                              with its own ring, and a group prefetches its next tile while it multiplies this one.
//                              Groups never wait for each other: while one stores, the others multiply
// Every warp has all of k for some rows of its group's tile. The group's first warp requests the stages from TMA.
// Operands that are stored transposed are multiplied as they arrive; lanes share rows and columns in another way then.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/hopper/f32.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// A group's tile, the warps that share its rows, the groups of a block, and a warp's lanes along m.
template <int tile_m_, int tile_n_, int warps_, int groups_, int stages_, typename Layouts_, int lanes_m_ = 4>
struct F32GroupShape {
    using Layouts = Layouts_;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, warps = warps_, groups = groups_, warp_m = tile_m / warps;
    static constexpr int lanes_m = lanes_m_, lanes_n = 32 / lanes_m;
    static constexpr int rows = warp_m / lanes_m, columns = tile_n / lanes_n, vectors = columns / 4;  // of one lane
    static constexpr int slices = 8, slice_k = 32 / slices, stages = stages_, threads = groups * warps * 32;
    static constexpr bool all_along_k = !Layouts::a_transposed && Layouts::b_transposed;  // all steps in registers
    static constexpr int slices_at_once = rows * columns > 64 || all_along_k ? 1 : 2;     // as many as fit in registers
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages, tile_n, NoCluster, Layouts>;
    using Shared = typename Pipeline::Shared[groups];
    static_assert(columns % 4 == 0 && warp_m % 8 == 0,
                  "a lane loads four columns, a warp whole swizzled groups of rows");
    static_assert(lanes_m == 4 || Layouts::plain);
    static_assert(sizeof(Shared) <= most_shared_bytes);
    static_assert(!Layouts::a_transposed || rows % 4 == 0, "a lane loads four rows");

    /// Which row and column of the warp's part a lane's sum [r][c] is: loads bring four neighbors of what runs along a
    /// row in memory, and lanes share the others in turn.
    __device__ static int row_in(int r, int lane_row) {
        return Layouts::a_transposed ? (r / 4 * lanes_m + lane_row) * 4 + r % 4 : r * lanes_m + lane_row;
    }
    __device__ static int column_in(int c, int lane_column) {
        return Layouts::b_transposed ? c * lanes_n + lane_column : (c / 4 * lanes_n + lane_column) * 4 + c % 4;
    }
};

/// As multiply_stage(), for four steps along k of operands of which one at least is stored transposed. A row along k is
/// swizzled; other rows are as long as the tile.
template <typename Shape>
__device__ inline void multiply_transposed(const float* a, const float* b, const F32Position<Shape>& at,
                                           float (&sums)[Shape::rows][Shape::columns]) {
    using Layouts = typename Shape::Layouts;
    const int piece = at.slice;  // of four steps
    // The steps of rows along k are loaded together, those of others one by one.
    const auto steps_of = [&](const float* row_of_tile, int row) {
        return *reinterpret_cast<const float4*>(row_of_tile + (piece ^ row % 8) * 4);
    };
    const auto step_of = [](const float4& four, int k) {
        return k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
    };
    float4 left[Layouts::a_transposed ? 1 : Shape::rows], right[Layouts::b_transposed ? Shape::columns : 1];
    if constexpr (!Layouts::a_transposed) {
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r) {
            const int row = at.row + Shape::row_in(r, at.lane_row);
            left[r] = steps_of(a + row * 32, row);
        }
    }
    if constexpr (Layouts::b_transposed) {
#pragma unroll
        for (int c = 0; c < Shape::columns; ++c) {
            const int column = Shape::column_in(c, at.lane_column);
            right[c] = steps_of(b + column * 32, column);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float of_a[Shape::rows], of_b[Shape::columns];
        if constexpr (Layouts::a_transposed) {
#pragma unroll
            for (int r = 0; r < Shape::rows; r += 4)
                *reinterpret_cast<float4*>(of_a + r) = *reinterpret_cast<const float4*>(
                    a + (piece * 4 + k) * Shape::tile_m + at.row + Shape::row_in(r, at.lane_row));
        } else {
#pragma unroll
            for (int r = 0; r < Shape::rows; ++r) of_a[r] = step_of(left[r], k);
        }
        if constexpr (Layouts::b_transposed) {
#pragma unroll
            for (int c = 0; c < Shape::columns; ++c) of_b[c] = step_of(right[c], k);
        } else {
#pragma unroll
            for (int c = 0; c < Shape::columns; c += 4)
                *reinterpret_cast<float4*>(of_b + c) = *reinterpret_cast<const float4*>(
                    b + (piece * 4 + k) * Shape::tile_n + Shape::column_in(c, at.lane_column));
        }
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r)
#pragma unroll
            for (int c = 0; c < Shape::columns; ++c) sums[r][c] += of_a[r] * of_b[c];
    }
}

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
        if (is_elected_lane()) Pipeline::load_stage(ring, position, MapPair{map_a, map_b}, row, column, step, product);
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
                             float* c, size_t stride_c, int m, int n, int k, TileOrder order) {
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
    constexpr int tile_k = hopper_tile_k<float>, slice_k = Shape::slice_k;
    const int steps = (k + tile_k - 1) / tile_k, last_slices = (k - (steps - 1) * tile_k + slice_k - 1) / slice_k;
    const bool whole_stages = last_slices == Shape::slices;
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
            const float *a = ring.a[position.stage], *b = ring.b[position.stage][0];
            const auto multiply_slice = [&](int slice) {
                at.slice = slice;
                if constexpr (Shape::Layouts::plain) multiply_stage<Shape>(a, b, at, sums);
                else multiply_transposed<Shape>(a, b, at, sums);
            };
            if (step + 1 < steps || whole_stages) {
#pragma unroll Shape::slices_at_once
                for (int slice = 0; slice < Shape::slices; ++slice) multiply_slice(slice);
            } else {
#pragma unroll 1
                for (int slice = 0; slice < last_slices; ++slice) multiply_slice(slice);
            }
            previous = position.stage;
        }
        __syncwarp();  // all lanes have multiplied the last stage
        Pipeline::release(ring, previous, lane);
        unsigned tile_row = 0, tile_column = 0;
        int product = 0;
        order.place(tile, tile_row, tile_column, product);
        const int row_begin = static_cast<int>(tile_row) * Shape::tile_m + at.row,
                  column_begin = static_cast<int>(tile_column) * Shape::tile_n;
        float* const corner = matrix_of(product, c, stride_c);
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r) {
            const int row = row_begin + Shape::row_in(r, at.lane_row);
            if constexpr (Shape::Layouts::b_transposed) {  // eight lanes store a sector
#pragma unroll
                for (int x = 0; x < Shape::columns; ++x) {
                    const int column = column_begin + Shape::column_in(x, at.lane_column);
                    if (row < m && column < n) corner[static_cast<size_t>(row) * n + column] = sums[r][x];
                }
            } else {
#pragma unroll
                for (int x = 0; x < Shape::columns; x += 4)
                    store_four(corner, static_cast<size_t>(n), row, column_begin + Shape::column_in(x, at.lane_column),
                               m, n, make_float4(sums[r][x], sums[r][x + 1], sums[r][x + 2], sums[r][x + 3]));
            }
        }
    }
#endif
}

template <int tile_m_, int tile_n_, int warps, int groups, int stages = 2, typename Layouts_ = PlainLayouts,
          int lanes_m = 4>
struct F32GroupTile : HopperTile {
    using Element = float;
    using Layouts = Layouts_;
    using Shape = F32GroupShape<tile_m_, tile_n_, warps, groups, stages, Layouts, lanes_m>;
    static constexpr unsigned tile_m = tile_m_, tile_n = tile_n_, at_once = groups;
    static constexpr unsigned least_k = Shape::slice_k;
    static constexpr bool takes_batch = true, only_batch = !Layouts::plain;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        constexpr unsigned group = 8;
        constexpr bool as_batch = true;  // the kernel asks for matrices by number, even for one
        const HopperOperands<float> operands(arguments, as_batch);
        const TileOrder order = order_of(arguments, tile_m, tile_n, group);
        const CUtensorMap map_a = Layouts::a_transposed ? operands.map_a_rows(tile_m) : operands.map_a(tile_m),
                          map_b = Layouts::b_transposed
                                      ? operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B, tensor_map_type<float>, tile_n)
                                      : operands.map_b_rows(tile_n);
        return launch_hopper(matmul_hopper_f32_groups<Shape>, persistent_grid(order, arguments.multiprocessors),
                             Shape::threads, sizeof(typename Shape::Shared), 1, operands.stream(), map_a, map_b,
                             arguments.d_c, arguments.stride_c, int(arguments.m), int(arguments.n), int(arguments.k),
                             order);
    }
};

}  // namespace BACKEND
