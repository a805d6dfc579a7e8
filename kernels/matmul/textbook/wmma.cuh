// SPDX-License-Identifier: MIT
#pragma once
// C = A B on tensor cores, with the interface that every generation since Turing has:
//   matmul_wmma   removes, from the register tile, the multiply-adds of single threads: a warp multiplies fragments of
//                 16 x 16
// f16 from compute capability 7.5 on, bf16 and tf32 from 8.0 on; sums are in f32. Any m, n and k. On Hopper the ladder
// continues in hopper/mma.cuh and hopper/tf32.cuh, where the tensor cores read shared memory themselves.
// Tile of C 64 x 64; grid ceil(n / 64) x ceil(m / 64), block 128: four warps with 32 x 32 each.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

/// How the tensor cores take a type in memory: the fragment type, the steps along k of one fragment, and the least
/// compute capability.
template <typename T>
struct WmmaType;
template <>
struct WmmaType<__half> {
    using Fragment = __half;
    static constexpr int steps = 16, least_capability = 75;
};
template <>
struct WmmaType<__nv_bfloat16> {
    using Fragment = __nv_bfloat16;
    static constexpr int steps = 16, least_capability = 80;
};
template <>
struct WmmaType<float> {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    using Fragment = nvcuda::wmma::precision::tf32;
#endif
    static constexpr int steps = 8, least_capability = 80;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <typename Fragment>
__device__ inline void round_to_tf32(Fragment& fragment) {
    for (float& element : fragment.x) element = nvcuda::wmma::__float_to_tf32(element);
}
#endif

constexpr int wmma_tile = 64, wmma_block = 128;

/// One stage in shared memory. Rows are padded so that they begin at different banks.
template <typename T>
struct WmmaStage {
    static constexpr int steps = 64 / sizeof(T), pad = 16 / sizeof(T);
    T a[wmma_tile][steps + pad];
    T b[steps][wmma_tile + pad];
};

/// The block's tile of C; elements outside the matrices read as zero.
template <typename T>
__device__ inline void multiply_wmma(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
#if __CUDA_ARCH__ >= 750
#if __CUDA_ARCH__ < 800
    if constexpr (std::is_same_v<T, __half>) {
#else
    {
#endif
        namespace wmma = nvcuda::wmma;
        using Type = WmmaType<T>;
        using Stage = WmmaStage<T>;
        __shared__ __align__(32) union Memory {
            Stage stage;
            float sums[wmma_tile][wmma_tile + 4];
        } shared;
        const unsigned thread = threadIdx.x, warp_row = thread / 64 * 32, warp_column = thread / 32 % 2 * 32;
        const size_t top = size_t(blockIdx.y) * wmma_tile, left = size_t(blockIdx.x) * wmma_tile;
        wmma::fragment<wmma::accumulator, 16, 16, Type::steps, float> sums[2][2];
        for (auto& line : sums)
            for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
        for (size_t first = 0; first < k; first += Stage::steps) {
            for (unsigned i = thread; i < wmma_tile * Stage::steps; i += wmma_block) {
                const unsigned y = i / Stage::steps, x = i % Stage::steps;
                shared.stage.a[y][x] = top + y < m && first + x < k ? a[(top + y) * k + first + x] : T(0.0f);
            }
            for (unsigned i = thread; i < wmma_tile * Stage::steps; i += wmma_block) {
                const unsigned y = i / wmma_tile, x = i % wmma_tile;
                shared.stage.b[y][x] = first + y < k && left + x < n ? b[(first + y) * n + left + x] : T(0.0f);
            }
            __syncthreads();  // both tiles are loaded
#pragma unroll
            for (int step = 0; step < Stage::steps; step += Type::steps) {
                wmma::fragment<wmma::matrix_a, 16, 16, Type::steps, typename Type::Fragment, wmma::row_major> left[2];
                wmma::fragment<wmma::matrix_b, 16, 16, Type::steps, typename Type::Fragment, wmma::row_major> right[2];
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    wmma::load_matrix_sync(left[i], &shared.stage.a[warp_row + 16 * i][step],
                                           Stage::steps + Stage::pad);
                    wmma::load_matrix_sync(right[i], &shared.stage.b[step][warp_column + 16 * i],
                                           wmma_tile + Stage::pad);
                    if constexpr (std::is_same_v<T, float>) {
                        round_to_tf32(left[i]);
                        round_to_tf32(right[i]);
                    }
                }
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    wmma::mma_sync(sums[i / 2][i % 2], left[i / 2], right[i % 2], sums[i / 2][i % 2]);
            }
            __syncthreads();  // both tiles have been read
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
            wmma::store_matrix_sync(&shared.sums[warp_row + i / 2 * 16][warp_column + i % 2 * 16], sums[i / 2][i % 2],
                                    wmma_tile + 4, wmma::mem_row_major);
        __syncthreads();  // all warps' sums are in shared memory
        for (unsigned i = thread; i < wmma_tile * wmma_tile; i += wmma_block) {
            const unsigned y = i / wmma_tile, x = i % wmma_tile;
            if (top + y < m && left + x < n) c[(top + y) * n + left + x] = T(shared.sums[y][x]);
        }
    }
#endif
}

/// Grid ceil(n / 64) x ceil(m / 64), block 128.
template <typename T>
__global__ void __launch_bounds__(wmma_block) matmul_wmma(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    multiply_wmma(a, b, c, m, n, k);
}

template <typename T>
struct MatmulWmma {
    using Element = T;
    static constexpr int threads = wmma_block, resident = 5;
    static constexpr TileSize tile = {wmma_tile, wmma_tile, WmmaStage<T>::steps};

    __device__ static void multiply(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
        multiply_wmma(a, b, c, m, n, k);
    }
    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        return launch_tiles(arguments, wmma_tile, wmma_tile, [](const dim3& grid, const auto& of) {
            if (of.batch > 1) return launch_batch<MatmulWmma>(grid, of);
            matmul_wmma<<<grid, threads, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, dim3(threads), 0, address_of(matmul_wmma<T>)};
        });
    }
};

}  // namespace BACKEND
