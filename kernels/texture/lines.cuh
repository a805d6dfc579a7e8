// SPDX-License-Identifier: MIT
#pragma once
// Reads along the lines of a matrix. Results are written in thread order, so that only the reads differ.
//   texture_rows        lanes read neighbors in a row: four sectors of 32 bytes for 32 floats
//   texture_columns     lanes read neighbors in a column: one sector each; other threads of the block use the rest of
//                       it, if the cache keeps it that long
//   texture_neighbors  a thread adds `width` neighbors in a row: lanes are `width` elements apart
//
// Any matrix, any 2-D block; grid: see texture_shape().
#include "kernels/texture/sources.cuh"

namespace BACKEND {

/// out[y][x] = in[y][x].
template <typename Source>
__global__ void texture_rows(Source source, float* out, unsigned rows, unsigned columns) {
    const TextureThread thread = texture_thread();
    if (thread.x >= columns) return;
    for (unsigned y = thread.y; y < rows; y += thread.step)
        out[static_cast<size_t>(y) * columns + thread.x] = source(static_cast<int>(thread.x), static_cast<int>(y));
}

/// out[x][y] = in[y][x]; a thread's x is a row.
template <typename Source>
__global__ void texture_columns(Source source, float* out, unsigned rows, unsigned columns) {
    const TextureThread thread = texture_thread();
    if (thread.x >= rows) return;
    for (unsigned x = thread.y; x < columns; x += thread.step)
        out[static_cast<size_t>(x) * rows + thread.x] = source(static_cast<int>(x), static_cast<int>(thread.x));
}

/// out[y][i] = in[y][width * i] + ... + in[y][width * i + width - 1]; the last sum of a row may have fewer summands.
template <typename Source>
__global__ void texture_neighbors(Source source, float* out, unsigned rows, unsigned columns, unsigned width) {
    const TextureThread thread = texture_thread();
    const unsigned sums = static_cast<unsigned>(divide_up(columns, width));
    if (thread.x >= sums) return;
    const unsigned first = thread.x * width, end = columns - first < width ? columns : first + width;
    for (unsigned y = thread.y; y < rows; y += thread.step) {
        float sum = 0;
#pragma unroll 8
        for (unsigned x = first; x < end; ++x) sum += source(static_cast<int>(x), static_cast<int>(y));
        out[static_cast<size_t>(y) * sums + thread.x] = sum;
    }
}

template <typename Path, typename T>
LaunchShape launch_texture_rows(const TextureArguments<T>& arguments) {
    const LaunchShape shape = texture_shape(arguments.columns, arguments.rows, arguments.block);
    texture_rows<<<shape.grid, shape.block, 0, arguments.stream>>>(typename Path::template Source<T>(arguments),
                                                                   arguments.d_out, arguments.rows, arguments.columns);
    return shape;
}

template <typename Path, typename T>
LaunchShape launch_texture_columns(const TextureArguments<T>& arguments) {
    const LaunchShape shape = texture_shape(arguments.rows, arguments.columns, arguments.block);
    texture_columns<<<shape.grid, shape.block, 0, arguments.stream>>>(
        typename Path::template Source<T>(arguments), arguments.d_out, arguments.rows, arguments.columns);
    return shape;
}

template <typename Path, typename T>
LaunchShape launch_texture_neighbors(const TextureArguments<T>& arguments) {
    const size_t sums = divide_up(arguments.columns, arguments.width);
    const LaunchShape shape = texture_shape(sums, arguments.rows, arguments.block);
    texture_neighbors<<<shape.grid, shape.block, 0, arguments.stream>>>(typename Path::template Source<T>(arguments),
                                                                        arguments.d_out, arguments.rows,
                                                                        arguments.columns, arguments.width);
    return shape;
}

}  // namespace BACKEND
