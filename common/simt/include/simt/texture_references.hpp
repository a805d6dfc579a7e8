// SPDX-License-Identifier: MIT
// Texture and surface references, which CUDA 12 removed: variables at file scope that the host binds to memory.
//
// simcc writes simt::texture where a program says `texture<...>`, unless the program has a texture of its own. A reference
// holds a texture object. Binding copies the object to it as to a __constant__ variable, so that each device has its
// own, and kernels that are already in a stream keep theirs.
#pragma once

#include "cuda_runtime_api.h"
#include "simt/textures.hpp"
#include "texture_types.h"

namespace simt {

template <typename Texel, int shape = cudaTextureType1D, cudaTextureReadMode read_mode = cudaReadModeElementType>
struct texture : textureReference {
    texture(int is_normalized, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
            cudaChannelFormatDesc format = cudaCreateChannelDesc<Texel>())
        : textureReference() {
        normalized = is_normalized;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = mode;
        channelDesc = format;
        simt_read_mode = read_mode;
    }
    explicit texture(int is_normalized = 0) : texture(is_normalized, cudaFilterModePoint, cudaAddressModeClamp) {}
};

template <typename Texel, int shape = cudaSurfaceType1D>
struct surface : surfaceReference {
    surface() : surfaceReference() {}
    SIMT_INLINE operator cudaSurfaceObject_t() const {
        return reinterpret_cast<cudaSurfaceObject_t>(__builtin_addressof(simt_bound));
    }
};

/// What a fetch returns: the texel, or floats in its place.
template <typename Texel, cudaTextureReadMode read_mode>
struct Fetched {
    using type = Texel;
};
template <int channels>
struct Floats;
template <>
struct Floats<1> {
    using type = float;
};
template <>
struct Floats<2> {
    using type = float2;
};
template <>
struct Floats<4> {
    using type = float4;
};
template <typename Texel>
struct Fetched<Texel, cudaReadModeNormalizedFloat> {
    using type = typename Floats<TexelType<Texel>::channels>::type;
};
#define SIMT_ONE_FLOAT(vector)                            \
    template <>                                           \
    struct Fetched<vector, cudaReadModeNormalizedFloat> { \
        using type = float1;                              \
    };
SIMT_ONE_FLOAT(char1)
SIMT_ONE_FLOAT(uchar1)
SIMT_ONE_FLOAT(short1)
SIMT_ONE_FLOAT(ushort1)
#undef SIMT_ONE_FLOAT

}  // namespace simt

// ---- binding -------------------------------------------------------------------------------------------------------

#define SIMT_OF_TEXTURE template <typename Texel, int shape, cudaTextureReadMode read_mode>
#define SIMT_TEXTURE_REFERENCE const simt::texture<Texel, shape, read_mode>& texture

SIMT_OF_TEXTURE
inline cudaError_t cudaBindTexture(size_t* offset, SIMT_TEXTURE_REFERENCE, const void* memory,
                                   const cudaChannelFormatDesc& format, size_t bytes = simt::whole_allocation) {
    return cudaBindTexture(offset, &texture, memory, &format, bytes);
}
SIMT_OF_TEXTURE
inline cudaError_t cudaBindTexture(size_t* offset, SIMT_TEXTURE_REFERENCE, const void* memory,
                                   size_t bytes = simt::whole_allocation) {
    return cudaBindTexture(offset, &texture, memory, &texture.channelDesc, bytes);
}
SIMT_OF_TEXTURE
inline cudaError_t cudaBindTexture2D(size_t* offset, SIMT_TEXTURE_REFERENCE, const void* memory,
                                     const cudaChannelFormatDesc& format, size_t width, size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, &texture, memory, &format, width, height, pitch);
}
SIMT_OF_TEXTURE
inline cudaError_t cudaBindTexture2D(size_t* offset, SIMT_TEXTURE_REFERENCE, const void* memory, size_t width,
                                     size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, &texture, memory, &texture.channelDesc, width, height, pitch);
}
SIMT_OF_TEXTURE
inline cudaError_t cudaBindTextureToArray(SIMT_TEXTURE_REFERENCE, cudaArray_const_t array,
                                          const cudaChannelFormatDesc& format) {
    return cudaBindTextureToArray(&texture, array, &format);
}
SIMT_OF_TEXTURE
inline cudaError_t cudaBindTextureToArray(SIMT_TEXTURE_REFERENCE, cudaArray_const_t array) {
    return cudaBindTextureToArray(&texture, array, nullptr);
}
SIMT_OF_TEXTURE
inline cudaError_t cudaUnbindTexture(SIMT_TEXTURE_REFERENCE) { return cudaUnbindTexture(&texture); }
SIMT_OF_TEXTURE
inline cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, SIMT_TEXTURE_REFERENCE) {
    return cudaGetTextureAlignmentOffset(offset, &texture);
}
SIMT_OF_TEXTURE
inline cudaError_t cudaGetTextureReference(const textureReference** reference, SIMT_TEXTURE_REFERENCE) {
    *reference = &texture;
    return cudaSuccess;
}
inline cudaError_t cudaGetTextureReference(const textureReference** reference, const void* texture) {
    *reference = static_cast<const textureReference*>(texture);
    return cudaSuccess;
}
/// CUDA 5 stopped finding variables by their names in strings.
inline cudaError_t cudaGetTextureReference(const textureReference**, const char*) { return cudaErrorInvalidTexture; }

