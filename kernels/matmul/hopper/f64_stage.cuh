// SPDX-License-Identifier: MIT
#pragma once
// How a warp of matmul_hopper_f64 multiplies a stage: with mma.sync.m16n8k16, which takes 16 rows by 8 columns in 16
// steps along k. For q = 0 to 3, lane 4 g + t holds rows g and g + 8 of the first operand and column g of the second,
// both at the step in place 4 q + t. It does not matter which steps, rows and columns of the tile are in which places,
// as long as both operands agree on the steps. We choose them so that one load brings a lane neighbors that the
// instruction wants in neighboring registers, and so that the eight lanes whose loads go together use different banks
// in rows of 128 swizzled bytes. This requires
// the transposed product, C' = B' A': the first operand is B', whose neighbors in memory are rows; the second is A'.
//     steps         in place 4 q + t: 8 (q / 2) + 2 t + q % 2
//     columns of C  in places g and g + 8 of 16: 2 g and 2 g + 1
//     rows of C     in place g of 8: g / 2 + 4 (g % 2)
// Operands that are stored transposed come from shared memory as they are; for them other rows and columns are in the
// places (see F64Position), and the neighbors that a load brings belong to two rows of places, so that moves between
// registers remain. Rows that are read in sets are not swizzled: for them it is
//     steps         in place 4 q + t: 4 t + q, which is row t of B's set q
//     rows of C     in place g of 8: g, which is in set g % 4
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/row_sets.cuh"

#include <cuda_runtime.h>

#include <type_traits>

namespace BACKEND {

/// d += a b for 16 x 8 elements and 16 steps.
__device__ inline void warp_multiply_add(double* d, const double (&a)[8], const double (&b)[4]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
          "d"(b[2]), "d"(b[3]));
}

/// A block's tile, and the part of each of its eight warps, which form a grid of warps_m x warps_n.
/// `by_row_sets`: rows of A and B may begin anywhere.
template <int tile_m_, int tile_n_, int warps_m_, int stages_, typename Layouts_, bool by_row_sets_ = false>
struct F64Shape {
    static constexpr bool by_row_sets = by_row_sets_;
    using Layouts = Layouts_;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, warps_m = warps_m_, warps_n = 8 / warps_m;
    static constexpr int warp_m = tile_m / warps_m, warp_n = tile_n / warps_n;
    static constexpr int eights = warp_m / 8, sixteens = warp_n / 16;  // a warp's rows and columns, in instructions
    static constexpr int sums = eights * sixteens * 4;                 // of a lane
    /// Where the sums of instruction (i, j) begin.
    __host__ __device__ static constexpr int first_sum(int i, int j) { return (i * sixteens + j) * 4; }
    using Pipeline = std::conditional_t<by_row_sets, RowSetPipeline<double, f64_row_sets, tile_m, tile_n, stages_>,
                                        HopperPipeline<double, tile_m, tile_n, stages_, 16, NoCluster, Layouts>>;
    using Maps = std::conditional_t<by_row_sets, RowSetMaps<f64_row_sets>, OperandMaps>;
    static_assert(warp_m % (Layouts::a_transposed ? 16 : 8) == 0 && warp_n % 16 == 0 &&
                  sizeof(typename Pipeline::Shared) <= most_shared_bytes);
};

/// A lane's g and t, and the corner of its warp's part of the tile.
template <typename Shape>
struct F64Position {
    int g, t, row, column;

    __device__ F64Position(int warp, int lane)
        : g(lane / 4),
          t(lane % 4),
          row(warp / Shape::warps_n * Shape::warp_m),
          column(warp % Shape::warps_n * Shape::warp_n) {}
    /// Which of the warp's rows is in that place of instructions (i, j). A transposed A's neighbors are rows, of which
    /// two instructions get one each.
    __device__ static int row_in(int i, int place) {
        return Shape::by_row_sets             ? i * 8 + place
               : Shape::Layouts::a_transposed ? i / 2 * 16 + 2 * place + i % 2
                                              : i * 8 + place / 2 + place % 2 * 4;
    }
    /// Which of its columns is in place g of instructions (i, j); the next one is in place g + 8.
    __device__ int column_in(int j) const {
        const int bits_swapped = g / 4 * 4 + g % 2 * 2 + g / 2 % 2;
        return j * 16 + 2 * (Shape::Layouts::b_transposed ? bits_swapped : g);
    }
    /// The stage's step in place 4 q + t, if it was not read in sets.
    __device__ int step_in(int q) const { return q / 2 * 8 + 2 * t + q % 2; }
};

/// The first operand of the warp's instructions (i, j) for a stage.
template <typename Shape>
__device__ inline void load_b(const double (*boxes)[16 * 16], const F64Position<Shape>& at, int j, double (&of_b)[8]) {
    if constexpr (Shape::Layouts::b_transposed) {  // rows of 16 along k, swizzled: two steps of a column
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
            for (int next = 0; next < 2; ++next) {
                const int column = at.column + at.column_in(j) + next;
                const auto two =
                    *reinterpret_cast<const double2*>(boxes[0] + column * 16 + ((half * 4 + at.t) ^ column % 8) * 2);
                of_b[4 * half + next] = two.x;
                of_b[4 * half + 2 + next] = two.y;
            }
    } else {  // boxes of 16 x 16, swizzled: two columns of a step
#pragma unroll
        for (int q = 0; q < 4; ++q)
            *reinterpret_cast<double2*>(of_b + 2 * q) = *reinterpret_cast<const double2*>(
                boxes[at.column / 16 + j] + at.step_in(q) * 16 + (at.g ^ at.step_in(q) % 8) * 2);
    }
}

