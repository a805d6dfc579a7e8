// SPDX-License-Identifier: MIT
#pragma once
// C = A B in f32, the last step that every GPU can take:
//   matmul_async   removes, from the warp tile, the waiting for global memory: while one stage is multiplied, the next
//                  ones are in flight, copied to shared memory without passing through registers. Also removes one of
//                  the two barriers per stage
// A is transposed by copying its elements one by one, four bytes each, to where the lanes want them. On Hopper the
// ladder continues in hopper/f32.cuh. Any m, n and k; grid ceil(n / tile_n) x ceil(m / tile_m), one warp per warp tile.
#include "common/cuda/async_copy.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// tile_m x tile_n sums per block, `steps` steps along k per stage, `stages` stages in shared memory.
template <int tile_m_, int tile_n_, typename Warp_, int stages_>
struct AsyncShape {
    using Warp = Warp_;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, stages = stages_, steps = 8;
    static constexpr int warps_n = tile_n / Warp::warp_n, threads = tile_m / Warp::warp_m * warps_n * 32;
    static_assert(tile_m * steps % threads == 0 && tile_n * steps / 4 % threads == 0, "every thread copies as much");

    struct Stage {
        float a[steps][tile_m + 4];  // padded: transposed elements fall into different banks
        float b[steps][tile_n];
    };
};

using LargeAsyncShape = AsyncShape<128, 128, WarpTile<64, 32, 8>, 3>;
using SmallAsyncShape = AsyncShape<64, 64, WarpTile<32, 32, 8>, 3>;

/// Starts this thread's copies of the stage at k. B is copied in fours if its rows allow it.
template <typename Shape>
__device__ inline void copy_stage(typename Shape::Stage& stage, const MatrixView<const float>& a,
                                  const MatrixView<const float>& b, size_t row, size_t column, size_t k, int thread) {
#pragma unroll
    for (int i = 0; i < Shape::tile_m * Shape::steps; i += Shape::threads) {
        const int y = (i + thread) / Shape::steps, step = (i + thread) % Shape::steps;
        const bool there = a.holds(row + y, k + step);
        copy_async(&stage.a[step][y], there ? a.data + (row + y) * a.columns + k + step : a.data, there);
    }
    if (b.has_fours()) {
#pragma unroll
        for (int i = 0; i < Shape::tile_n * Shape::steps / 4; i += Shape::threads) {
            const int step = (i + thread) / (Shape::tile_n / 4), x = (i + thread) % (Shape::tile_n / 4) * 4;
            const bool there = b.holds(k + step, column + x);
            const float* source = there ? b.data + (k + step) * b.columns + column + x : b.data;
            copy_async(reinterpret_cast<float4*>(&stage.b[step][x]), reinterpret_cast<const float4*>(source), there);
        }
    } else {
        for (int i = thread; i < Shape::tile_n * Shape::steps; i += Shape::threads) {
            const int step = i / Shape::tile_n, x = i % Shape::tile_n;
            const bool there = b.holds(k + step, column + x);
            copy_async(&stage.b[step][x], there ? b.data + (k + step) * b.columns + column + x : b.data, there);
        }
    }
    commit_copies();
}

/// Grid ceil(n / tile_n) x ceil(m / tile_m), block Shape::threads.
template <typename Shape, typename Products>
__global__ void __launch_bounds__(Shape::threads, 2)
    matmul_async(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Products products) {
    using Warp = typename Shape::Warp;
    __shared__ __align__(16) typename Shape::Stage ring[Shape::stages];
    products.select(a.data, b.data, c.data);
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const size_t row = products.block_row() * Shape::tile_m, column = static_cast<size_t>(blockIdx.x) * Shape::tile_n;
    const int warp_row = warp / Shape::warps_n * Warp::warp_m, warp_column = warp % Shape::warps_n * Warp::warp_n;
    float sums[Warp::rows][Warp::columns] = {};
#pragma unroll
    for (int s = 0; s < Shape::stages - 1; ++s)
        copy_stage<Shape>(ring[s], a, b, row, column, size_t(s) * Shape::steps, thread);
    int now = 0, next = Shape::stages - 1;
    for (size_t k = 0; k < a.columns; k += Shape::steps) {
        wait_copies<Shape::stages - 2>();  // this thread's part of the stage has arrived
        __syncthreads();  // all threads' parts have, and all are done with the previous stage, which is refilled next
        copy_stage<Shape>(ring[next], a, b, row, column, k + (Shape::stages - 1) * Shape::steps, thread);
#pragma unroll
        for (int i = 0; i < Shape::steps; ++i)
            Warp::multiply(&ring[now].a[i][warp_row], &ring[now].b[i][warp_column], lane, sums);
        now = now + 1 == Shape::stages ? 0 : now + 1;
        next = next + 1 == Shape::stages ? 0 : next + 1;
    }
    wait_copies<0>();  // the last copies write only zeros, but must not do so after the block has exited
    Warp::store(c, row + warp_row, column + warp_column, lane, sums);
}

template <typename Shape>
struct MatmulAsync {
    using Element = float;
    static constexpr TileSize tile = {Shape::tile_m, Shape::tile_n, Shape::steps};
    static constexpr bool takes_batch = true;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, tile.m), divide_up(arguments.n, tile.n)),
                   block(Shape::threads);
        return launch_batch(arguments, grid, [&](const auto& some, const dim3& whole, auto products) {
            matmul_async<Shape><<<whole, block, 0, some.stream>>>(a_of(some), b_of(some), c_of(some), products);
            return LaunchShape{whole, block, 0, address_of(matmul_async<Shape, decltype(products)>)};
        });
    }
};

/// Whether large tiles give every multiprocessor work; if not, small ones are faster.
inline bool async_tile_is_large(size_t m, size_t n, size_t batch, size_t multiprocessors) {
    return divide_up(m, LargeAsyncShape::tile_m) * divide_up(n, LargeAsyncShape::tile_n) * batch >= multiprocessors;
}

}  // namespace BACKEND
