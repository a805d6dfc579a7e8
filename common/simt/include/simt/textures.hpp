// SPDX-License-Identifier: MIT
// Textures and surfaces in device code.
#pragma once

#include "simt/check.hpp"
#include "simt/identity.hpp"
#include "simt/small_float.hpp"
#include "texture_types.h"
#include "vector_types.h"

// A fetch or surface access is one instruction on a GPU: in the checked flavor it is one call, and its inside is not
// checked. It tells the checkers which texels it accesses.
#ifdef SIMT_CHECKED
#define SIMT_FETCH SIMT_UNCHECKED
#else
#define SIMT_FETCH inline
#endif

namespace simt {
inline namespace SIMT_FLAVOR {

// A copy in the checked flavor: the description is in the simulator's own memory, unknown to the checkers.
#ifdef SIMT_CHECKED
SIMT_UNCHECKED TextureObject texture_object(unsigned long long handle) {
    return *reinterpret_cast<const TextureObject*>(handle);
}
#else
SIMT_INLINE const TextureObject& texture_object(unsigned long long handle) {
    return *reinterpret_cast<const TextureObject*>(handle);
}
#endif

}  // namespace SIMT_FLAVOR

// ---- texture fetches

// These are tex1Dfetch, tex1D, tex2D, tex3D, layered textures and cube maps, and tex2Dgather.
//
// The rules are those of the CUDA programming guide, "Texture Fetching": texel centers have coordinates ending in one
// half, and linear filtering weights the neighbors with 8-bit fractions.

/// The scalar of a texel type and its number of channels.
template <typename T>
struct TexelType {
    using scalar = T;
    static constexpr int channels = 1;
};
#define SIMT_TEXELS(prefix, type)          \
    template <>                            \
    struct TexelType<prefix##1> {          \
        using scalar = type;               \
        static constexpr int channels = 1; \
    };                                     \
    template <>                            \
    struct TexelType<prefix##2> {          \
        using scalar = type;               \
        static constexpr int channels = 2; \
    };                                     \
    template <>                            \
    struct TexelType<prefix##4> {          \
        using scalar = type;               \
        static constexpr int channels = 4; \
    };
SIMT_TEXELS(char, signed char)
SIMT_TEXELS(uchar, unsigned char)
SIMT_TEXELS(short, short)
SIMT_TEXELS(ushort, unsigned short)
SIMT_TEXELS(int, int)
SIMT_TEXELS(uint, unsigned)
SIMT_TEXELS(float, float)
#undef SIMT_TEXELS

template <typename T>
constexpr bool is_float = false;
template <>
inline constexpr bool is_float<float> = true;

template <typename Stored>
SIMT_INLINE Stored load(const char* address) {
    return *reinterpret_cast<const Stored __attribute__((may_alias))*>(address);
}

/// An integer channel as it is, or scaled to [0, 1] or [-1, 1] if the texture is read as normalized floats.
template <typename Scalar, typename Stored>
SIMT_INLINE Scalar channel_value(Stored stored, int bits, bool is_signed) {
    if constexpr (is_float<Scalar>) {
        const float scaled = static_cast<float>(stored) / static_cast<float>((1u << (bits - is_signed)) - 1);
        return scaled < -1 ? -1 : scaled;
    } else {
        return static_cast<Scalar>(stored);
    }
}

template <typename Scalar>
SIMT_INLINE Scalar load_channel(const TextureObject& texture, const char* texel, int channel) {
    const int bits = texture.format.x;
    const char* address = texel + channel * (bits / 8);
    switch (texture.format.f) {
        case cudaChannelFormatKindFloat:
            if (bits == 16) return static_cast<Scalar>(widen<HalfFormat>(load<unsigned short>(address)));
            return static_cast<Scalar>(load<float>(address));
        case cudaChannelFormatKindSigned:
            if (bits == 8) return channel_value<Scalar>(load<signed char>(address), 8, true);
            if (bits == 16) return channel_value<Scalar>(load<short>(address), 16, true);
            return static_cast<Scalar>(load<int>(address));
        default:
            if (bits == 8) return channel_value<Scalar>(load<unsigned char>(address), 8, false);
            if (bits == 16) return channel_value<Scalar>(load<unsigned short>(address), 16, false);
            return static_cast<Scalar>(load<unsigned>(address));
    }
}

/// Which texels a coordinate touches along one axis. -1 stands for the border.
struct AxisSample {
    int first, second;
    float second_weight;  ///< 0 without filtering
};