/// sums += A B for a stage.
template <typename Shape>
__device__ inline void multiply_f64_stage(const double* a, const double (*boxes)[16 * 16], const F64Position<Shape>& at,
                                          double (&sums)[Shape::sums]) {
    double of_b[Shape::sixteens][8];
#pragma unroll
    for (int j = 0; j < Shape::sixteens; ++j) load_b<Shape>(boxes, at, j, of_b[j]);
    const auto multiply = [&](int i, const double(&of_a)[4]) {
#pragma unroll
        for (int j = 0; j < Shape::sixteens; ++j) warp_multiply_add(sums + Shape::first_sum(i, j), of_b[j], of_a);
    };
    if constexpr (Shape::Layouts::a_transposed) {  // boxes of 16 x 16, swizzled: two rows of a step
#pragma unroll
        for (int i = 0; i < Shape::eights; i += 2) {
            double even[4], odd[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                const auto two = *reinterpret_cast<const double2*>(a + (at.row + i * 8) * 16 + at.step_in(q) * 16 +
                                                                   (at.g ^ at.step_in(q) % 8) * 2);
                even[q] = two.x;
                odd[q] = two.y;
            }
            multiply(i, even);
            multiply(i + 1, odd);
        }
    } else {  // rows of 16 along k, swizzled: two steps of a row
#pragma unroll
        for (int i = 0; i < Shape::eights; ++i) {
            double of_a[4];
            const int row = at.row_in(0, at.g);
#pragma unroll
            for (int half = 0; half < 2; ++half)
                *reinterpret_cast<double2*>(of_a + 2 * half) =
                    *reinterpret_cast<const double2*>(a + (at.row + i * 8 + row) * 16 + ((half * 4 + at.t) ^ row) * 2);
            multiply(i, of_a);
        }
    }
}

/// Loads two neighbors: at once if they are 16-byte aligned.
__device__ inline void load_two(const double* from, double* two, bool aligned) {
    if (aligned) {
        *reinterpret_cast<double2*>(two) = *reinterpret_cast<const double2*>(from);
    } else {
        two[0] = from[0];
        two[1] = from[1];
    }
}

/// sums += A B for a stage that was read in sets of rows. If k or n is even, rows of A or B are shifted by even
/// numbers. (If k is odd, the rows of four neighboring g are shifted by different numbers modulo four: their lanes,
/// four steps apart, meet in no bank. If k is a multiple of four, two meet in each.)
template <bool even_k, bool even_n, typename Shape>
__device__ inline void multiply_shifted_sets(const typename Shape::Pipeline::Shared& ring, int stage,
                                             const RowSetMaps<f64_row_sets>& maps, const F64Position<Shape>& at,
                                             double (&sums)[Shape::sums]) {
    using Ring = typename Shape::Pipeline::Shared;
    static_assert(!Ring::wide, "the padding lies beside the rows");
    double of_b[Shape::sixteens][8];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        const double* const row =
            ring.b[stage][q] + at.t * Ring::row_of_b + at.column + shift_of_set<f64_row_sets>(maps.rest_of_n, q);
#pragma unroll
        for (int j = 0; j < Shape::sixteens; ++j)
            load_two(row + at.column_in(j), of_b[j] + 2 * q, even_n || q % 2 == 0);
    }
    const int set = at.g % 4;
    const double* const of_row = ring.a[stage][set] + (at.row + at.g) / 4 * Ring::row_of_a + 4 * at.t +
                                 shift_of_set<f64_row_sets>(maps.rest_of_k, set);
#pragma unroll
    for (int i = 0; i < Shape::eights; ++i) {
        double of_a[4];
#pragma unroll
        for (int q = 0; q < 4; q += 2) load_two(of_row + i * 2 * Ring::row_of_a + q, of_a + q, even_k);
#pragma unroll
        for (int j = 0; j < Shape::sixteens; ++j) warp_multiply_add(sums + Shape::first_sum(i, j), of_b[j], of_a);
    }
}

template <typename Shape>
__device__ inline void multiply_f64_row_sets(const typename Shape::Pipeline::Shared& ring, int stage,
                                             const RowSetMaps<f64_row_sets>& maps, const F64Position<Shape>& at,
                                             double (&sums)[Shape::sums]) {
    const bool even_k = maps.rest_of_k % 2 == 0,
               even_n = maps.rest_of_n % 2 == 0;  // but not both: see suits_row_sets()
    if (even_k) multiply_shifted_sets<true, false>(ring, stage, maps, at, sums);
    else if (even_n) multiply_shifted_sets<false, true>(ring, stage, maps, at, sums);
    else multiply_shifted_sets<false, false>(ring, stage, maps, at, sums);
}

}  // namespace BACKEND
