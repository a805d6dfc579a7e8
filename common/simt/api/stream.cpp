// SPDX-License-Identifier: MIT
// Streams: creating, destroying, waiting, and running host functions in them.
#include <algorithm>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/grid.hpp"

using namespace simt;

namespace {

// The body of a function about one stream.
template <class Body>
cudaError_t on_stream(cudaStream_t handle, Body body) {
    return api([&] {
        const auto stream = find_stream(handle);
        return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t create_stream(cudaStream_t* handle, unsigned flags, int priority) {
    return api([=] {
        if (!handle || flags & ~unsigned{cudaStreamNonBlocking}) return cudaErrorInvalidValue;
        const int legal = std::clamp(priority, greatest_stream_priority, least_stream_priority);
        auto stream = current_device().create_stream(Stream::Kind::created, flags, legal);
        *handle = static_cast<cudaStream_t>(runtime().streams.add(std::move(stream)));
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, cudaStreamDefault, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    Grid* const grid = Grid::running();
    if (!grid) return create_stream(stream, flags, 0);
    return api_everywhere([=] {
        if (!stream || flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
        *stream = static_cast<cudaStream_t>(grid->create_stream());
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return create_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return api_everywhere([=] {
        if (Grid* const grid = Grid::running()) {
            return grid->destroy_stream(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
        }
        const auto stream = runtime().streams.remove(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        stream->device().forget_stream(stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return on_stream(handle, [](Stream& stream) {
        if (stream.capturing()) return dispatch(stream, {}, Start::by_waiting);
        stream.last_ticket().host_waits();
        return static_cast<cudaError_t>(stream.device().broken());
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return on_stream(handle, [](Stream& stream) {
        if (stream.capturing()) return dispatch(stream, {}, Start::by_waiting);
        if (!stream.last_ticket().host_sees_done()) return cudaErrorNotReady;
        return static_cast<cudaError_t>(stream.device().broken());
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    return on_stream(handle, [=](Stream& stream) {
        if (!flags) return cudaErrorInvalidValue;
        *flags = stream.flags();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    return on_stream(handle, [=](Stream& stream) {
        if (!priority) return cudaErrorInvalidValue;
        *priority = stream.priority();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
    return on_stream(handle, [=](Stream& stream) {
        if (!id) return cudaErrorInvalidValue;
        *id = stream.id();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    return on_stream(handle, [=](Stream& stream) {
        if (!device) return cudaErrorInvalidValue;
        *device = stream.device().index();
        return cudaSuccess;
    });
}

// Attributes control caches and waiting, which the simulator does not model. They are accepted, but read as defaults.
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID, const cudaLaunchAttributeValue* value) {
    return on_stream(handle, [=](Stream&) { return value ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
    return on_stream(handle, [=](Stream& stream) {
        if (!value) return cudaErrorInvalidValue;
        *value = {};
        if (attribute == cudaLaunchAttributePriority) value->priority = stream.priority();
        if (attribute == cudaLaunchAttributeSynchronizationPolicy) value->syncPolicy = cudaSyncPolicyAuto;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return api([=] { return find_stream(to) && find_stream(from) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
    return on_stream(handle, [=](Stream& stream) {
        if (!function) return cudaErrorInvalidValue;
        return dispatch(stream, {cudaGraphNodeTypeHost, host_function([=] { function(data); })});
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data, unsigned flags) {
    return on_stream(handle, [=](Stream& stream) {
        if (!callback || flags != 0) return cudaErrorInvalidValue;
        if (stream.capturing()) return cudaErrorStreamCaptureUnsupported;
        return dispatch(stream, {cudaGraphNodeTypeHost, host_function([=] { callback(handle, cudaSuccess, data); })});
    });
}