template <typename Texel, int shape>
inline cudaError_t cudaBindSurfaceToArray(const simt::surface<Texel, shape>& surface, cudaArray_const_t array,
                                          const cudaChannelFormatDesc& format) {
    return cudaBindSurfaceToArray(&surface, array, &format);
}
template <typename Texel, int shape>
inline cudaError_t cudaBindSurfaceToArray(const simt::surface<Texel, shape>& surface, cudaArray_const_t array) {
    return cudaBindSurfaceToArray(&surface, array, nullptr);
}
template <typename Texel, int shape>
inline cudaError_t cudaGetSurfaceReference(const surfaceReference** reference,
                                           const simt::surface<Texel, shape>& surface) {
    *reference = &surface;
    return cudaSuccess;
}
inline cudaError_t cudaGetSurfaceReference(const surfaceReference** reference, const void* surface) {
    *reference = static_cast<const surfaceReference*>(surface);
    return cudaSuccess;
}
inline cudaError_t cudaGetSurfaceReference(const surfaceReference**, const char*) { return cudaErrorInvalidSurface; }

// ---- fetches -------------------------------------------------------------------------------------------------------
#define SIMT_FETCH_FROM(name, parameters, arguments)                                                                  \
    SIMT_OF_TEXTURE                                                                                                   \
    SIMT_INLINE typename simt::Fetched<Texel, read_mode>::type name(SIMT_TEXTURE_REFERENCE, SIMT_UNPACK parameters) { \
        return name<typename simt::Fetched<Texel, read_mode>::type>(                                                  \
            reinterpret_cast<cudaTextureObject_t>(__builtin_addressof(texture.simt_bound)), SIMT_UNPACK arguments);   \
    }
#define SIMT_UNPACK(...) __VA_ARGS__
SIMT_FETCH_FROM(tex1Dfetch, (int x), (x))
SIMT_FETCH_FROM(tex1D, (float x), (x))
SIMT_FETCH_FROM(tex1DLod, (float x, float level), (x, level))
SIMT_FETCH_FROM(tex1DGrad, (float x, float dx, float dy), (x, dx, dy))
SIMT_FETCH_FROM(tex1DLayered, (float x, int layer), (x, layer))
SIMT_FETCH_FROM(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level))
SIMT_FETCH_FROM(tex1DLayeredGrad, (float x, int layer, float dx, float dy), (x, layer, dx, dy))
SIMT_FETCH_FROM(tex2D, (float x, float y), (x, y))
SIMT_FETCH_FROM(tex2DLod, (float x, float y, float level), (x, y, level))
SIMT_FETCH_FROM(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
SIMT_FETCH_FROM(tex2DLayered, (float x, float y, int layer), (x, y, layer))
SIMT_FETCH_FROM(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level))
SIMT_FETCH_FROM(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy))
SIMT_FETCH_FROM(tex3D, (float x, float y, float z), (x, y, z))
SIMT_FETCH_FROM(tex3DLod, (float x, float y, float z, float level), (x, y, z, level))
SIMT_FETCH_FROM(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
SIMT_FETCH_FROM(texCubemap, (float x, float y, float z), (x, y, z))
SIMT_FETCH_FROM(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level))
SIMT_FETCH_FROM(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer))
SIMT_FETCH_FROM(texCubemapLayeredLod, (float x, float y, float z, int layer, float level), (x, y, z, layer, level))
#undef SIMT_FETCH_FROM
#undef SIMT_UNPACK

namespace simt {

/// Four texels: float4, int4 and so on.
template <typename Scalar>
struct FourOf;
#define SIMT_FOUR_OF(type, prefix) \
    template <>                    \
    struct FourOf<type> {          \
        using vector = prefix##4;  \
    };
SIMT_FOUR_OF(char, char)
SIMT_FOUR_OF(signed char, char)
SIMT_FOUR_OF(unsigned char, uchar)
SIMT_FOUR_OF(short, short)
SIMT_FOUR_OF(unsigned short, ushort)
SIMT_FOUR_OF(int, int)
SIMT_FOUR_OF(unsigned, uint)
SIMT_FOUR_OF(float, float)
#undef SIMT_FOUR_OF

}  // namespace simt

SIMT_OF_TEXTURE
SIMT_INLINE auto tex2Dgather(SIMT_TEXTURE_REFERENCE, float x, float y, int channel = 0) {
    using Scalar = typename simt::TexelType<typename simt::Fetched<Texel, read_mode>::type>::scalar;
    return tex2Dgather<typename simt::FourOf<Scalar>::vector>(
        reinterpret_cast<cudaTextureObject_t>(__builtin_addressof(texture.simt_bound)), x, y, channel);
}
#undef SIMT_OF_TEXTURE
#undef SIMT_TEXTURE_REFERENCE
