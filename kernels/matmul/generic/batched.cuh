// SPDX-License-Identifier: MIT
#pragma once
// Many small products at once:
//   matmul_batched   removes, from tiled kernels with one product per z index, the threads and sums that a small C
//                    leaves idle: tiles of 16, 32 or 64 a side, 4 x 4 sums per thread, and several products per block
//                    if one has too few threads. The next stage is in flight to registers while this one is multiplied
// m and n up to `side`, any k. Block 64, or 256 for a side of 64; grid ceil(batch / products per block).
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Four neighbors: one 16-byte access, or two.
template <typename T>
struct alignas(16) FourOf {
    T values[4];
};

template <typename T, int side_>
struct BatchedShape {
    static constexpr int side = side_, steps = 64 / sizeof(T), square = 4;   // sums of a thread: square x square
    static constexpr int across = side / square, threads = across * across;  // of a product
    static constexpr int block = threads < 64 ? 64 : threads, products = block / threads;
    static constexpr int loads = side * steps / threads;  // of each operand, by a thread
    static constexpr int row = side + 4;                  // elements: the stores of one load go to different banks
};

/// An operand of one product; zeros lie beyond its edges.
template <typename T, bool transposed>
struct BatchedOperand {
    const T* data;
    size_t rows, columns;

    __device__ T load(size_t row, size_t column) const {
        return row < rows && column < columns ? data[transposed ? column * rows + row : row * columns + column] : 0;
    }
};

/// The elements of a stage that one thread loads: of A's tile, which is side x steps, or of B's, which is steps x side.
/// In shared memory both have one row per step along k. Neighboring lanes read neighbors in memory, which lie along k
/// if `along_k`.
template <typename Shape, bool along_k, bool is_a, typename Operand, typename T>
__device__ inline void load_stage(T (&loaded)[Shape::loads], const Operand& matrix, size_t k, int thread) {
#pragma unroll
    for (int i = 0; i < Shape::loads; ++i) {
        const int number = i * Shape::threads + thread;
        const int step = along_k ? number % Shape::steps : number / Shape::side,
                  place = along_k ? number / Shape::steps : number % Shape::side;
        loaded[i] = is_a ? matrix.load(place, k + step) : matrix.load(k + step, place);
    }
}

template <typename Shape, bool along_k, typename T>
__device__ inline void store_stage(T (&tile)[Shape::steps][Shape::row], const T (&loaded)[Shape::loads], int thread) {
#pragma unroll
    for (int i = 0; i < Shape::loads; ++i) {
        const int number = i * Shape::threads + thread;
        const int step = along_k ? number % Shape::steps : number / Shape::side,
                  place = along_k ? number / Shape::steps : number % Shape::side;
        tile[step][place] = loaded[i];
    }
}

/// m and n up to `side`, any k. Grid ceil(batch / Shape::products), block Shape::block.
template <typename T, int side, bool a_transposed, bool b_transposed>
__global__ void __launch_bounds__(BatchedShape<T, side>::block)
    matmul_batched(BatchedOperand<T, a_transposed> a, BatchedOperand<T, b_transposed> b, T* c, Strides strides,
                   size_t batch) {
    using Shape = BatchedShape<T, side>;
    constexpr int square = Shape::square;
    constexpr bool a_along_k = !a_transposed, b_along_k = b_transposed;
    __shared__ __align__(16) T a_tiles[Shape::products][Shape::steps][Shape::row];
    __shared__ __align__(16) T b_tiles[Shape::products][Shape::steps][Shape::row];
    const int of_block = static_cast<int>(threadIdx.x) / Shape::threads,
              thread = static_cast<int>(threadIdx.x) % Shape::threads;
    const int row = thread / Shape::across * square, column = thread % Shape::across * square;
    const size_t product = static_cast<size_t>(blockIdx.x) * Shape::products + of_block, steps = a.columns;
    if (product < batch) {
        a.data += product * strides.a;
        b.data += product * strides.b;
        c += product * strides.c;
    } else {  // no product: its threads only take part in the barriers
        a.rows = b.rows = 0;
    }
    auto& a_tile = a_tiles[of_block];
    auto& b_tile = b_tiles[of_block];
    T a_loaded[Shape::loads], b_loaded[Shape::loads], sums[square][square] = {};
    load_stage<Shape, a_along_k, true>(a_loaded, a, 0, thread);
    load_stage<Shape, b_along_k, false>(b_loaded, b, 0, thread);
    for (size_t k = 0; k < steps; k += Shape::steps) {
        store_stage<Shape, a_along_k>(a_tile, a_loaded, thread);
        store_stage<Shape, b_along_k>(b_tile, b_loaded, thread);
        __syncthreads();  // the stage is in shared memory
        if (k + Shape::steps < steps) {
            load_stage<Shape, a_along_k, true>(a_loaded, a, k + Shape::steps, thread);
            load_stage<Shape, b_along_k, false>(b_loaded, b, k + Shape::steps, thread);
        }
#pragma unroll 4
        for (int i = 0; i < Shape::steps; ++i) {
            const FourOf<T> left = *reinterpret_cast<const FourOf<T>*>(&a_tile[i][row]),
                            right = *reinterpret_cast<const FourOf<T>*>(&b_tile[i][column]);
#pragma unroll
            for (int r = 0; r < square; ++r)
#pragma unroll
                for (int s = 0; s < square; ++s) sums[r][s] += left.values[r] * right.values[s];
        }
        __syncthreads();  // it has been read: the next one may overwrite it
    }
#pragma unroll
    for (int r = 0; r < square; ++r)
#pragma unroll
        for (int s = 0; s < square; ++s) {
            const size_t y = row + r, x = column + s;
            if (y < a.rows && x < b.columns) c[y * b.columns + x] = sums[r][s];
        }
}

template <typename T, int side>
struct MatmulBatched {
    using Element = T;
    using Shape = BatchedShape<T, side>;
    static constexpr TileSize tile = {side, side, Shape::steps};
    static constexpr bool takes_transposed = sizeof(T) == 4;  // fewer kernels to compile

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        if constexpr (takes_transposed) {
            if (arguments.a_transposed)
                return arguments.b_transposed ? launch<true, true>(arguments) : launch<true, false>(arguments);
            if (arguments.b_transposed) return launch<false, true>(arguments);
        }
        return launch<false, false>(arguments);
    }

private:
    template <bool a_transposed, bool b_transposed>
    static LaunchShape launch(const MatmulArguments<T>& of) {
        const BatchedOperand<T, a_transposed> a{of.d_a, of.m, of.k};
        const BatchedOperand<T, b_transposed> b{of.d_b, of.k, of.n};
        const dim3 grid(static_cast<unsigned>(divide_up(of.batch, Shape::products))), block(Shape::block);
        matmul_batched<T, side, a_transposed, b_transposed>
            <<<grid, block, 0, of.stream>>>(a, b, of.d_c, strides_of(of), of.batch);
        return {grid, block, 0, address_of(matmul_batched<T, side, a_transposed, b_transposed>)};
    }
};

}  // namespace BACKEND
