// SPDX-License-Identifier: MIT
#pragma once
// How a warp multiplies in hopper/direct.cuh, one struct per type: with mma.sync, the tensor cores' instruction for one
// warp, or with multiply-adds for f32. Both operands keep their layout in shared memory: A's rows run along k, B's
// along n. For nvcc only, in code compiled for sm_90a.
//
// In an m16n8 instruction, lane 4 g + t holds the sums of rows g and g + 8, columns 2 t and 2 t + 1.
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/hopper/tf32_rounding.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// A stage in shared memory: 128 bytes of each row of A. Rows are padded by at least one 16-byte piece, and so that the
/// elements that a warp reads together lie in different banks.
template <typename T>
struct DirectLayout {
    static constexpr int tile_k = 128 / sizeof(T), piece = 16 / sizeof(T);
    static constexpr int row_a = tile_k + (sizeof(T) == 2 ? 8 : 4);
    __host__ __device__ static constexpr int row_b(int tile_n) { return tile_n + (sizeof(T) == 8 ? 4 : 8); }
};

template <typename T>
__device__ inline void warp_multiply_add(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1) {
    if constexpr (std::is_same_v<T, __half>)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void warp_multiply_add(double (&d)[4], const double (&a)[4], double b0, double b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
}

/// Loads four 8 x 8 matrices of 16-bit elements: lane i gives the address of row i % 8 of matrix i / 8.
__device__ inline void load_matrices(std::uint32_t (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices_transposed(std::uint32_t (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/// The sums of warp_m x warp_n elements in m16n8 tiles.
template <typename Sum, int warp_m, int warp_n>
struct WarpSums {
    static constexpr int tiles_m = warp_m / 16, tiles_n = warp_n / 8;
    Sum d[tiles_m][tiles_n][4] = {};

    /// Stores the sums to shared memory, in rows of row_elements.
    __device__ void store(Sum* target, int row_elements, int lane) const {
#pragma unroll
        for (int i = 0; i < tiles_m; ++i)
#pragma unroll
            for (int j = 0; j < tiles_n; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    Sum* at = target + (i * 16 + half * 8 + lane / 4) * row_elements + j * 8 + lane % 4 * 2;
                    at[0] = d[i][j][2 * half];
                    at[1] = d[i][j][2 * half + 1];
                }
    }
};

/// Where rows begin in shared memory if they are copied as the pieces that cover them: a lane's rows of A, and those of B
/// at its two first steps along k. (Rows begin alike whose distance is a multiple of a piece's elements.)
struct RowShifts {
    unsigned a, b[2];
};
/// The first of a lane's two neighboring steps along k of an m16n8k16 instruction, or its only one of an m16n8k8.
template <typename T>
__device__ inline unsigned step_of(int lane) {
    return lane % 4 * (sizeof(T) == 2 ? 2 : 1);
}

/// sums += A B for a stage; the warp's rows begin at `a`, its columns at `b`. `existing`: the steps along k that the
/// stage has; zeros follow, which tensor cores may multiply. Calls meanwhile() once the first steps are in flight. This
/// template is for 16-bit types.
template <typename T, int tile_n, int warp_m, int warp_n>
struct WarpProduct : WarpSums<float, warp_m, warp_n> {
    using Layout = DirectLayout<T>;
    using Sums = WarpSums<float, warp_m, warp_n>;

    template <typename Meanwhile>
    __device__ void multiply(const T* a, const T* b, int lane, int /*existing*/, Meanwhile meanwhile) {
        constexpr int row_b = Layout::row_b(tile_n);
#pragma unroll
        for (int k = 0; k < Layout::tile_k; k += 16) {
            std::uint32_t left[Sums::tiles_m][4];
#pragma unroll
            for (int i = 0; i < Sums::tiles_m; ++i)
                load_matrices(left[i], a + (i * 16 + lane % 16) * Layout::row_a + k + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < Sums::tiles_n; j += 2) {
                std::uint32_t right[4];
                load_matrices_transposed(right, b + (k + lane % 16) * row_b + j * 8 + lane / 16 * 8);
#pragma unroll
                for (int i = 0; i < Sums::tiles_m; ++i) {
                    warp_multiply_add<T>(this->d[i][j], left[i], right[0], right[1]);
                    warp_multiply_add<T>(this->d[i][j + 1], left[i], right[2], right[3]);
                }
            }
            if (k == 0) meanwhile();
        }
    }

    /// The same where rows are shifted: ldmatrix would need them at multiples of 16 bytes.
    template <typename Meanwhile>
    __device__ void multiply_shifted(const T* a, const T* b, int lane, const RowShifts& shifts, Meanwhile meanwhile) {
        constexpr int row_b = Layout::row_b(tile_n);
        const int g = lane / 4, step = static_cast<int>(step_of<T>(lane));
        const bool odd = shifts.a % 2 == 1;  // a lane's two elements are parts of two words
        const auto* const words = reinterpret_cast<const std::uint32_t*>(a + g * Layout::row_a + step + shifts.a - odd);
        const auto* const elements = reinterpret_cast<const unsigned short*>(b) + step * row_b + g;
#pragma unroll
        for (int k = 0; k < Layout::tile_k; k += 16) {
            std::uint32_t left[Sums::tiles_m][4];
#pragma unroll
            for (int i = 0; i < Sums::tiles_m; ++i)
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    const std::uint32_t* const at = words + ((i * 16 + x % 2 * 8) * Layout::row_a + k + x / 2 * 8) / 2;
                    left[i][x] = odd ? __funnelshift_r(at[0], at[1], 16) : at[0];
                }
#pragma unroll
            for (int j = 0; j < Sums::tiles_n; ++j) {
                std::uint32_t right[2];
#pragma unroll
                for (int x = 0; x < 2; ++x) {
                    const unsigned short* const at = elements + (k + x * 8) * row_b + j * 8;
                    right[x] = at[shifts.b[0]] | std::uint32_t{at[row_b + shifts.b[1]]} << 16;
                }
#pragma unroll
                for (int i = 0; i < Sums::tiles_m; ++i)
                    warp_multiply_add<T>(this->d[i][j], left[i], right[0], right[1]);
            }
            if (k == 0) meanwhile();
        }
    }
};

/// The same for tf32 and f64, eight steps along k at once.
template <typename T, typename Operand, int tile_n, int warp_m, int warp_n>
struct WideWarpProduct : WarpSums<T, warp_m, warp_n> {
    using Layout = DirectLayout<T>;
    using Sums = WarpSums<T, warp_m, warp_n>;

    __device__ static Operand operand(T value) {
        if constexpr (std::is_same_v<T, float>) return bits_of_nearest_tf32(value);
        else return value;
    }

    template <typename Meanwhile>
    __device__ void multiply(const T* a, const T* b, int lane, int /*existing*/, Meanwhile meanwhile) {
        multiply_shifted(a, b, lane, {}, meanwhile);
    }

    template <typename Meanwhile>
    __device__ void multiply_shifted(const T* a, const T* b, int lane, const RowShifts& shifts, Meanwhile meanwhile) {
        constexpr int row_b = Layout::row_b(tile_n);
        const int g = lane / 4, t = lane % 4;
        a += shifts.a;
        b += shifts.b[0];
#pragma unroll
        for (int k = 0; k < Layout::tile_k; k += 8) {
            Operand left[Sums::tiles_m][4], right[Sums::tiles_n][2];
#pragma unroll
            for (int i = 0; i < Sums::tiles_m; ++i)
#pragma unroll
                for (int x = 0; x < 4; ++x)
                    left[i][x] = operand(a[(i * 16 + x % 2 * 8 + g) * Layout::row_a + k + x / 2 * 4 + t]);
#pragma unroll
            for (int j = 0; j < Sums::tiles_n; ++j)
#pragma unroll
                for (int x = 0; x < 2; ++x) right[j][x] = operand(b[(k + x * 4 + t) * row_b + j * 8 + g]);
#pragma unroll
            for (int i = 0; i < Sums::tiles_m; ++i)
#pragma unroll
                for (int j = 0; j < Sums::tiles_n; ++j) {
                    if constexpr (std::is_same_v<T, float>)
                        warp_multiply_add<float>(this->d[i][j], left[i], right[j][0], right[j][1]);
                    else warp_multiply_add(this->d[i][j], left[i], right[j][0], right[j][1]);
                }
            if (k == 0) meanwhile();
        }
    }
};
template <int tile_n, int warp_m, int warp_n>
struct WarpProduct<float, tile_n, warp_m, warp_n> : WideWarpProduct<float, std::uint32_t, tile_n, warp_m, warp_n> {};
template <int tile_n, int warp_m, int warp_n>
struct WarpProduct<double, tile_n, warp_m, warp_n> : WideWarpProduct<double, double, tile_n, warp_m, warp_n> {};

/// f32 with multiply-adds, by 4 x 8 lanes: a lane has every fourth row, and four neighbors of every 32 columns. A stage
/// is multiplied in a loop whose rounds take `loop_steps` steps along k: the last one may multiply zeros.
template <int tile_n, int warp_m, int warp_n, int loop_steps>
struct MultiplyAddProduct {
    using Layout = DirectLayout<float>;
    static_assert(Layout::tile_k % loop_steps == 0 && loop_steps % 4 == 0, "rounds end with the stage");
    static constexpr int rows = warp_m / 4, fours = warp_n / 32;
    float d[rows][fours][4] = {};

    template <typename Meanwhile>
    __device__ void multiply(const float* a, const float* b, int lane, int existing, Meanwhile meanwhile) {
        meanwhile();
        a += lane / 8 * Layout::row_a;
        b += lane % 8 * 4;
#pragma unroll 1
        for (int left = existing; left > 0; left -= loop_steps) {
#pragma unroll
            for (int k = 0; k < loop_steps; k += 4) multiply_four_steps(a + k, b + k * row_b);
            a += loop_steps;
            b += loop_steps * row_b;
        }
    }

    __device__ void store(float* target, int row_elements, int lane) const {
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
            for (int v = 0; v < fours; ++v)
                *reinterpret_cast<float4*>(target + (r * 4 + lane / 8) * row_elements + v * 32 + lane % 8 * 4) =
                    make_float4(d[r][v][0], d[r][v][1], d[r][v][2], d[r][v][3]);
    }

private:
    static constexpr int row_b = Layout::row_b(tile_n);

    __device__ void multiply_four_steps(const float* a_rows, const float* b_columns) {
        float4 right[4][fours];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int v = 0; v < fours; ++v)
                right[i][v] = *reinterpret_cast<const float4*>(b_columns + i * row_b + v * 32);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            const float4 left = *reinterpret_cast<const float4*>(a_rows + r * 4 * Layout::row_a);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float element = i == 0 ? left.x : i == 1 ? left.y : i == 2 ? left.z : left.w;
#pragma unroll
                for (int v = 0; v < fours; ++v) {
                    d[r][v][0] += element * right[i][v].x;
                    d[r][v][1] += element * right[i][v].y;
                    d[r][v][2] += element * right[i][v].z;
                    d[r][v][3] += element * right[i][v].w;
                }
            }
        }
    }
};

}  // namespace BACKEND
