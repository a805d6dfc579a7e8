// SPDX-License-Identifier: MIT
#pragma once
// Reads around each element: a case for caches, since neighboring threads read mostly the same elements. Beyond the
// edges, the nearest element is read.
//   texture_filter_x  the sum of `width` elements of a row
//   texture_filter_y  the sum of `width` elements of a column
//   texture_window    the sum of a square of width x width, as in a stencil or a blur
//   texture_random    the sum of eight random elements, no further away than `width` in x and in y
//
// Any matrix, any 2-D block; grid: see texture_shape(). Element width / 2 of a filter is the thread's own.
#include "kernels/texture/sources.cuh"

namespace BACKEND {

constexpr unsigned texture_random_samples = 8;

/// The offsets of a thread's random samples: integers from -radius to radius, radius up to 2^15 - 1, from the high bits
/// of a linear congruential generator that is seeded with the thread's coordinates.
class TextureOffsets {
public:
    __host__ __device__ TextureOffsets(unsigned x, unsigned y, int radius)
        : state_(mixed(x * 0x9e3779b1U + y * 0x85ebca77U)), radius_(radius) {}
    __host__ __device__ int next() {
        state_ = state_ * 1664525U + 1013904223U;
        const unsigned side = 2 * static_cast<unsigned>(radius_) + 1;
        return static_cast<int>((state_ >> 16) * side >> 16) - radius_;
    }

private:
    __host__ __device__ static unsigned mixed(unsigned bits) {
        bits = (bits ^ bits >> 16) * 0x7feb352dU;
        return bits ^ bits >> 15;
    }

    unsigned state_;
    int radius_;
};

template <typename Source>
__global__ void texture_filter_x(Source source, float* out, unsigned rows, unsigned columns, int width) {
    const TextureThread thread = texture_thread();
    if (thread.x >= columns) return;
    const int first = static_cast<int>(thread.x) - width / 2;
    for (unsigned y = thread.y; y < rows; y += thread.step) {
        float sum = 0;
#pragma unroll 4
        for (int i = 0; i < width; ++i) sum += source.clamped(first + i, static_cast<int>(y));
        out[static_cast<size_t>(y) * columns + thread.x] = sum;
    }
}

template <typename Source>
__global__ void texture_filter_y(Source source, float* out, unsigned rows, unsigned columns, int width) {
    const TextureThread thread = texture_thread();
    if (thread.x >= columns) return;
    for (unsigned y = thread.y; y < rows; y += thread.step) {
        const int first = static_cast<int>(y) - width / 2;
        float sum = 0;
#pragma unroll 4
        for (int i = 0; i < width; ++i) sum += source.clamped(static_cast<int>(thread.x), first + i);
        out[static_cast<size_t>(y) * columns + thread.x] = sum;
    }
}

template <typename Source>
__global__ void texture_window(Source source, float* out, unsigned rows, unsigned columns, int width) {
    const TextureThread thread = texture_thread();
    if (thread.x >= columns) return;
    const int left = static_cast<int>(thread.x) - width / 2;
    for (unsigned y = thread.y; y < rows; y += thread.step) {
        const int top = static_cast<int>(y) - width / 2;
        float sum = 0;
        for (int j = 0; j < width; ++j) {
#pragma unroll 4
            for (int i = 0; i < width; ++i) sum += source.clamped(left + i, top + j);
        }
        out[static_cast<size_t>(y) * columns + thread.x] = sum;
    }
}

/// width: the radius.
template <typename Source>
__global__ void texture_random(Source source, float* out, unsigned rows, unsigned columns, int width) {
    const TextureThread thread = texture_thread();
    if (thread.x >= columns) return;
    for (unsigned y = thread.y; y < rows; y += thread.step) {
        TextureOffsets offsets(thread.x, y, width);
        float sum = 0;
#pragma unroll
        for (unsigned i = 0; i < texture_random_samples; ++i) {
            const int x = static_cast<int>(thread.x) + offsets.next();
            sum += source.clamped(x, static_cast<int>(y) + offsets.next());
        }
        out[static_cast<size_t>(y) * columns + thread.x] = sum;
    }
}

/// Launches one of these kernels.
template <typename Path, typename T, typename Kernel>
LaunchShape launch_texture_vicinity(Kernel* kernel, const TextureArguments<T>& arguments) {
    const LaunchShape shape = texture_shape(arguments.columns, arguments.rows, arguments.block);
    kernel<<<shape.grid, shape.block, 0, arguments.stream>>>(typename Path::template Source<T>(arguments),
                                                             arguments.d_out, arguments.rows, arguments.columns,
                                                             arguments.width);
    return shape;
}

template <typename Path, typename T>
LaunchShape launch_texture_filter_x(const TextureArguments<T>& arguments) {
    return launch_texture_vicinity<Path>(texture_filter_x<typename Path::template Source<T>>, arguments);
}
template <typename Path, typename T>
LaunchShape launch_texture_filter_y(const TextureArguments<T>& arguments) {
    return launch_texture_vicinity<Path>(texture_filter_y<typename Path::template Source<T>>, arguments);
}
template <typename Path, typename T>
LaunchShape launch_texture_window(const TextureArguments<T>& arguments) {
    return launch_texture_vicinity<Path>(texture_window<typename Path::template Source<T>>, arguments);
}
template <typename Path, typename T>
LaunchShape launch_texture_random(const TextureArguments<T>& arguments) {
    return launch_texture_vicinity<Path>(texture_random<typename Path::template Source<T>>, arguments);
}

}  // namespace BACKEND
