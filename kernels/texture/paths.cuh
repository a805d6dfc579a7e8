// SPDX-License-Identifier: MIT
#pragma once
// The paths along which a kernel reads a matrix, as types; a kernel of any pattern takes any of them:
//   OrdinaryPath  loads from global memory, linear or pitched
//   ReadOnlyPath  loads of data that no thread writes: what the compiler makes of `const T* __restrict__`
//   TexturePath   fetches through a texture object, on an array or on pitched memory: the kernel does not know which
//
// A Source is passed to a kernel by value:
//   source(x, y)          the element there, inside the matrix
//   source.beyond(x, y)   any coordinates. Beyond the edges the address mode says what is read. A texture needs no `if`
//   source.between(u, v)  the mean of the four elements around a point, weighted by how near they are: elements are a
//                         unit apart, and the first one's center is at (0.5, 0.5). A texture with a linear filter does
//                         this in one fetch, with weights of 8 fractional bits
#include "kernels/texture/texels.cuh"

#include <cstddef>

namespace BACKEND {

/// The arguments of every launch. The matrix has 0 to 2^31 - 1 rows and columns. width: its meaning depends on the
/// pattern. block: 1 to 1024 threads.
template <typename T>
struct TextureArguments {
    const T* d_in = nullptr;          // unless the path is a texture
    size_t stride = 0;                // elements from one row to the next
    cudaTextureObject_t texture = 0;  // of the same elements; for wrap and mirror, its coordinates are normalized
    int rows = 0, columns = 0;
    cudaTextureAddressMode beyond = cudaAddressModeClamp;  // beyond the edges; other modes are for T float
    typename TextureValue<T>::type* d_out = nullptr;
    int width = 1;
    dim3 block{32, 8, 1};
    cudaStream_t stream = nullptr;
    // Of "written", which reads its own copy of this matrix: written to d_copy, in the place of d_in, or through a
    // surface on the array of the texture.
    const T* d_original = nullptr;
    size_t original_stride = 0;
    T* d_copy = nullptr;
    cudaSurfaceObject_t surface = 0;
};

__device__ inline int texture_clamp(int coordinate, int extent) {
    return coordinate < 0 ? 0 : coordinate < extent ? coordinate : extent - 1;
}

/// The coordinate that is read instead; -1 for the border, which is zero.
__device__ inline int texture_coordinate(int coordinate, int extent, cudaTextureAddressMode mode) {
    if (coordinate >= 0 && coordinate < extent) return coordinate;
    if (mode == cudaAddressModeBorder) return -1;
    if (mode == cudaAddressModeClamp) return texture_clamp(coordinate, extent);
    // Counted from the edge: 0, 1, ... to the right, -1, -2, ... to the left.
    const int periods = coordinate < 0 ? (coordinate + 1) / extent - 1 : coordinate / extent;
    const int place = coordinate - periods * extent;
    return mode == cudaAddressModeMirror && periods % 2 != 0 ? extent - 1 - place : place;
}

/// is_clamped: the only address mode is clamp, which takes no `if`.
template <typename T, bool is_read_only, bool is_clamped>
struct LoadSource {
    using Value = typename TextureValue<T>::type;
    const T* data;
    size_t stride;
    int rows, columns;
    cudaTextureAddressMode mode;

    explicit LoadSource(const TextureArguments<T>& arguments)
        : data(arguments.d_in),
          stride(arguments.stride),
          rows(arguments.rows),
          columns(arguments.columns),
          mode(arguments.beyond) {}

    __device__ Value operator()(int x, int y) const {
        const T* const element = data + static_cast<size_t>(y) * stride + static_cast<size_t>(x);
        if constexpr (is_read_only) return texture_value(texture_load_read_only(element));
        else return texture_value(*element);
    }
    __device__ Value beyond(int x, int y) const {
        if constexpr (is_clamped) return (*this)(texture_clamp(x, columns), texture_clamp(y, rows));
        x = texture_coordinate(x, columns, mode);
        y = texture_coordinate(y, rows, mode);
        return x < 0 || y < 0 ? Value{} : (*this)(x, y);
    }
    __device__ Value between(float u, float v) const {
        const float left = floorf(u - 0.5f), top = floorf(v - 0.5f);
        const float across = u - 0.5f - left, down = v - 0.5f - top;
        const int x = static_cast<int>(left), y = static_cast<int>(top);
        const Value above = texture_mix(beyond(x, y), beyond(x + 1, y), across);
        const Value below = texture_mix(beyond(x, y + 1), beyond(x + 1, y + 1), across);
        return texture_mix(above, below, down);
    }
};

/// Texel centers are at half-integers. A float represents those of the largest texture, 2^17 texels wide, exactly; and
/// normalized, closely enough for the texel.
template <typename T, bool is_clamped>
struct TextureSource {
    using Value = T;
    cudaTextureObject_t texture;
    int rows, columns;
    float scale_x, scale_y;  // 1, or to normalized coordinates

    template <typename Stored>
    explicit TextureSource(const TextureArguments<Stored>& arguments)
        : texture(arguments.texture), rows(arguments.rows), columns(arguments.columns), scale_x(1), scale_y(1) {
        if (arguments.beyond != cudaAddressModeWrap && arguments.beyond != cudaAddressModeMirror) return;
        scale_x = 1.0f / static_cast<float>(columns);
        scale_y = 1.0f / static_cast<float>(rows);
    }

    __device__ Value operator()(int x, int y) const {
        return between(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
    }
    __device__ Value beyond(int x, int y) const { return (*this)(x, y); }
    __device__ Value between(float u, float v) const {
        if constexpr (is_clamped) return tex2D<Value>(texture, u, v);
        else return tex2D<Value>(texture, u * scale_x, v * scale_y);
    }
};

struct OrdinaryPath {
    template <typename T, bool is_clamped>
    using Source = LoadSource<T, false, is_clamped>;
};
struct ReadOnlyPath {
    template <typename T, bool is_clamped>
    using Source = LoadSource<T, true, is_clamped>;
};
struct TexturePath {
    template <typename T, bool is_clamped>
    using Source = TextureSource<typename TextureValue<T>::type, is_clamped>;  // a kernel for all: textures convert
};

}  // namespace BACKEND
