#pragma once
// C = A B with few steps along k: the time is that of writing C.
//   matmul_few_steps   removes, from the tiled kernels, the stages and their barriers: a lane has a 16-byte piece of
//                      each of four rows of C and stores it with one instruction. B's part for the block's columns is
//                      staged once in shared memory, already converted
// Any m and n, up to 16 steps. A block's rows are of one class (see pieces.cuh): pieces of C are aligned to 16 bytes in
// memory, not within the row, and B is shifted in shared memory by as much. Only the pieces at the ends of a row are
// stored element by element.
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/thin/pieces.cuh"
#include "kernels/matmul/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// How the work is divided: `lanes` lanes per row; a block takes `rounds` sets of rows, one after another.
struct FewStepsPlan {
    size_t m = 0, n = 0, k = 0;
    unsigned classes = 1, lanes = 32, column_tiles = 1, rounds = 1;
    size_t row_tiles = 1;  // of all classes
};

constexpr int few_steps = 16, few_steps_rows = 4;  // rows per lane

template <typename T>
FewStepsPlan plan_few_steps(size_t m, size_t n, size_t k, unsigned multiprocessors) {
    constexpr unsigned blocks_per_multiprocessor = 4;
    FewStepsPlan plan{m, n, k};
    plan.classes = row_classes<T>(n);
    const size_t pieces = divide_up(n + (plan.classes > 1 ? piece_length<T> - 1 : 0), piece_length<T>);
    plan.lanes = lanes_for(pieces);
    plan.column_tiles = static_cast<unsigned>(divide_up(pieces, plan.lanes));
    const size_t class_sets = divide_up(divide_up(m, plan.classes), thin_block / plan.lanes * few_steps_rows),
                 sets = class_sets * plan.classes * plan.column_tiles,
                 rounds = sets / (blocks_per_multiprocessor * multiprocessors);
    plan.rounds = static_cast<unsigned>(rounds < 1 ? 1 : rounds > 64 ? 64 : rounds);
    plan.row_tiles = divide_up(class_sets, plan.rounds) * plan.classes;
    return plan;
}

/// Grid: grid_of_tiles(row_tiles, column_tiles). Block 256.
template <typename T>
__global__ void __launch_bounds__(thin_block, 2) matmul_few_steps(const T* a, const T* b, T* c, FewStepsPlan plan) {
    using Sum = SumOf<T>;
    constexpr int rows = few_steps_rows, length = piece_length<T>, part_length = Vector<Sum>::length;
    __shared__ __align__(16) Sum staged[few_steps * lanes_per_warp * length];
    const size_t tile = OneProduct::block_row();
    if (tile >= plan.row_tiles) return;
    const unsigned sets = thin_block / plan.lanes, set = threadIdx.x / plan.lanes, lane = threadIdx.x % plan.lanes;
    const auto row_class = static_cast<unsigned>(tile % plan.classes);
    const auto shift = static_cast<unsigned>(row_class * (plan.n % length) % length);
    const size_t first_shifted = size_t{blockIdx.x} * plan.lanes * length;
    const auto steps = static_cast<unsigned>(plan.k), columns = plan.lanes * length;
    for (unsigned i = threadIdx.x; i < steps * columns; i += thin_block) {
        const unsigned step = i / columns, x = i % columns;
        const size_t shifted = first_shifted + x;
        const bool there = shifted >= shift && shifted < plan.n + shift;
        staged[step * columns + staged_place<T>(static_cast<int>(x / length), static_cast<int>(x % length),
                                                static_cast<int>(plan.lanes))] =
            there ? static_cast<Sum>(b[step * plan.n + shifted - shift]) : Sum(0);
    }
    __syncthreads();                                     // B is staged
    const size_t first = first_shifted + lane * length;  // this lane's pieces, counted from each row's first piece
    if (first >= plan.n + shift) return;
    for (unsigned round = 0; round < plan.rounds; ++round) {
        const size_t first_set = (tile / plan.classes * plan.rounds + round) * sets * rows;
        size_t row_of[rows];
#pragma unroll
        for (int r = 0; r < rows; ++r) row_of[r] = row_class + plan.classes * (first_set + r * sets + set);
        if (row_of[0] >= plan.m) break;
        Sum sums[rows][length] = {};
        const T* elements[rows];
#pragma unroll
        for (int r = 0; r < rows; ++r) elements[r] = a + (row_of[r] < plan.m ? row_of[r] : row_of[0]) * plan.k;
#pragma unroll 4
        for (unsigned step = 0; step < steps; ++step) {
            Sum factors[rows];
#pragma unroll
            for (int r = 0; r < rows; ++r) factors[r] = static_cast<Sum>(elements[r][step]);
#pragma unroll
            for (int part = 0; part < staged_parts<T>; ++part) {
                const Vector<Sum> more =
                    staged_part<T>(staged + step * columns, static_cast<int>(lane), part, static_cast<int>(plan.lanes));
#pragma unroll
                for (int r = 0; r < rows; ++r)
#pragma unroll
                    for (int e = 0; e < part_length; ++e)
                        sums[r][part * part_length + e] += factors[r] * more.values[e];
            }
        }
        const bool whole = first >= shift && first + length <= plan.n + shift;
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            if (row_of[r] >= plan.m) break;
            T* const target = c + (row_of[r] * plan.n + first - shift);
            RawPiece piece;
#pragma unroll
            for (int e = 0; e < length; ++e) set_element(piece, e, static_cast<T>(sums[r][e]));
            if (whole) {
                *reinterpret_cast<RawPiece*>(target) = piece;
            } else {
#pragma unroll
                for (int e = 0; e < length; ++e)
                    if (first + e >= shift && first + e < plan.n + shift) target[e] = element_of<T>(piece, e);
            }
        }
    }
}

template <typename T>
struct FewSteps {
    static size_t workspace_bytes(const FewStepsPlan&) { return 0; }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const FewStepsPlan& plan) {
        const dim3 grid = grid_of_tiles(plan.row_tiles, plan.column_tiles), block(thin_block);
        matmul_few_steps<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(matmul_few_steps<T>)};
    }
};

}  // namespace BACKEND
