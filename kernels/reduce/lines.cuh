// SPDX-License-Identifier: MIT
#pragma once
//   reduce_lines   a summary for every row or column of a matrix, of the part that lies in one piece of it
// A row gets a warp; its lanes read neighboring elements. A column gets a thread, so that a warp reads neighboring
// columns; if columns are few, several threads share one's rows. Any piece; block a multiple of 32, any grid.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/summary.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// n elements of a row-major matrix from element `begin` on. Its partial summaries are those of consecutive lines,
/// wrapping around for columns, group by group.
struct MatrixPiece {
    size_t columns, begin, n;
    bool lines_are_rows;

    __host__ __device__ size_t steps() const { return divide_up(n, columns); }  // most elements of one column
    __host__ __device__ size_t lines() const {
        if (lines_are_rows) return n == 0 ? 0 : (begin + n - 1) / columns - begin / columns + 1;
        return n < columns ? n : columns;
    }
    /// Into how many shares a column's rows are divided: enough to occupy the device.
    __host__ __device__ size_t groups() const {
        constexpr size_t enough = 16384;
        if (lines_are_rows || n == 0) return 1;
        const size_t wanted = divide_up(enough, lines());
        return wanted < steps() ? wanted : steps();
    }
    __host__ __device__ size_t partials() const { return lines() * groups(); }
    __host__ __device__ size_t line_of(size_t partial) const {
        return lines_are_rows ? begin / columns + partial : (begin + partial % lines()) % columns;
    }
};

/// The summary of elements lane, lane + lanes, ... of a partial.
template <typename T>
__host__ __device__ Summary<T> summarize_partial(const T* values, const MatrixPiece& piece, size_t partial,
                                                 unsigned lane, unsigned lanes, Wanted wanted) {
    size_t element, end, stride = lanes;
    if (piece.lines_are_rows) {
        const size_t row = piece.line_of(partial) * piece.columns;
        element = (row < piece.begin ? 0 : row - piece.begin) + lane;
        end = row + piece.columns - piece.begin < piece.n ? row + piece.columns - piece.begin : piece.n;
    } else {
        const size_t line = partial % piece.lines(), share = divide_up(piece.steps(), piece.groups());
        const size_t first_step = partial / piece.lines() * share;
        stride = lanes * piece.columns;
        element = line + (first_step + lane) * piece.columns;
        end = (first_step + share) * piece.columns < piece.n ? (first_step + share) * piece.columns : piece.n;
    }
    RunningSummary<T> running(wanted, 1);
    for (; element < end; element += stride) {
        const T value[] = {values[element]};
        const size_t at = piece.begin + element;
        running.add(value, piece.lines_are_rows ? at % piece.columns : at / piece.columns);
    }
    return running.summary();
}

/// Block a multiple of 32; any grid. partials: piece.partials() summaries.
template <typename T>
__global__ void reduce_lines(const T* values, MatrixPiece piece, Wanted wanted, Summary<T>* partials) {
    const unsigned lanes = piece.lines_are_rows ? lanes_per_warp : 1, lane = threadIdx.x % lanes;
    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x / lanes;
    for (size_t i = (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes; i < piece.partials();
         i += stride) {
        Summary<T> summary = summarize_partial(values, piece, i, lane, lanes, wanted);
#pragma unroll 1
        for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
            summary.merge(shuffle_down(summary, distance));
        }
        if (lane == 0) partials[i] = summary;
    }
}

template <typename T>
LaunchShape launch_reduce_lines(const T* d_values, const MatrixPiece& piece, Wanted wanted, Summary<T>* d_partials,
                                unsigned multiprocessors, cudaStream_t stream) {
    constexpr unsigned block = 256;
    const size_t threads = piece.partials() * (piece.lines_are_rows ? lanes_per_warp : 1);
    const unsigned needed = grid_for(threads, block), resident = resident_blocks(block, multiprocessors);
    const LaunchShape shape{dim3(needed < resident ? needed : resident), dim3(block), 0};
    const auto kernel = reduce_lines<T>;
    kernel<<<shape.grid, shape.block, 0, stream>>>(d_values, piece, wanted, d_partials);
    return shape;
}

}  // namespace BACKEND
