// SPDX-License-Identifier: MIT
#pragma once
// Patterns of reads of a matrix: what a thread adds up. One kernel runs them all, and writes results in the order of the
// threads, so that patterns differ only in their reads.
//
// Along the lines of the matrix:
//   TextureRow              lanes read neighbors in a row: four sectors of 32 bytes for 32 floats
//   TextureColumn           lanes read neighbors in a column: one sector each; other threads of the block use the rest
//                           of it, if the cache keeps it that long
//   TextureRowNeighbors     a thread adds `width` neighbors in a row: lanes are `width` elements apart
//   TextureColumnNeighbors  the same in a column: only the cache, or an array, can make use of the rest of a sector
//   TextureRowSlide         a row of blocks slides down the matrix: a thread adds every blockDim.y-th of a column
//   TextureColumnSlide      the same across the matrix, with lanes along a column
//
// Around each element, where neighboring threads read mostly the same; beyond the edges, see paths.cuh:
//   TextureFilterX   the sum of `width` elements of a row; element width / 2 is the thread's own
//   TextureFilterY   the sum of `width` elements of a column
//   TextureWindow    the sum of a square of width x width, as in a stencil or a blur
//   TextureRandom    the sum of eight random elements, no further away than `width` in x and in y
//   TextureZoom      the matrix from its first corner on, magnified `width` times: a mean of four elements each
#include "common/cuda/launch_shape.cuh"
#include "kernels/texture/paths.cuh"

#include <type_traits>

namespace BACKEND {

/// `y` of a slide is the thread's row in its block.
struct TextureRow {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int) {
        return source(x, y);
    }
};
struct TextureColumn {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int) {
        return source(y, x);
    }
};

/// The last sum of a row may have fewer summands.
struct TextureRowNeighbors {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int width) {
        typename Source::Value sum{};
        const int first = x * width, count = source.columns - first < width ? source.columns - first : width;
#pragma unroll 8
        for (int i = 0; i < count; ++i) texture_add(sum, source(first + i, y));
        return sum;
    }
};
struct TextureColumnNeighbors {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int width) {
        typename Source::Value sum{};
        const int first = x * width, count = source.rows - first < width ? source.rows - first : width;
#pragma unroll 8
        for (int i = 0; i < count; ++i) texture_add(sum, source(y, first + i));
        return sum;
    }
};

struct TextureRowSlide {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int) {
        typename Source::Value sum{};
#pragma unroll 4
        for (unsigned row = static_cast<unsigned>(y); row < static_cast<unsigned>(source.rows); row += blockDim.y)
            texture_add(sum, source(x, static_cast<int>(row)));
        return sum;
    }
};
struct TextureColumnSlide {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int) {
        typename Source::Value sum{};
#pragma unroll 4
        for (unsigned column = static_cast<unsigned>(y); column < static_cast<unsigned>(source.columns);
             column += blockDim.y)
            texture_add(sum, source(static_cast<int>(column), x));
        return sum;
    }
};

/// Has reads beyond the edges.
struct TextureVicinity {};

struct TextureFilterX : TextureVicinity {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int width) {
        typename Source::Value sum{};
        const int first = x - width / 2;
#pragma unroll 4
        for (int i = 0; i < width; ++i) texture_add(sum, source.beyond(first + i, y));
        return sum;
    }
};
struct TextureFilterY : TextureVicinity {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int width) {
        typename Source::Value sum{};
        const int first = y - width / 2;
#pragma unroll 4
        for (int i = 0; i < width; ++i) texture_add(sum, source.beyond(x, first + i));
        return sum;
    }
};
struct TextureWindow : TextureVicinity {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int width) {
        typename Source::Value sum{};
        const int left = x - width / 2, top = y - width / 2;
        for (int j = 0; j < width; ++j) {
#pragma unroll 4
            for (int i = 0; i < width; ++i) texture_add(sum, source.beyond(left + i, top + j));
        }
        return sum;
    }
};

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

/// width: the radius.
struct TextureRandom : TextureVicinity {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int width) {
        typename Source::Value sum{};
        TextureOffsets offsets(static_cast<unsigned>(x), static_cast<unsigned>(y), width);
#pragma unroll
        for (unsigned i = 0; i < texture_random_samples; ++i) {
            const int column = x + offsets.next();
            texture_add(sum, source.beyond(column, y + offsets.next()));
        }
        return sum;
    }
};

/// Where the result at this place samples the matrix.
__host__ __device__ inline float texture_zoomed(int place, int zoom) {
    return (static_cast<float>(place) + 0.5f) / static_cast<float>(zoom);
}

struct TextureZoom : TextureVicinity {
    template <typename Source>
    __device__ static typename Source::Value read(const Source& source, int x, int y, int width) {
        return source.between(texture_zoomed(x, width), texture_zoomed(y, width));
    }
};

/// A grid is at most 65535 blocks high: kernels stride over the rest.
inline LaunchShape texture_shape(size_t across, size_t down, dim3 block) {
    constexpr unsigned highest_grid = 65535;
    const unsigned high = grid_for(down, block.y);
    return {dim3(grid_for(across, block.x), high < highest_grid ? high : highest_grid), block, 0};
}

/// The results of a pattern, and of all threads: across x down of them.
template <typename Pattern, typename Source>
__global__ void texture_reads(Source source, typename Source::Value* out, unsigned across, unsigned down, int width) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= across) return;
    for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < down; y += gridDim.y * blockDim.y)
        out[static_cast<size_t>(y) * across + x] =
            Pattern::read(source, static_cast<int>(x), static_cast<int>(y), width);
}

/// Any matrix, any 2-D block. across, down: the results, as the pattern has them.
template <typename Pattern, typename Path, typename T>
LaunchShape launch_texture_reads(const TextureArguments<T>& arguments, size_t across, size_t down) {
    const LaunchShape shape = texture_shape(across, down, arguments.block);
    const auto launch = [&](auto source) {
        texture_reads<Pattern><<<shape.grid, shape.block, 0, arguments.stream>>>(
            source, arguments.d_out, static_cast<unsigned>(across), static_cast<unsigned>(down), arguments.width);
    };
    if constexpr (std::is_base_of_v<TextureVicinity, Pattern> && std::is_same_v<T, float>) {
        if (arguments.beyond != cudaAddressModeClamp) {
            launch(typename Path::template Source<T, false>(arguments));
            return shape;
        }
    }
    launch(typename Path::template Source<T, true>(arguments));
    return shape;
}

}  // namespace BACKEND