SIMT_INLINE int apply_address_mode(int index, int extent, cudaTextureAddressMode mode) {
    if (index >= 0 && index < extent) return index;
    switch (mode) {
        case cudaAddressModeBorder: return -1;
        case cudaAddressModeWrap: return ((index % extent) + extent) % extent;
        case cudaAddressModeMirror: {
            const int position = ((index % (2 * extent)) + 2 * extent) % (2 * extent);
            return position < extent ? position : 2 * extent - 1 - position;
        }
        default: return index < 0 ? 0 : extent - 1;
    }
}

/// The largest integer not above x, for numbers that fit an int. Without SSE 4.1 the library's floor is a call.
SIMT_INLINE int floor_to_int(float x) {
    const int towards_zero = static_cast<int>(x);
    return towards_zero - (static_cast<float>(towards_zero) > x);
}

SIMT_INLINE AxisSample sample_axis(const TextureObject& texture, int axis, float coordinate) {
    const int extent = texture.extent[axis];
    cudaTextureAddressMode mode = texture.how.addressMode[axis];
    if (texture.how.normalizedCoords) {
        coordinate *= static_cast<float>(extent);
    } else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
        mode = cudaAddressModeClamp;  // these two need normalized coordinates
    }
    constexpr float limit = 1e9f;  // keeps the conversion to int defined; a NaN becomes the lower limit
    coordinate = coordinate > -limit ? coordinate : -limit;
    coordinate = coordinate < limit ? coordinate : limit;
    if (texture.how.filterMode == cudaFilterModePoint) {
        const int index = apply_address_mode(floor_to_int(coordinate), extent, mode);
        return {index, index, 0};
    }
    const float position = coordinate - 0.5f;
    const int index = floor_to_int(position);
    const float fraction = position - static_cast<float>(index);
    const float weight = static_cast<float>(static_cast<int>(fraction * 256 + 0.5f)) / 256;
    return {apply_address_mode(index, extent, mode), apply_address_mode(index + 1, extent, mode), weight};
}

template <typename Scalar>
SIMT_INLINE Scalar texel_channel(const TextureObject& texture, int x, int y, size_t slice, int channel) {
    if (x < 0 || y < 0) return static_cast<Scalar>(texture.how.borderColor[channel]);
    const char* texel =
        texture.data + slice + static_cast<size_t>(y) * texture.pitch + static_cast<size_t>(x) * texture.texel_bytes;
    if constexpr (is_checked) {
        if (channel == 0)
            check::fetch(texel, static_cast<unsigned>(texture.texel_bytes), texture.is_array,
                         __builtin_return_address(0));
    }
    return load_channel<Scalar>(texture, texel, channel);
}

/// A bilinear sample of one channel in the slice at this offset.
template <typename Scalar>
SIMT_INLINE Scalar sample_slice(const TextureObject& texture, AxisSample x, AxisSample y, size_t slice, int channel) {
    const Scalar corner = texel_channel<Scalar>(texture, x.first, y.first, slice, channel);
    if constexpr (is_float<Scalar>) {
        if (x.second_weight == 0 && y.second_weight == 0) return corner;
        const float a = x.second_weight, b = y.second_weight;
        const float right = texel_channel<float>(texture, x.second, y.first, slice, channel);
        const float below = texel_channel<float>(texture, x.first, y.second, slice, channel);
        const float across = texel_channel<float>(texture, x.second, y.second, slice, channel);
        return (1 - a) * (1 - b) * corner + a * (1 - b) * right + (1 - a) * b * below + a * b * across;
    }
    return corner;
}

/// A sample of one channel, from two slices if the texture has three dimensions.
template <typename Scalar>
SIMT_INLINE Scalar sample(const TextureObject& texture, AxisSample x, AxisSample y, AxisSample z, size_t offset,
                          int channel) {
    const auto border = static_cast<Scalar>(texture.how.borderColor[channel]);
    const Scalar first =
        z.first < 0
            ? border
            : sample_slice<Scalar>(texture, x, y, offset + static_cast<size_t>(z.first) * texture.slice, channel);
    if constexpr (is_float<Scalar>) {
        if (z.second_weight == 0) return first;
        const float second =
            z.second < 0
                ? border
                : sample_slice<float>(texture, x, y, offset + static_cast<size_t>(z.second) * texture.slice, channel);
        return (1 - z.second_weight) * first + z.second_weight * second;
    }
    return first;
}

/// The offset of a layer; layers outside the texture are clamped.
inline size_t layer_offset(const TextureObject& texture, int layer) {
    return static_cast<size_t>(apply_address_mode(layer, texture.extent[2], cudaAddressModeClamp)) * texture.slice;
}

