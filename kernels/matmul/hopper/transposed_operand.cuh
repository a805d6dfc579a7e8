// SPDX-License-Identifier: MIT
#pragma once
// B as the first operand of Hopper's tensor cores, for transposed products, C' = B' A': a warpgroup multiplies 64
// columns of C by as few as 8 of its rows.
#include "kernels/matmul/hopper/layouts.cuh"
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

/// B' as the tensor cores read it from shared memory: a warpgroup's 64 columns of B. In 16-bit types, A and B may each
/// be stored by rows or transposed; in tf32, B is transposed and A is not.
template <typename T, typename Layouts = PlainLayouts>
struct TransposedOperand {
    using OfB = StageOperand<Layouts::b_transposed>;
    using OfA = StageOperand<!Layouts::a_transposed>;
    static_assert(sizeof(T) == 2 || (Layouts::b_transposed && !Layouts::a_transposed), "tf32 along k");

    /// The lane's two columns of the tile: the first one, and the distance to the other.
    static constexpr int column_step = 8;
    __device__ static int first_column(int warp, int lane) { return warp * 16 + lane / 4; }

    std::uint64_t of_b = 0;

    template <int box>
    __device__ void load(const T (*boxes)[box], int warp, int) {
        constexpr int of_warpgroup = 64 * 128 / sizeof(T);
        of_b = OfB::descriptor(boxes[0] + warp / 4 * of_warpgroup);
    }
    /// Part i of four of a stage; `of_a` describes the whole.
    template <int tile_m>
    __device__ void multiply(float (&d)[tile_m / 2], int i, std::uint64_t of_a, int accumulate) const {
        const std::uint64_t b = of_b + i * OfB::next, a = of_a + i * OfA::next;
        if constexpr (sizeof(T) == 4) Wgmma<T, tile_m>::multiply(d, b, a, accumulate);
        else Wgmma<T, tile_m>::template multiply<Layouts::b_transposed, !Layouts::a_transposed>(d, b, a, accumulate);
    }
};

/// B' in tf32, in registers: [step of 8 along k][value]. A warp has 16 of a box's 32 columns, and a lane two of them,
/// chosen so that the 8-byte loads of half a warp, from four rows, fall into all 32 banks of the swizzled box.
template <bool a_transposed, bool c_transposed>
struct TransposedOperand<float, StoredLayouts<a_transposed, false, c_transposed>> {
    using OfA = StageOperand<true>;
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
    __device__ void multiply(float (&d)[tile_m / 2], int i, std::uint64_t of_a, int accumulate) const {
        Wgmma<float, tile_m>::multiply(d, values[i], of_a + i * OfA::next, accumulate);
    }
};

/// Stores a lane's f32 sums: in every eight rows two, `row` and the next, in two columns, `column` and `column_step`
/// further.
template <int tile_m, int column_step = 1>
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
    if (column_step == 1 && n % 2 == 0) {  // tested once, not at every store
        for_each_pair(
            [](float* pair, float one, float other) { *reinterpret_cast<float2*>(pair) = make_float2(one, other); });
    } else {
        const bool both = column + column_step < n;
        for_each_pair([=](float* first, float one, float other) {
            first[0] = one;
            if (both) first[column_step] = other;
        });
    }
}

/// The same for a C that is stored transposed, as n x m.
template <int tile_m>
__device__ inline void store_to_transposed_c(float* c, int row, int column, int m, int n,
                                             const float (&d)[tile_m / 2]) {
    const bool in_pairs = m % 2 == 0;
#pragma unroll
    for (int other = 0; other < 2; ++other) {
        if (column + other >= n) return;
        float* corner = c + static_cast<size_t>(column + other) * m + row;
#pragma unroll
        for (int group = 0; group < tile_m / 8; ++group) {
            const float* pair = d + 4 * group + 2 * other;
            if (in_pairs) {
                if (row + 8 * group < m) *reinterpret_cast<float2*>(corner + 8 * group) = make_float2(pair[0], pair[1]);
            } else {
                if (row + 8 * group < m) corner[8 * group] = pair[0];
                if (row + 8 * group + 1 < m) corner[8 * group + 1] = pair[1];
            }
        }
    }
}

}  // namespace BACKEND
