// SPDX-License-Identifier: MIT
#pragma once
// f32 on Hopper's tensor cores, with f32's accuracy or nearly:
//   matmul_hopper_tf32x3   removes, from the tf32 kernel, the rounding of the inputs: a factor becomes the sum of two
//                          tf32 numbers, the nearest one and the nearest to the remainder, together 22 of its 24 bits.
//                          Of the four products of such parts three are added, at a third of tf32's speed; the fourth
//                          is below 2^-22 of the whole
// Tensor cores truncate their sums, whereas the f32 units round; over a long k the truncation errors, all of one sign,
// would add up. So the tensor cores add the products of one stage only, the small ones first, and the f32 units add
// these sums. After Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while surpassing the
// FP32 theoretical peak performance", 2022.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/tf32_rounding.cuh"
#include "kernels/matmul/hopper/tf32x3_workspace.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Four neighbors of a row of A, zero beyond its last row and column.
__device__ inline float4 four_of_row(const float* a, size_t m, size_t k, size_t row, size_t column) {
    const float* from = a + row * k + column;
    if (row >= m || column >= k) return make_float4(0, 0, 0, 0);
    if (k % 4 == 0) return *reinterpret_cast<const float4*>(from);
    return make_float4(from[0], column + 1 < k ? from[1] : 0, column + 2 < k ? from[2] : 0,
                       column + 3 < k ? from[3] : 0);
}

/// Splits A into two matrices of tf32 numbers, interleaved in one: eight rows of large parts, the same rows of small
/// parts, and so on. Zero beyond A's last row and column. Any grid and block; a thread writes a 16-byte piece of each.
__global__ void split_rows(const float* a, size_t m, size_t k, float* split, size_t split_columns) {
#if HOPPER_CODE
    const size_t pieces = split_columns / 4, all = divide_up(m, 8) * 8 * pieces;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += grid_stride) {
        const size_t row = i / pieces, column = i % pieces * 4;
        const float4 four = four_of_row(a, m, k, row, column);
        const float4 large =
            make_float4(nearest_tf32(four.x), nearest_tf32(four.y), nearest_tf32(four.z), nearest_tf32(four.w));
        float4* piece = reinterpret_cast<float4*>(split + (row / 8 * 16 + row % 8) * split_columns + column);
        piece[0] = large;
        piece[2 * split_columns] = make_float4(nearest_tf32(four.x - large.x), nearest_tf32(four.y - large.y),
                                               nearest_tf32(four.z - large.z), nearest_tf32(four.w - large.w));
    }
#endif
}

/// The lane's elements of a stage of B', split.
struct SplitOperand {
    TransposedOperand<float> large, small;

    __device__ void load(const float (*boxes)[32 * 32], int warp, int lane) {
        large.load(boxes, warp, lane);
#pragma unroll
        for (int step = 0; step < 4; ++step)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float value = __uint_as_float(large.values[step][i]), nearest = nearest_tf32(value);
                large.values[step][i] = __float_as_uint(nearest);
                small.values[step][i] = __float_as_uint(nearest_tf32(value - nearest));
            }
    }

    /// d = its product with a stage of the split A: a group of wgmmas.
    template <int tile_m>
    __device__ void multiply(float (&d)[tile_m / 2], const float* split_a) const {
        const std::uint64_t large_a = wgmma_operand(split_a, 16, 2048),
                            small_a = wgmma_operand(split_a + 8 * 32, 16, 2048);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            small.multiply<tile_m>(d, i, large_a, i > 0);
            large.multiply<tile_m>(d, i, small_a, 1);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) large.multiply<tile_m>(d, i, large_a, 1);
        wgmma_commit();
    }
};

/// Sums of fewer products than this may lose more than the f32 units would by rounding.
constexpr int least_tensor_k = 8;

/// Recomputes on the f32 units those of the lane's results that are not finite: an infinite factor splits into infinity
/// and NaN, and one near f32's largest number rounds to an infinite tf32. For a very short k, recomputes all results.
template <int tile_m>
__device__ __noinline__ void multiply_plainly(const float* a, const float* b, float* c, int row, int column, int m,
                                              int n, int k) {
    for (int i = 0; i < tile_m / 2; ++i) {  // in the order of store_transposed()
        const int r = row + i / 4 * 8 + i % 2, x = column + i / 2 % 2;
        if (r >= m || x >= n) continue;
        float* result = c + static_cast<size_t>(r) * n + x;
        if (k >= least_tensor_k && isfinite(*result)) continue;
        float sum = 0;
        for (int step = 0; step < k; ++step)
            sum += a[static_cast<size_t>(r) * k + step] * b[static_cast<size_t>(step) * n + x];
        *result = sum;
    }
}

template <int count>
__device__ inline bool all_finite(const float (&sums)[count]) {
    float zero = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) zero += 0.0f * sums[i];  // NaN for infinity and NaN
    return zero == 0.0f;
}

