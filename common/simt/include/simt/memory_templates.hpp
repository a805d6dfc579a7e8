// SPDX-License-Identifier: MIT
// Allocation functions that take the address of a pointer of any type, as C++ programs write them.
#pragma once

#include "simt/memory_api.h"
#include "simt/stream_api.h"

template <class T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = cudaHostAllocDefault) {
    return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
    return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned int flags) {
    return cudaHostGetDevicePointer(reinterpret_cast<void**>(device_pointer), host_pointer, flags);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
    return cudaEventCreateWithFlags(event, flags);
}

inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
    return {pointer, pitch, width, height};
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }

// The channel format of arrays of T, for scalars and short vectors.
template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define SIMT_CHANNEL_FORMAT(T, x, y, z, w, kind)                               \
    template <>                                                                \
    inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                  \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind); \
    }
#define SIMT_CHANNEL_FORMATS(scalar, prefix, bits, kind)   \
    SIMT_CHANNEL_FORMAT(scalar, bits, 0, 0, 0, kind)       \
    SIMT_CHANNEL_FORMAT(prefix##1, bits, 0, 0, 0, kind)    \
    SIMT_CHANNEL_FORMAT(prefix##2, bits, bits, 0, 0, kind) \
    SIMT_CHANNEL_FORMAT(prefix##4, bits, bits, bits, bits, kind)
SIMT_CHANNEL_FORMAT(char, 8, 0, 0, 0, Signed)
SIMT_CHANNEL_FORMATS(signed char, char, 8, Signed)
SIMT_CHANNEL_FORMATS(unsigned char, uchar, 8, Unsigned)
SIMT_CHANNEL_FORMATS(short, short, 16, Signed)
SIMT_CHANNEL_FORMATS(unsigned short, ushort, 16, Unsigned)
SIMT_CHANNEL_FORMATS(int, int, 32, Signed)
SIMT_CHANNEL_FORMATS(unsigned int, uint, 32, Unsigned)
SIMT_CHANNEL_FORMATS(float, float, 32, Float)
#undef SIMT_CHANNEL_FORMAT
#undef SIMT_CHANNEL_FORMATS
