#pragma once
// B as the first operand of Hopper's tensor cores, for transposed products, C' = B' A': a warpgroup multiplies 64
// columns of C by as few as 8 of its rows.
#include "kernels/matmul/hopper/tensor_map.cuh"
#include "kernels/matmul/hopper/wgmma.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// TMA rounds f32 to tf32.
template <typename T>
constexpr CUtensorMapDataType transposed_map_type = sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
                                                                   : tensor_map_type<T>;

/// B' in 16-bit types: the tensor cores read a warpgroup's box of 64 columns from shared memory.
template <typename T>
struct TransposedOperand {
    /// The lane's two columns of the tile: the first one, and the distance to the other.
    static constexpr int column_step = 8;
    __device__ static int first_column(int warp, int lane) { return warp * 16 + lane / 4; }

    std::uint64_t box = 0;

    __device__ void load(const T (*boxes)[64 * 64], int warp, int) {
        box = wgmma_operand(boxes[warp / 4], 64 * 128, 1024);
    }
    template <int tile_m>
    __device__ void multiply(float (&d)[tile_m / 2], int i, std::uint64_t a, int accumulate) const {
        WgmmaTransposed<T, tile_m>::multiply(d, box + i * 128, a, accumulate);
    }
};

/// B' in tf32, in registers: [step of 8 along k][value]. A warp has 16 of a box's 32 columns, and a lane two of them,
/// chosen so that the 8-byte loads of half a warp, from four rows, fall into all 32 banks of the swizzled box.
template <>
struct TransposedOperand<float> {
    static constexpr int column_step = 1;
    __device__ static int piece(int warp, int lane) { return lane / 8 % 2 * 4 + lane / 16 + warp % 2 * 2; }
    __device__ static int first_column(int warp, int lane) {
        return warp / 2 * 32 + piece(warp, lane) * 4 + lane / 4 % 2 * 2;
    }

    std::uint32_t values[4][4];

    __device__ void load(const float (*boxes)[32 * 32], int warp, int lane) {
#pragma unroll
        for (int step = 0; step < 4; ++step)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = lane % 4 + 4 * half, swizzled = piece(warp, lane) ^ row;
                const float* row_begin = boxes[warp / 2] + (8 * step + row) * 32;
                const auto two = *reinterpret_cast<const uint2*>(row_begin + swizzled * 4 + lane / 4 % 2 * 2);
                values[step][2 * half] = two.x;
                values[step][2 * half + 1] = two.y;
            }
    }
    template <int tile_m>
    __device__ void multiply(float (&d)[tile_m / 2], int i, std::uint64_t a, int accumulate) const {
        WgmmaTransposed<float, tile_m>::multiply(d, values[i], a, accumulate);
    }
};

/// Stores a lane's f32 sums: in every eight rows two, `row` and the next, in two columns, `column` and the next.
template <int tile_m>
__device__ inline void store_transposed(float* c, int row, int column, int m, int n, const float (&d)[tile_m / 2]) {
    if (column >= n) return;
    float* corner = c + static_cast<size_t>(row) * n + column;
    const auto for_each_pair = [&](auto store) {
#pragma unroll
        for (int group = 0; group < tile_m / 8; ++group)
#pragma unroll
            for (int odd = 0; odd < 2; ++odd)
                if (row + 8 * group + odd < m)
                    store(corner + static_cast<size_t>(8 * group + odd) * n, d[4 * group + odd],
                          d[4 * group + 2 + odd]);
    };
    if (n % 2 == 0) {  // tested once, not at every store
        for_each_pair(
            [](float* pair, float one, float other) { *reinterpret_cast<float2*>(pair) = make_float2(one, other); });
    } else {
        const bool both = column + 1 < n;
        for_each_pair([=](float* pair, float one, float other) {
            pair[0] = one;
            if (both) pair[1] = other;
        });
    }
}

}  // namespace BACKEND