/// Grid: at most one block per multiprocessor; block 384. A tile is tile_m x 128. map_a describes the split A.
template <int tile_m, int stages, bool stream_k>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_tf32x3(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                         const float* a, const float* b, float* c, int m, int n, int k, TileOrder order,
                         StreamKSchedule schedule, PartialSums partial) {
#if HOPPER_CODE
    constexpr int tile_n = 128, warpgroups = 2;
    using Pipeline = HopperPipeline<float, 2 * tile_m, tile_n, stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Pipeline::Shared*>(memory);
    typename Pipeline::Position position;
    Pipeline::begin(shared, map_a, map_b, warpgroups);

    TileSegment segment;
    if (threadIdx.x < 128) {
        give_up_registers<40>();
        if (threadIdx.x >= 32 || !is_elected_lane()) return;
        produce_segments<Pipeline, stream_k>(shared, MapPair{map_a, map_b}, order, schedule);
        return;
    }
    take_registers<232>();
    const int warp = static_cast<int>(threadIdx.x) / 32 - 4, lane = static_cast<int>(threadIdx.x) % 32;
    const auto load = [&](SplitOperand& operand) {
        barrier_wait(&shared.filled[position.stage], position.parity);
        operand.load(shared.b[position.stage], warp, lane);
    };
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, segment); ++index) {
        float sums[tile_m / 2] = {};
        SplitOperand operands[2];  // one is multiplied while the other is loaded
        load(operands[0]);
        for (int first = segment.first; first < segment.end; first += 2) {
#pragma unroll
            for (int odd = 0; odd < 2; ++odd) {
                const int step = first + odd, stage = position.stage;
                if (step >= segment.end) break;
                float d[tile_m / 2];
                operands[odd].multiply<tile_m>(d, shared.a[stage]);
                position.advance();
                if (step + 1 < segment.end) load(operands[1 - odd]);
                wgmma_wait<0>();
                wgmma_settle(d);
                Pipeline::release(shared, stage, threadIdx.x % 128);
#pragma unroll
                for (int i = 0; i < tile_m / 2; ++i) sums[i] += d[i];
            }
        }
        if constexpr (stream_k)
            if (!SumsOfShares<128 * warpgroups, float, tile_m / 2, false>::complete(sums, segment, schedule, partial,
                                                                                    threadIdx.x - 128))
                continue;
        unsigned tile_row = 0, tile_column = 0;
        order.place(segment.tile, tile_row, tile_column);
        const int row = static_cast<int>(tile_row) * tile_m + lane % 4 * 2,
                  column = static_cast<int>(tile_column) * tile_n + TransposedOperand<float>::first_column(warp, lane);
        store_transposed<tile_m>(c, row, column, m, n, sums);
        if (k < least_tensor_k || !all_finite(sums)) multiply_plainly<tile_m>(a, b, c, row, column, m, n, k);
    }
#endif
}

template <int tile_m_, int stages, bool stream_k_>
struct Tf32x3Tile : HopperTile {
    using Element = float;
    static constexpr unsigned tile_m = tile_m_, tile_n = 128;
    static constexpr bool stream_k = stream_k_;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        constexpr unsigned group = 6;
        using Pipeline = HopperPipeline<float, 2 * tile_m_, 128, stages>;
        const size_t m = arguments.m, n = arguments.n, k = arguments.k;
        auto* d_split = static_cast<float*>(arguments.d_workspace);
        auto* d_padded = d_split + padded_bytes<float>(split_row_count(m), k) / sizeof(float);
        const size_t split_columns = padded_columns<float>(k), pieces = split_row_count(m) / 2 * split_columns / 4;
        constexpr unsigned blocks_per_multiprocessor = 4;  // with 8, writes get in the way of reads: 8 % slower
        split_rows<<<grid_stride_blocks(pieces, arguments.multiprocessors, blocks_per_multiprocessor),
                     grid_stride_threads, 0, arguments.stream>>>(arguments.d_a, m, k, d_split, split_columns);
        const float* d_b = with_aligned_rows(arguments.d_b, k, n, d_padded, arguments);
        const TileOrder order{grid_for(m, tile_m), grid_for(n, tile_n), group};
        const StreamKSchedule schedule =
            stream_k_schedule(order.tiles(), k, hopper_tile_k<float>, arguments.multiprocessors, arguments.sharing);
        const CUtensorMap map_a = tensor_map(d_split, split_row_count(m), k, split_columns, 2 * tile_m,
                                             hopper_tile_k<float>, CU_TENSOR_MAP_SWIZZLE_128B),
                          map_b = tensor_map(d_b, k, n, padded_columns<float>(n), hopper_tile_k<float>,
                                             hopper_tile_k<float>, CU_TENSOR_MAP_SWIZZLE_128B);
        return launch_hopper(matmul_hopper_tf32x3<tile_m_, stages, stream_k_>,
                             stream_k_grid(schedule, arguments.multiprocessors), 384, sizeof(typename Pipeline::Shared),
                             1, arguments.stream, map_a, map_b, arguments.d_a, arguments.d_b, arguments.d_c, int(m),
                             int(n), int(k), order, schedule, partial_sums(arguments));
    }
};

}  // namespace BACKEND
