// SPDX-License-Identifier: MIT
#pragma once
// C = A B with few steps along k: the time is that of writing C.
//   matmul_few_steps   removes, from the tiled kernels, the stages along k and their barriers: a lane keeps its part of
//                      B, a few columns of every row, in registers, and computes and stores those columns of C, four
//                      rows at a time. The rows of A are staged in shared memory, already converted, and broadcast
// Any m and n, up to 16 steps. A block's rows are of one class (see pieces.cuh): a lane's columns are aligned in memory
// to the bytes of one store, not within the row. Only the elements at the ends of a row are stored one by one.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

constexpr unsigned few_steps = 16;
constexpr int few_steps_rows = 4;           // rows that a lane computes together
constexpr unsigned few_steps_resident = 2;  // blocks per multiprocessor

/// The columns of a lane: one store of at most 16 bytes, and B's part for 16 steps must fit into registers.
template <typename T>
constexpr int few_steps_columns = piece_length<T> < 4 ? piece_length<T> : 4;

/// How many rows of A, of `steps` elements, are staged together.
template <typename T, unsigned steps>
constexpr unsigned few_steps_chunk = 16 * 1024 / sizeof(SumOf<T>) / steps;

/// How the work is divided: `lanes` lanes per row, which cover the columns of a block, and `rows` rows of one class.
struct FewStepsPlan {
    size_t m = 0, n = 0, k = 0;
    unsigned classes = 1, lanes = 32, column_tiles = 1;
    size_t rows = 0, row_tiles = 1;  // row_tiles: of all classes
};

/// The plan that leaves few lanes idle, and no multiprocessor for long. (By timings of 225 products of f32, f64 and
/// bf16 with all numbers of lanes and one to eight waves, on an H200: it takes 2 % longer than the best, on average.)
template <typename T>
FewStepsPlan plan_few_steps(size_t m, size_t n, size_t k, unsigned multiprocessors) {
    constexpr unsigned length = few_steps_columns<T>;
    FewStepsPlan plan{m, n, k};
    plan.classes = row_classes(n, length);
    const size_t pieces = divide_up(n + (plan.classes > 1 ? length - 1 : 0), length);
    // The lanes that a row occupies, idle ones included; a tile, whose part of a row is short, costs as much as 8 more.
    const auto weight = [&](unsigned lanes) {
        constexpr unsigned of_tile = 8;
        return divide_up(pieces, lanes) * (lanes + of_tile);
    };
    plan.lanes = lanes_for(pieces);
    for (unsigned lanes = 2 * lanes_per_warp; lanes <= thin_block; lanes *= 2)
        if (weight(lanes) < weight(plan.lanes)) plan.lanes = lanes;
    plan.column_tiles = static_cast<unsigned>(divide_up(pieces, plan.lanes));
    // One wave of blocks, so that each stages A and loads B once. Kernels of up to four steps use few registers, and
    // more blocks are resident; if C is large, several waves balance better, because the last one is a small part.
    constexpr size_t fewest_steps = 4, large = 40'000'000;
    const size_t waves = k <= fewest_steps && m * n * sizeof(T) > large ? 4 : 1,
                 slots = size_t{few_steps_resident} * multiprocessors,
                 groups = size_t{plan.classes} * plan.column_tiles;  // of blocks, with the rows of a class
    size_t of_group = slots * waves / groups;                        // blocks
    constexpr size_t enough = 4;
    if (of_group < enough) {  // so few leave many slots empty: a number whose last wave is nearly full
        const auto time = [&](size_t blocks) { return double(divide_up(groups * blocks, slots)) / double(blocks); };
        of_group = 1;
        for (size_t blocks = 2; blocks <= 2 * enough; ++blocks)
            if (time(blocks) < time(of_group)) of_group = blocks;
    }
    const size_t class_rows = divide_up(m, plan.classes), at_once = thin_block / plan.lanes;
    plan.rows = divide_up(divide_up(class_rows, of_group), at_once) * at_once;
    plan.row_tiles = divide_up(class_rows, plan.rows) * plan.classes;
    return plan;
}