struct FacePoint {
    int face;
    float x, y;  ///< 0 to 1
};

/// The face of a cube that a direction hits, and the point on it: faces in the order +x, -x, +y, -y, +z, -z.
inline FacePoint cube_face(float x, float y, float z) {
    const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    float s, t, major;
    int face;
    if (ax >= ay && ax >= az) {
        face = x < 0, major = ax, s = x < 0 ? z : -z, t = -y;
    } else if (ay >= az) {
        face = 2 + (y < 0), major = ay, s = x, t = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0), major = az, s = z < 0 ? -x : x, t = -y;
    }
    return {face, (s / major + 1) / 2, (t / major + 1) / 2};
}

constexpr AxisSample only_texel = {0, 0, 0};

/// A texel of type T; channels missing in the texture are 0. `offset`: the layer's.
template <typename T>
SIMT_INLINE T texel_at(const TextureObject& texture, AxisSample x, AxisSample y, AxisSample z, size_t offset) {
    using Scalar = typename TexelType<T>::scalar;
    const int widths[] = {texture.format.x, texture.format.y, texture.format.z, texture.format.w};
    Scalar values[TexelType<T>::channels];
    for (int i = 0; i < TexelType<T>::channels; ++i)
        values[i] = widths[i] > 0 ? sample<Scalar>(texture, x, y, z, offset, i) : Scalar(0);
    T texel;
    __builtin_memcpy(static_cast<void*>(&texel), values, sizeof texel);
    return texel;
}

