// SPDX-License-Identifier: MIT
#pragma once
// The paths by which a matrix can be read, as types; a kernel of any pattern takes any of them:
//   GlobalPath    ordinary loads from global memory
//   ReadOnlyPath  loads of data that no thread writes: what the compiler makes of `const T* __restrict__`
//   TexturePath   fetches through a texture object, on an array or on pitched memory: the kernel does not know which
//
// A Source is passed to a kernel by value. source(x, y) reads an element of the matrix; source.clamped(x, y) takes any
// coordinates and reads the nearest element, which textures do by themselves.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

#include "common/cuda/launch_shape.cuh"

namespace BACKEND {

/// The arguments of every launch. The matrix has 0 to 2^31 - 1 rows and columns. width: its meaning depends on the
/// pattern. block: 1 to 1024 threads.
template <typename T>
struct TextureArguments {
    const T* d_in = nullptr;
    size_t stride = 0;                // elements from one row to the next
    cudaTextureObject_t texture = 0;  // of the same elements; coordinates are not normalized, and clamped
    int rows = 0, columns = 0;
    float* d_out = nullptr;
    int width = 1;
    dim3 block{32, 8, 1};
    cudaStream_t stream = nullptr;
};

__device__ inline float texture_as_float(float value) { return value; }
__device__ inline float texture_as_float(__half value) { return __half2float(value); }

__device__ inline int texture_clamp(int coordinate, int extent) {
    return coordinate < 0 ? 0 : coordinate < extent ? coordinate : extent - 1;
}

template <typename T>
struct GlobalSource {
    const T* data;
    size_t stride;
    int rows, columns;

    explicit GlobalSource(const TextureArguments<T>& arguments)
        : data(arguments.d_in), stride(arguments.stride), rows(arguments.rows), columns(arguments.columns) {}
    __device__ float operator()(int x, int y) const {
        return texture_as_float(data[static_cast<size_t>(y) * stride + static_cast<size_t>(x)]);
    }
    __device__ float clamped(int x, int y) const { return (*this)(texture_clamp(x, columns), texture_clamp(y, rows)); }
};

template <typename T>
struct ReadOnlySource : GlobalSource<T> {
    using GlobalSource<T>::GlobalSource;
    __device__ float operator()(int x, int y) const {
        return texture_as_float(__ldg(this->data + static_cast<size_t>(y) * this->stride + static_cast<size_t>(x)));
    }
    __device__ float clamped(int x, int y) const {
        return (*this)(texture_clamp(x, this->columns), texture_clamp(y, this->rows));
    }
};

/// Texel centers are at half-integers. A float represents those of the largest texture, 2^17 texels wide, exactly.
struct TextureSource {
    cudaTextureObject_t texture;

    template <typename T>
    explicit TextureSource(const TextureArguments<T>& arguments) : texture(arguments.texture) {}
    __device__ float operator()(int x, int y) const {
        return tex2D<float>(texture, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
    }
    __device__ float clamped(int x, int y) const { return (*this)(x, y); }
};

struct GlobalPath {
    template <typename T>
    using Source = GlobalSource<T>;
};
struct ReadOnlyPath {
    template <typename T>
    using Source = ReadOnlySource<T>;
};
struct TexturePath {
    template <typename T>
    using Source = TextureSource;  // one kernel for all types: the texture converts
};

/// One thread for each of across x down results. A grid is at most 65535 blocks high: kernels stride over the rest.
inline LaunchShape texture_shape(size_t across, size_t down, dim3 block) {
    constexpr unsigned highest_grid = 65535;
    const unsigned high = grid_for(down, block.y);
    return {dim3(grid_for(across, block.x), high < highest_grid ? high : highest_grid), block, 0};
}

/// The coordinates of a thread's first result, and the step in y to the next.
struct TextureThread {
    unsigned x, y, step;
};

__device__ inline TextureThread texture_thread() {
    return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, gridDim.y * blockDim.y};
}

}  // namespace BACKEND