/// Grid: grid_of_tiles(row_tiles, column_tiles). Block 256. `steps`: at least k; those beyond it multiply zeros.
template <typename T, unsigned steps>
__global__ void __launch_bounds__(thin_block, few_steps_resident)
    matmul_few_steps(const T* a, const T* b, T* c, FewStepsPlan plan) {
    using Sum = SumOf<T>;
    constexpr int rows = few_steps_rows, length = few_steps_columns<T>;
    constexpr unsigned chunk = few_steps_chunk<T, steps>;
    __shared__ __align__(16) Sum staged[chunk * steps];
    const size_t tile = row_of_tiles();
    if (tile >= plan.row_tiles) return;
    const unsigned sets = thin_block / plan.lanes, set = threadIdx.x / plan.lanes, lane = threadIdx.x % plan.lanes;
    const auto row_class = static_cast<unsigned>(tile % plan.classes);
    const auto shift = static_cast<unsigned>(row_class * (plan.n % length) % length);
    // Columns are counted from the aligned place at or before the row's first element.
    const size_t first = (size_t{blockIdx.x} * plan.lanes + lane) * length, row_end = plan.n + shift;
    const auto exists = [&](int e) { return first + e >= shift && first + e < row_end; };
    T of_b[steps][length];  // without a branch, so that no load waits for another
#pragma unroll
    for (unsigned step = 0; step < steps; ++step)
#pragma unroll
        for (int e = 0; e < length; ++e)
            of_b[step][e] = b[step < plan.k && exists(e) ? step * plan.n + first + e - shift : 0];
    const bool whole = first >= shift && first + length <= row_end;
    const size_t begin = tile / plan.classes * plan.rows,
                 class_rows = (plan.m - row_class + plan.classes - 1) / plan.classes,
                 end = begin + plan.rows < class_rows ? begin + plan.rows : class_rows;
    const auto row_of = [&](size_t i) { return row_class + plan.classes * i; };
    const auto count_of = [&](size_t of_chunk) {
        return end - of_chunk < chunk ? static_cast<unsigned>(end - of_chunk) : chunk;
    };
    const auto stage = [&](size_t of_chunk) {
        stage_elements(
            a, staged, count_of(of_chunk) * steps,
            [&](unsigned i) {
                const unsigned step = i % steps;
                return step < plan.k ? row_of(of_chunk + i / steps) * plan.k + step : no_element;
            },
            [](unsigned i) { return i; });
        __syncthreads();  // these rows of A are staged
    };
    if (begin >= end) return;
    stage(begin);
    Sum factors[steps][length];  // after the barrier: B's loads are in flight together with A's
#pragma unroll
    for (unsigned step = 0; step < steps; ++step)
#pragma unroll
        for (int e = 0; e < length; ++e)
            factors[step][e] = step < plan.k && exists(e) ? static_cast<Sum>(of_b[step][e]) : Sum(0);
    for (size_t of_chunk = begin; of_chunk < end; of_chunk += chunk) {
        if (of_chunk > begin) {
            __syncthreads();  // the previous rows of A have been read
            stage(of_chunk);
        }
        const unsigned count = count_of(of_chunk);
        if (first >= row_end) continue;
        for (unsigned row = set; row < count; row += sets * rows) {
            Sum sums[rows][length] = {};
            constexpr int most = Vector<Sum>::length, part_length = steps < most ? int(steps) : most;
            struct alignas(part_length * sizeof(Sum)) Part {
                Sum values[part_length];
            };
#pragma unroll
            for (int part = 0; part < int(steps) / part_length; ++part)
#pragma unroll
                for (int r = 0; r < rows; ++r) {
                    const unsigned existing = row + r * sets < count ? row + r * sets : row;
                    const Part elements = reinterpret_cast<const Part*>(staged + existing * steps)[part];
#pragma unroll
                    for (int i = 0; i < part_length; ++i)
#pragma unroll
                        for (int e = 0; e < length; ++e)
                            sums[r][e] += elements.values[i] * factors[part * part_length + i][e];
                }
#pragma unroll
            for (int r = 0; r < rows; ++r) {
                if (row + r * sets >= count) break;
                T* const target = c + (row_of(of_chunk + row + r * sets) * plan.n + first - shift);
                PackedResults<T, length> results;
#pragma unroll
                for (int e = 0; e < length; ++e) results.values[e] = static_cast<T>(sums[r][e]);
                if (whole) {
                    store_packed(target, results);
                } else {
#pragma unroll
                    for (int e = 0; e < length; ++e)
                        if (exists(e)) target[e] = results.values[e];
                }
            }
        }
    }
}

template <typename T>
struct FewSteps {
    static size_t workspace_bytes(const FewStepsPlan&) { return 0; }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const FewStepsPlan& plan) {
        if (plan.k <= 1) return enqueue_with<1>(arguments, plan);
        if (plan.k <= 2) return enqueue_with<2>(arguments, plan);
        if (plan.k <= 4) return enqueue_with<4>(arguments, plan);
        if (plan.k <= 8) return enqueue_with<8>(arguments, plan);
        return enqueue_with<few_steps>(arguments, plan);
    }

private:
    template <unsigned steps>
    static LaunchShape enqueue_with(const MatmulArguments<T>& arguments, const FewStepsPlan& plan) {
        const dim3 grid = grid_of_tiles(plan.row_tiles, plan.column_tiles), block(thin_block);
        matmul_few_steps<T, steps>
            <<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(matmul_few_steps<T, steps>)};
    }
};

}  // namespace BACKEND
