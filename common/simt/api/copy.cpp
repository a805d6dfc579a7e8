// SPDX-License-Identifier: MIT
// cudaMemcpy and cudaMemset in one, two and three dimensions, and between devices.
#include "common/simt/runtime/copy.hpp"
#include "common/simt/api/error.hpp"
#include "common/simt/runtime/array.hpp"

namespace {

using simt::api;
using simt::api_everywhere;
using simt::BlockCopy;
using simt::BlockFill;

// Kernels can only request copies and fills that nobody waits for.
template <class Body>
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
