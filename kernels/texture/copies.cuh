// SPDX-License-Identifier: MIT
#pragma once
// Reads of what the launch before has written: a copy of the matrix, by stores to linear or pitched memory, or through a
// surface to the array of a texture. A launch that writes through a surface may not read the same data through a
// texture, whose cache does not see the writes: the result would be undefined. The next launch may.
#include "kernels/texture/reads.cuh"

#include <type_traits>

namespace BACKEND {

template <typename T>
struct StoreSink {
    T* data;
    size_t stride;

    __device__ void operator()(unsigned x, unsigned y, T value) const {
        data[static_cast<size_t>(y) * stride + x] = value;
    }
};

/// A surface's x counts bytes, and it neither converts nor filters.
template <typename T>
struct SurfaceSink {
    cudaSurfaceObject_t surface;

    __device__ void operator()(unsigned x, unsigned y, T value) const {
        surf2Dwrite(texture_stored(value), surface, static_cast<int>(x * sizeof(T)), static_cast<int>(y));
    }
};

/// Any matrix, any 2-D block; grid: see texture_shape().
template <typename T, typename Sink>
__global__ void texture_copy(const T* in, size_t stride, Sink sink, unsigned rows, unsigned columns) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= columns) return;
    for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < rows; y += gridDim.y * blockDim.y)
        sink(x, y, in[static_cast<size_t>(y) * stride + x]);
}

/// Two launches: a copy, then TextureColumn of it.
template <typename Path, typename T>
LaunchShape launch_texture_written(const TextureArguments<T>& arguments, size_t across, size_t down) {
    const auto rows = static_cast<unsigned>(arguments.rows), columns = static_cast<unsigned>(arguments.columns);
    const LaunchShape shape = texture_shape(columns, rows, arguments.block);
    const auto copy = [&](auto sink) {
        texture_copy<<<shape.grid, shape.block, 0, arguments.stream>>>(arguments.d_original, arguments.original_stride,
                                                                       sink, rows, columns);
    };
    if (arguments.surface != 0) copy(SurfaceSink<T>{arguments.surface});
    else copy(StoreSink<T>{arguments.d_copy, arguments.stride});
    return launch_texture_reads<TextureColumn, Path>(arguments, across, down);
}

/// A pattern like those of reads.cuh.
struct TextureWritten {};

/// Launches the kernel of any pattern. There is no interpolation between bytes.
template <typename Pattern, typename Path, typename T>
LaunchShape launch_texture(const TextureArguments<T>& arguments, size_t across, size_t down) {
    if constexpr (std::is_same_v<Pattern, TextureWritten>) return launch_texture_written<Path>(arguments, across, down);
    else if constexpr (std::is_same_v<Pattern, TextureZoom> && std::is_same_v<T, uchar4>) return {};
    else return launch_texture_reads<Pattern, Path>(arguments, across, down);
}

}  // namespace BACKEND
