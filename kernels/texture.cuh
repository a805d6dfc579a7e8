// SPDX-License-Identifier: MIT
#pragma once
// Reads of a matrix along several paths in several patterns, and of constant memory. The paths are types; a kernel of any
// pattern takes any of them:
//   GlobalPath    ordinary loads from global memory
//   ReadOnlyPath  loads of data that no thread writes: what the compiler makes of `const T* __restrict__`
//   TexturePath   fetches through a texture object, on an array or on pitched memory: the kernel does not know which
//
// A Source is passed to a kernel by value. source(x, y) reads an element of the matrix; source.clamped(x, y) takes any
// coordinates and reads the nearest element, which textures do by themselves.
#include "common/cuda/launch_shape.cuh"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

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

// ---- reads along the lines of a matrix. Results are written in thread order, so that only the reads differ.
//   texture_rows        lanes read neighbors in a row: four sectors of 32 bytes for 32 floats
//   texture_columns     lanes read neighbors in a column: one sector each; other threads of the block use the rest of
//                       it, if the cache keeps it that long
//   texture_neighbors  a thread adds `width` neighbors in a row: lanes are `width` elements apart
//
// Any matrix, any 2-D block; grid: see texture_shape().

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

// ---- reads around each element: a case for caches, since neighboring threads read mostly the same elements. Beyond
// the edges, the nearest element is read.
//   texture_filter_x  the sum of `width` elements of a row
//   texture_filter_y  the sum of `width` elements of a column
//   texture_window    the sum of a square of width x width, as in a stencil or a blur
//   texture_random    the sum of eight random elements, no further away than `width` in x and in y
//
// Any matrix, any 2-D block; grid: see texture_shape(). Element width / 2 of a filter is the thread's own.

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

// ---- dependent loads from constant memory: each returns the address of the next. One warp per block.
//   texture_constants<ConstantUniform>    all lanes of all blocks load the same word
//   texture_constants<ConstantPerBlock>   all lanes of a block load the same word
//   texture_constants<ConstantPerThread>  each lane loads a different word: the constant cache serves them one by one

/// 1 KiB: the innermost constant cache holds it.
constexpr unsigned texture_chain_words = 256;

/// Each word holds the byte offset of the next one in the chain: a permutation with a single cycle.
__constant__ unsigned texture_chain[texture_chain_words];

/// The word at which a thread begins.
struct ConstantUniform {
    __host__ __device__ static unsigned first(unsigned, unsigned) { return 0; }
};
struct ConstantPerBlock {
    __host__ __device__ static unsigned first(unsigned block, unsigned) { return block % texture_chain_words; }
};
struct ConstantPerThread {
    __host__ __device__ static unsigned first(unsigned block, unsigned lane) {
        return (block + lane) % texture_chain_words;
    }
};

__device__ inline unsigned texture_follow_chain(unsigned place, unsigned steps) {
#pragma unroll 16
    for (unsigned i = 0; i < steps; ++i)
        place = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(texture_chain) + place);
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(place));  // keeps the compiler from reading the clock before the last load
#endif
    return place;
}

/// Block 32, any grid. Walks the chain once to bring it into the cache, then takes `steps` timed steps. out: each
/// thread's last place; cycles: one number per block.
template <typename Start>
__global__ void texture_constants(unsigned* out, long long* cycles, unsigned steps) {
    const unsigned first = Start::first(blockIdx.x, threadIdx.x) * static_cast<unsigned>(sizeof(unsigned));
    unsigned place = texture_follow_chain(first, texture_chain_words);
    const long long begin = clock64();
    place = texture_follow_chain(place, steps);
    const long long end = clock64();
    out[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = place;
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

/// d_out: 32 words per block. d_cycles: one number per block.
struct ConstantArguments {
    unsigned* d_out = nullptr;
    long long* d_cycles = nullptr;
    unsigned blocks = 1;
    unsigned steps = 1;
    cudaStream_t stream = nullptr;
};

template <typename Start>
LaunchShape launch_texture_constants(const ConstantArguments& arguments) {
    texture_constants<Start><<<arguments.blocks, lanes_per_warp, 0, arguments.stream>>>(
        arguments.d_out, arguments.d_cycles, arguments.steps);
    return {dim3(arguments.blocks), dim3(lanes_per_warp), 0};
}

}  // namespace BACKEND
