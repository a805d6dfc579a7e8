// SPDX-License-Identifier: MIT
// cudaMemcpy and cudaMemset in one, two and three dimensions, between devices, and from and to variables.
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/array.hpp"
#include "common/simt/runtime/copy.hpp"

namespace {

using simt::api;
using simt::api_everywhere;
using simt::BlockCopy;
using simt::BlockFill;

// Kernels can only request copies and fills that nobody waits for.
template <typename Body>
cudaError_t api_if(bool is_waited_for, Body body) {
    return is_waited_for ? api(body) : api_everywhere(body);
}

BlockCopy linear(void* to, const void* from, size_t bytes) {
    BlockCopy copy;
    copy.to = to;
    copy.from = from;
    copy.width = bytes;
    return copy;
}

BlockCopy rectangle(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height) {
    BlockCopy copy = linear(to, from, width);
    copy.to_pitch = to_pitch;
    copy.from_pitch = from_pitch;
    copy.height = height;
    return copy;
}

cudaError_t copy_block(const cudaMemcpy3DParms* parameters, cudaStream_t stream, bool asynchronous) {
    return api_if(!asynchronous, [=] {
        BlockCopy copy;
        cudaMemcpyKind kind = cudaMemcpyDefault;
        if (!parameters) return cudaErrorInvalidValue;
        if (const cudaError_t error = simt::block_copy(*parameters, copy, kind)) return error;
        return simt::start_copy(copy, kind, stream, asynchronous);
    });
}

cudaError_t copy_block_to_peer(const cudaMemcpy3DPeerParms* peer, cudaStream_t stream, bool asynchronous) {
    if (!peer) return simt::report(cudaErrorInvalidValue);
    cudaMemcpy3DParms parameters = {};
    parameters.srcArray = peer->srcArray;
    parameters.srcPos = peer->srcPos;
    parameters.srcPtr = peer->srcPtr;
    parameters.dstArray = peer->dstArray;
    parameters.dstPos = peer->dstPos;
    parameters.dstPtr = peer->dstPtr;
    parameters.extent = peer->extent;
    parameters.kind = cudaMemcpyDeviceToDevice;
    return copy_block(&parameters, stream, asynchronous);
}

cudaError_t copy_to_peer(const BlockCopy& copy, int to_device, int from_device, cudaStream_t stream, bool async) {
    return api([=] {
        const simt::Runtime& runtime = simt::runtime();
        if (!runtime.has_device(to_device) || !runtime.has_device(from_device)) return cudaErrorInvalidDevice;
        return simt::start_copy(copy, cudaMemcpyDeviceToDevice, stream, async);
    });
}

cudaError_t fill_block(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream, bool asynchronous) {
    BlockFill fill;
    fill.to = to.ptr;
    fill.pitch = to.pitch;
    fill.slice = to.pitch * to.ysize;
    fill.width = extent.width;
    fill.height = extent.height;
    fill.depth = extent.depth;
    fill.value = static_cast<unsigned char>(value);
    return api_if(!asynchronous, [=] { return simt::start_fill(fill, stream, asynchronous); });
}

cudaError_t fill_rows(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream, bool async) {
    return fill_block({to, pitch, width, height}, value, {width, height, 1}, stream, async);
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return api([=] { return simt::start_copy(linear(to, from, bytes), kind, nullptr, false); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return api_everywhere([=] { return simt::start_copy(linear(to, from, bytes), kind, stream, true); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    const BlockCopy copy = rectangle(to, to_pitch, from, from_pitch, width, height);
    return api([=] { return simt::start_copy(copy, kind, nullptr, false); });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    const BlockCopy copy = rectangle(to, to_pitch, from, from_pitch, width, height);
    return api_everywhere([=] { return simt::start_copy(copy, kind, stream, true); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) { return copy_block(parameters, nullptr, false); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    return copy_block(parameters, stream, true);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
    return copy_block_to_peer(parameters, nullptr, false);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
    return copy_block_to_peer(parameters, stream, true);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    return copy_to_peer(linear(to, from, bytes), to_device, from_device, nullptr, false);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    return copy_to_peer(linear(to, from, bytes), to_device, from_device, stream, true);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return fill_rows(to, bytes, value, bytes, 1, nullptr, false);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return fill_rows(to, bytes, value, bytes, 1, stream, true);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return fill_rows(to, pitch, value, width, height, nullptr, false);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    return fill_rows(to, pitch, value, width, height, stream, true);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return fill_block(to, value, extent, nullptr, false);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return fill_block(to, value, extent, stream, true);
}

// ---- copies from and to __device__ and __constant__ variables, which here are variables of the executable

namespace simt {

static void remember(const volatile void* address, size_t bytes, MemoryKind kind, bool is_shared = false) {
    unless_short([&] { symbol_registry().remember({const_cast<const void*>(address), bytes, kind, is_shared}); });
}

void remember_symbol(const volatile void* address, size_t bytes) { remember(address, bytes, MemoryKind::symbol); }
void remember_constant(const volatile void* address, size_t bytes) { remember(address, bytes, MemoryKind::constant); }
void remember_managed(const volatile void* address, size_t bytes) {
    remember(address, bytes, MemoryKind::symbol, true);
}

void* host_shadow_of(const volatile void* object, size_t bytes) {
    return unless_short([&]() -> void* {
        void* const address = const_cast<void*>(object);
        const auto allocation = runtime().memory.find(address);
        if (!allocation || !allocation->is_symbol()) return address;
        static std::mutex mutex;
        static auto& shadows = *new std::map<void*, std::vector<char>>;
        const std::lock_guard lock(mutex);
        std::vector<char>& shadow = shadows[address];
        shadow.resize(bytes);
        return shadow.data();
    });
}

}  // namespace simt

using namespace simt;

namespace {

// A symbol passed as an untyped address has no known size; it counts as host memory.
cudaError_t check_symbol(const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind& kind, cudaMemcpyKind legal) {
    if (!symbol) return cudaErrorInvalidSymbol;
    if (kind != legal && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    const auto allocation = runtime().memory.find(symbol);
    if (!allocation) {
        kind = cudaMemcpyDefault;
        return cudaSuccess;
    }
    const auto address = reinterpret_cast<uintptr_t>(symbol) + offset;
    return allocation->contains(address, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                           cudaStream_t stream, bool asynchronous) {
    return api([=, kind = kind]() mutable {
        const cudaError_t error = check_symbol(symbol, bytes, offset, kind, cudaMemcpyHostToDevice);
        if (error) return error;
        BlockCopy copy;
        copy.to = const_cast<char*>(static_cast<const char*>(symbol)) + offset;
        copy.from = from;
        copy.width = bytes;
        return start_copy(copy, kind, stream, asynchronous);
    });
}

cudaError_t copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                             cudaStream_t stream, bool asynchronous) {
    return api([=, kind = kind]() mutable {
        const cudaError_t error = check_symbol(symbol, bytes, offset, kind, cudaMemcpyDeviceToHost);
        if (error) return error;
        BlockCopy copy;
        copy.to = to;
        copy.from = static_cast<const char*>(symbol) + offset;
        copy.width = bytes;
        return start_copy(copy, kind, stream, asynchronous);
    });
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, stream, true);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
    return api([=] {
        if (!pointer) return cudaErrorInvalidValue;
        if (!symbol) return cudaErrorInvalidSymbol;
        *pointer = const_cast<void*>(symbol);
        return cudaSuccess;
    });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
    return api([=] {
        if (!bytes) return cudaErrorInvalidValue;
        const auto allocation = runtime().memory.find(symbol);
        if (!allocation || !allocation->is_symbol()) return cudaErrorInvalidSymbol;
        *bytes = allocation->bytes;
        return cudaSuccess;
    });
}