inline namespace SIMT_FLAVOR {

template <typename T>
SIMT_FETCH T fetch_linear(cudaTextureObject_t handle, int x) {
    const TextureObject& texture = texture_object(handle);
    if (x < 0 || x >= texture.extent[0]) return T{};
    return texel_at<T>(texture, {x, x, 0}, only_texel, only_texel, 0);
}
template <typename T>
SIMT_FETCH T fetch_1d(cudaTextureObject_t handle, float x, int layer) {
    const TextureObject& texture = texture_object(handle);
    return texel_at<T>(texture, sample_axis(texture, 0, x), only_texel, only_texel, layer_offset(texture, layer));
}
template <typename T>
SIMT_FETCH T fetch_2d(cudaTextureObject_t handle, float x, float y, int layer) {
    const TextureObject& texture = texture_object(handle);
    return texel_at<T>(texture, sample_axis(texture, 0, x), sample_axis(texture, 1, y), only_texel,
                       layer_offset(texture, layer));
}
template <typename T>
SIMT_FETCH T fetch_3d(cudaTextureObject_t handle, float x, float y, float z) {
    const TextureObject& texture = texture_object(handle);
    return texel_at<T>(texture, sample_axis(texture, 0, x), sample_axis(texture, 1, y), sample_axis(texture, 2, z), 0);
}
template <typename T>
SIMT_FETCH T fetch_cubemap(cudaTextureObject_t handle, float x, float y, float z, int layer) {
    TextureObject texture = texture_object(handle);
    texture.how.normalizedCoords = 1;
    texture.how.addressMode[0] = texture.how.addressMode[1] = cudaAddressModeClamp;
    const FacePoint point = cube_face(x, y, z);
    return texel_at<T>(texture, sample_axis(texture, 0, point.x), sample_axis(texture, 1, point.y), only_texel,
                       layer_offset(texture, 6 * layer + point.face));
}

/// One channel of the four texels that a linear filter at this point weights, against the clock from the lower left.
template <typename T>
SIMT_FETCH T gather_2d(cudaTextureObject_t handle, float x, float y, int channel) {
    using Scalar = typename TexelType<T>::scalar;
    static_assert(TexelType<T>::channels == 4, "tex2Dgather gives four texels: float4, int4 and so on");
    TextureObject texture = texture_object(handle);
    texture.how.filterMode = cudaFilterModeLinear;
    const AxisSample a = sample_axis(texture, 0, x), b = sample_axis(texture, 1, y);
    const int widths[] = {texture.format.x, texture.format.y, texture.format.z, texture.format.w};
    const int xs[] = {a.first, a.second, a.second, a.first}, ys[] = {b.second, b.second, b.first, b.first};
    Scalar values[4] = {};
    for (int i = 0; i < 4 && widths[channel & 3] > 0; ++i)
        values[i] = texel_channel<Scalar>(texture, xs[i], ys[i], 0, channel & 3);
    T texels;
    __builtin_memcpy(static_cast<void*>(&texels), values, sizeof texels);
    return texels;
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

// ---- fetches: T is the texel type, or float and its vectors when the texture is read as normalized floats ----------
// Textures have one mipmap level here, so the level of detail and gradients do not matter, and all texels are resident.
// Each has an older form, which stores through a pointer, and forms that tell whether the texels are resident.
#define SIMT_TEXTURE_FORMS(name, coordinates, fetched, more)                                                      \
    template <typename T>                                                                                         \
    SIMT_INLINE T name(cudaTextureObject_t texture_, SIMT_UNPACK coordinates SIMT_UNPACK more) {                  \
        return ::simt::fetched;                                                                                   \
    }                                                                                                             \
    template <typename T>                                                                                         \
    SIMT_INLINE void name(T* to_, cudaTextureObject_t texture_, SIMT_UNPACK coordinates SIMT_UNPACK more) {       \
        *to_ = ::simt::fetched;                                                                                   \
    }                                                                                                             \
    template <typename T>                                                                                         \
    SIMT_INLINE T name(cudaTextureObject_t texture_, SIMT_UNPACK coordinates, bool* resident_ SIMT_UNPACK more) { \
        *resident_ = true;                                                                                        \
        return ::simt::fetched;                                                                                   \
    }                                                                                                             \
    template <typename T>                                                                                         \
    SIMT_INLINE void name(T* to_, cudaTextureObject_t texture_, SIMT_UNPACK coordinates,                          \
                          bool* resident_ SIMT_UNPACK more) {                                                     \
        *resident_ = true;                                                                                        \
        *to_ = ::simt::fetched;                                                                                   \
    }
#define SIMT_UNPACK(...) __VA_ARGS__
#define SIMT_TEXTURE(name, coordinates, fetched) SIMT_TEXTURE_FORMS(name, coordinates, fetched, ())
SIMT_TEXTURE(tex1Dfetch, (int x_), fetch_linear<T>(texture_, x_))
SIMT_TEXTURE(tex1D, (float x_), fetch_1d<T>(texture_, x_, 0))
SIMT_TEXTURE(tex1DLod, (float x_, float), fetch_1d<T>(texture_, x_, 0))
SIMT_TEXTURE(tex1DGrad, (float x_, float, float), fetch_1d<T>(texture_, x_, 0))
SIMT_TEXTURE(tex1DLayered, (float x_, int layer_), fetch_1d<T>(texture_, x_, layer_))
SIMT_TEXTURE(tex1DLayeredLod, (float x_, int layer_, float), fetch_1d<T>(texture_, x_, layer_))
SIMT_TEXTURE(tex1DLayeredGrad, (float x_, int layer_, float, float), fetch_1d<T>(texture_, x_, layer_))
SIMT_TEXTURE(tex2D, (float x_, float y_), fetch_2d<T>(texture_, x_, y_, 0))
SIMT_TEXTURE(tex2DLod, (float x_, float y_, float), fetch_2d<T>(texture_, x_, y_, 0))
SIMT_TEXTURE(tex2DGrad, (float x_, float y_, float2, float2), fetch_2d<T>(texture_, x_, y_, 0))
SIMT_TEXTURE(tex2DLayered, (float x_, float y_, int layer_), fetch_2d<T>(texture_, x_, y_, layer_))
SIMT_TEXTURE(tex2DLayeredLod, (float x_, float y_, int layer_, float), fetch_2d<T>(texture_, x_, y_, layer_))
SIMT_TEXTURE(tex2DLayeredGrad, (float x_, float y_, int layer_, float2, float2), fetch_2d<T>(texture_, x_, y_, layer_))
SIMT_TEXTURE_FORMS(tex2Dgather, (float x_, float y_), gather_2d<T>(texture_, x_, y_, channel_), (, int channel_ = 0))
SIMT_TEXTURE(tex3D, (float x_, float y_, float z_), fetch_3d<T>(texture_, x_, y_, z_))
SIMT_TEXTURE(tex3DLod, (float x_, float y_, float z_, float), fetch_3d<T>(texture_, x_, y_, z_))
SIMT_TEXTURE(tex3DGrad, (float x_, float y_, float z_, float4, float4), fetch_3d<T>(texture_, x_, y_, z_))
SIMT_TEXTURE(texCubemap, (float x_, float y_, float z_), fetch_cubemap<T>(texture_, x_, y_, z_, 0))
SIMT_TEXTURE(texCubemapLod, (float x_, float y_, float z_, float), fetch_cubemap<T>(texture_, x_, y_, z_, 0))
SIMT_TEXTURE(texCubemapGrad, (float x_, float y_, float z_, float4, float4), fetch_cubemap<T>(texture_, x_, y_, z_, 0))
SIMT_TEXTURE(texCubemapLayered, (float x_, float y_, float z_, int layer_),
             fetch_cubemap<T>(texture_, x_, y_, z_, layer_))
SIMT_TEXTURE(texCubemapLayeredLod, (float x_, float y_, float z_, int layer_, float),
             fetch_cubemap<T>(texture_, x_, y_, z_, layer_))
SIMT_TEXTURE(texCubemapLayeredGrad, (float x_, float y_, float z_, int layer_, float4, float4),
             fetch_cubemap<T>(texture_, x_, y_, z_, layer_))
#undef SIMT_TEXTURE
#undef SIMT_TEXTURE_FORMS
#undef SIMT_UNPACK

// ---- surface reads and writes

// x counts bytes, y rows, z slices or layers.

namespace simt {

/// The texel's address after the boundary mode has been applied; null where a read gives 0 and a write has no effect.
template <typename T>
SIMT_INLINE char* surface_address(cudaSurfaceObject_t handle, int x_bytes, int y, int z, cudaSurfaceBoundaryMode mode) {
    const TextureObject& surface = texture_object(handle);
    const int row_bytes = surface.extent[0] * static_cast<int>(surface.texel_bytes);
    const int last[3] = {row_bytes - static_cast<int>(sizeof(T)), surface.extent[1] - 1, surface.extent[2] - 1};
    int position[3] = {x_bytes, y, z};
    for (int axis = 0; axis < 3; ++axis) {
        if (position[axis] >= 0 && position[axis] <= last[axis]) continue;
        if (mode == cudaBoundaryModeTrap) fail_lane("a surface was accessed outside of it");
        if (mode == cudaBoundaryModeZero) return nullptr;
        position[axis] = position[axis] < 0 ? 0 : last[axis];
    }
    return surface.data + static_cast<size_t>(position[2]) * surface.slice +
           static_cast<size_t>(position[1]) * surface.pitch + position[0];
}

inline namespace SIMT_FLAVOR {

template <typename T>
SIMT_FETCH T surface_read(cudaSurfaceObject_t handle, int x_bytes, int y, int z, cudaSurfaceBoundaryMode mode) {
    const char* address = surface_address<T>(handle, x_bytes, y, z, mode);
    T texel = {};
    if (!address) return texel;
    if constexpr (is_checked) check::access_surface(address, sizeof(T), false, __builtin_return_address(0));
    __builtin_memcpy(static_cast<void*>(&texel), address, sizeof texel);
    return texel;
}

template <typename T>
SIMT_FETCH void surface_write(T value, cudaSurfaceObject_t handle, int x_bytes, int y, int z,
                              cudaSurfaceBoundaryMode mode) {
    char* const address = surface_address<T>(handle, x_bytes, y, z, mode);
    if (!address) return;
    if constexpr (is_checked) check::access_surface(address, sizeof(T), true, __builtin_return_address(0));
    __builtin_memcpy(address, static_cast<const void*>(&value), sizeof value);
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

// One shape of surface: its coordinates as parameters, and the y and z of the position.
#define SIMT_SURFACE(shape, coordinates, y, z)                                                         \
    template <typename T>                                                                              \
    SIMT_INLINE T surf##shape##read(cudaSurfaceObject_t surface, SIMT_UNPACK coordinates,              \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {             \
        return ::simt::surface_read<T>(surface, x_, y, z, mode);                                       \
    }                                                                                                  \
    template <typename T>                                                                              \
    SIMT_INLINE void surf##shape##read(T* to, cudaSurfaceObject_t surface, SIMT_UNPACK coordinates,    \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {          \
        *to = ::simt::surface_read<T>(surface, x_, y, z, mode);                                        \
    }                                                                                                  \
    template <typename T>                                                                              \
    SIMT_INLINE void surf##shape##write(T value, cudaSurfaceObject_t surface, SIMT_UNPACK coordinates, \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {         \
        ::simt::surface_write<T>(value, surface, x_, y, z, mode);                                      \
    }
#define SIMT_UNPACK(...) __VA_ARGS__
SIMT_SURFACE(1D, (int x_), 0, 0)
SIMT_SURFACE(2D, (int x_, int y_), y_, 0)
SIMT_SURFACE(3D, (int x_, int y_, int z_), y_, z_)
SIMT_SURFACE(1DLayered, (int x_, int layer_), 0, layer_)
SIMT_SURFACE(2DLayered, (int x_, int y_, int layer_), y_, layer_)
SIMT_SURFACE(Cubemap, (int x_, int y_, int face_), y_, face_)
#undef SIMT_SURFACE
#undef SIMT_UNPACK
