// SPDX-License-Identifier: MIT
#pragma once
// C = A B for 8-bit floats, without tensor cores, on any device:
//   matmul_float8_naive        one thread per element of C. The rows of both operands run along k: the lanes of a warp
//                              share a row of A and read elements of B that are k apart
//   matmul_float8_tiled        removes the strided loads: in squares of 32 lanes read neighbors of both operands, and
//                              each element is converted to f32 once for 32 multiply-adds
//   matmul_float8_vectorized   removes most loads: one load brings 16 elements; tiles of 128 x 128 are transposed on
//                              their way into shared memory, and 16 elements from there serve 64 multiply-adds
// It continues in hopper/float8.cuh. Any m, n and k.
#include "kernels/matmul/float8/types.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"
#include "kernels/matmul/textbook/vectorized.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Rows of elements along k: A, or B by columns.
template <typename T>
struct RowsAlongK {
    const T* data;
    size_t rows, k;

    /// One element, widened to f32; zero outside.
    __device__ float load(size_t row, size_t i) const {
        return row < rows && i < k ? static_cast<float>(data[row * k + i]) : 0.0f;
    }

    /// 16 neighbors from a multiple of 16: one access if all rows begin at multiples of 16 bytes.
    __device__ uint4 load_sixteen(size_t row, size_t i) const {
        if (row >= rows || i >= k) return make_uint4(0, 0, 0, 0);
        const T* const from = data + row * k + i;
        if (k % 16 == 0) return *reinterpret_cast<const uint4*>(from);
        alignas(16) unsigned char bytes[16] = {};
        for (unsigned e = 0; e < 16; ++e)
            if (i + e < k) bytes[e] = from[e].__x;
        return *reinterpret_cast<const uint4*>(bytes);
    }
};

/// The matrices of a product (of the first product, in a batch) and the scales.
template <typename T>
struct Float8Product {
    RowsAlongK<T> a, b;
    __nv_bfloat16* c;
    const float* scales;
    Strides strides;

    explicit Float8Product(const MatmulArguments<T>& arguments)
        : a{arguments.d_a, arguments.m, arguments.k},
          b{arguments.d_b, arguments.n, arguments.k},
          c(arguments.d_c),
          scales(arguments.d_scales),
          strides(strides_of(arguments)) {}

    /// Moves on to the block's product, which is its z.
    __device__ void select() {
        const size_t product = blockIdx.z;
        a.data += product * strides.a;
        b.data += product * strides.b;
        c += product * strides.c;
    }
    __device__ void store(size_t row, size_t column, float sum) const {
        if (row < a.rows && column < b.rows) c[row * b.rows + column] = __float2bfloat16(sum * scale_of(scales));
    }
};

/// Grid ceil(n / 32) x ceil(m / blockDim.y), block 32 x (block_size / 32).
template <typename T>
__global__ void matmul_float8_naive(Float8Product<T> of) {
    of.select();
    const size_t row = size_t(blockIdx.y) * blockDim.y + threadIdx.y;
    const size_t column = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float sum = 0;
    for (size_t i = 0; i < of.a.k; ++i) sum += of.a.load(row, i) * of.b.load(column, i);
    of.store(row, column, sum);
}

/// Grid ceil(n / 32) x ceil(m / 32), block 32 x 32. Lanes read a column of B's tile; padding avoids bank conflicts.
template <typename T>
__global__ void matmul_float8_tiled(Float8Product<T> of) {
    constexpr int side = 32;
    __shared__ float a_tile[side][side], b_tile[side][side + 1];
    of.select();
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = size_t(blockIdx.y) * side, column = size_t(blockIdx.x) * side;
    float sum = 0;
    for (size_t k = 0; k < of.a.k; k += side) {
        a_tile[y][x] = of.a.load(row + y, k + x);
        b_tile[y][x] = of.b.load(column + y, k + x);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < side; ++i) sum += a_tile[y][i] * b_tile[x][i];
        __syncthreads();  // both tiles have been read
    }
    of.store(row + y, column + x, sum);
}

constexpr int float8_tile = 128, float8_steps = 16, float8_block = 256;

/// One stage of both operands in shared memory, one row per step along k.
struct Float8Stage {
    alignas(16) float a[float8_steps][float8_tile], b[float8_steps][float8_tile];

    /// Half of the threads load a row of A's tile each, the others one of B's. Neighbors store neighbors.
    template <typename T>
    __device__ void load(const Float8Product<T>& of, size_t row, size_t column, size_t k, int thread) {
        const int line = thread % float8_tile;
        const bool loads_a = thread < float8_tile;
        const uint4 sixteen = loads_a ? of.a.load_sixteen(row + line, k) : of.b.load_sixteen(column + line, k);
        const unsigned words[4] = {sixteen.x, sixteen.y, sixteen.z, sixteen.w};
        float(&target)[float8_steps][float8_tile] = loads_a ? a : b;
#pragma unroll
        for (int word = 0; word < 4; ++word) {
            const float4 four = widen_four<T>(words[word]);
            target[4 * word][line] = four.x;
            target[4 * word + 1][line] = four.y;
            target[4 * word + 2][line] = four.z;
            target[4 * word + 3][line] = four.w;
        }
    }
};

/// Grid ceil(n / 128) x ceil(m / 128), block 256. A warp computes 64 x 32 of C with 8 x 4 lanes.
template <typename T>
__global__ void __launch_bounds__(float8_block) matmul_float8_vectorized(Float8Product<T> of) {
    __shared__ Float8Stage stage;
    of.select();
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int y = warp / 4 * 64 + lane / 4 * 4, x = warp % 4 * 32 + lane % 4 * 4;
    const size_t row = size_t(blockIdx.y) * float8_tile, column = size_t(blockIdx.x) * float8_tile;
    float sums[8][8] = {};
    for (size_t k = 0; k < of.a.k; k += float8_steps) {
        stage.load(of, row, column, k, thread);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < float8_steps; ++i) add_step<32, 16>(sums, &stage.a[i][y], &stage.b[i][x]);
        __syncthreads();  // both tiles have been read
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int s = 0; s < 8; ++s) of.store(row + y + r / 4 * 32 + r % 4, column + x + s / 4 * 16 + s % 4, sums[r][s]);
}

template <typename T>
LaunchShape launch_float8(void (*kernel)(Float8Product<T>), const MatmulArguments<T>& arguments, const dim3& tile,
                          const dim3& block) {
    return launch_tiles(arguments, tile.y, tile.x, [&](const dim3& grid, const auto& of) {
        kernel<<<grid, block, 0, of.stream>>>(Float8Product<T>(of));
        return LaunchShape{grid, block, 0, address_of(kernel)};
    });
}

template <typename T>
struct MatmulFloat8Naive {
    using Element = T;
    static constexpr TileSize tile = {1, 1, 0};  // of a thread

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 block(lanes_per_warp, whole_warps(arguments.block_size) / lanes_per_warp);
        return launch_float8<T>(matmul_float8_naive<T>, arguments, block, block);
    }
};

template <typename T>
struct MatmulFloat8Tiled {
    using Element = T;
    static constexpr TileSize tile = {32, 32, 32};

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        return launch_float8<T>(matmul_float8_tiled<T>, arguments, dim3(32, 32), dim3(32, 32));
    }
};

template <typename T>
struct MatmulFloat8Vectorized {
    using Element = T;
    static constexpr TileSize tile = {float8_tile, float8_tile, float8_steps};

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        return launch_float8<T>(matmul_float8_vectorized<T>, arguments, dim3(float8_tile, float8_tile),
                                dim3(float8_block));
    }
};

}  // namespace BACKEND
