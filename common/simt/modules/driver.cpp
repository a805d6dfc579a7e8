// SPDX-License-Identifier: MIT
// The driver API: devices, contexts, streams, events and graphs.
// make: room -O1 (the host calls this room once per call of a program)
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/modules/context.hpp"
#include "common/simt/modules/result_names.hpp"

using namespace simt;

/// One of the program's contexts. They differ in nothing but their handles and flags.
struct CUctx_st {
    int device;
    unsigned flags;
    bool is_primary;
};

namespace simt {

CUresult result_of(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidPitchValue:
        case cudaErrorInvalidHostPointer:
        case cudaErrorInvalidDevicePointer:
        case cudaErrorInvalidMemcpyDirection:
        case cudaErrorInvalidChannelDescriptor: return CUDA_ERROR_INVALID_VALUE;
        case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
        case cudaErrorInvalidDeviceFunction:
        case cudaErrorInvalidTexture:
        case cudaErrorInvalidSurface: return CUDA_ERROR_INVALID_HANDLE;
        default: break;
    }
    const char* name = nullptr;
    const auto result = static_cast<CUresult>(error);
    return cuGetErrorName(result, &name) == CUDA_SUCCESS ? result : CUDA_ERROR_UNKNOWN;
}

namespace {

std::atomic<bool> is_initialized = false;

class Contexts {
public:
    CUcontext add(int device, unsigned flags) {
        const std::lock_guard lock(mutex_);
        return *live_.insert(new CUctx_st{device, flags, false}).first;
    }

    CUcontext primary(int device) {
        const std::lock_guard lock(mutex_);
        while (primary_.size() <= static_cast<size_t>(device)) {
            primary_.push_back(new CUctx_st{static_cast<int>(primary_.size()), CU_CTX_SCHED_AUTO, true});
            live_.insert(primary_.back());
        }
        return primary_[device];
    }

    bool has(CUcontext context) const {
        const std::lock_guard lock(mutex_);
        return live_.count(context) != 0;
    }

    /// (The object stays, because another thread may have it as its current one.)
    void remove(CUcontext context) {
        const std::lock_guard lock(mutex_);
        live_.erase(context);
    }

private:
    mutable std::mutex mutex_;
    std::set<CUcontext> live_;
    std::vector<CUcontext> primary_;
};

Contexts& contexts() {
    static Contexts& all = *new Contexts;
    return all;
}

std::vector<CUcontext>& stack() {
    static thread_local std::vector<CUcontext> current;
    return current;
}

/// The current context of the calling thread; null if there is none. The runtime API makes a device's primary one
/// current by using it.
CUcontext current_context() {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return nullptr;
    if (!stack().empty() && stack().back()->device == device) return stack().back();
    return stack().empty() && !runtime_is_used() ? nullptr : contexts().primary(device);
}

void use_device_of_top() {
    if (!stack().empty()) cudaSetDevice(stack().back()->device);
}

bool has_device(CUdevice device) {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && device >= 0 && device < count;
}

}  // namespace

CUresult driver_state() { return is_initialized || runtime_is_used() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED; }

CUresult context_state() {
    if (const CUresult result = driver_state()) return result;
    const DriverSection section;
    const CUcontext context = current_context();
    return context && contexts().has(context) ? CUDA_SUCCESS
           : context                          ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                              : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult driver_call(const std::function<cudaError_t()>& body) {
    if (const CUresult result = driver_state()) return result;
    const DriverSection section;
    return result_of(body());
}

CUresult context_call(const std::function<cudaError_t()>& body) {
    if (const CUresult result = context_state()) return result;
    const DriverSection section;
    return result_of(body());
}

int device_of(CUcontext context) { return context && contexts().has(context) ? context->device : -1; }

}  // namespace simt

// ---- errors and entry points

CUresult cuInit(unsigned int flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    is_initialized = true;
    const DriverSection section;
    int count = 0;
    return result_of(cudaGetDeviceCount(&count));
}

CUresult cuDriverGetVersion(int* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char** name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    switch (result) {
#define SIMT_NAME(name_) \
    case name_: *name = #name_; return CUDA_SUCCESS;
        SIMT_DRIVER_RESULTS(SIMT_NAME)
#undef SIMT_NAME
    }
    *name = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char** text) {
    const char* name = nullptr;
    if (!text || cuGetErrorName(result, &name) != CUDA_SUCCESS) {
        if (text) *text = nullptr;
        return CUDA_ERROR_INVALID_VALUE;
    }
    *text = cudaGetErrorString(static_cast<cudaError_t>(result));
    return CUDA_SUCCESS;
}

namespace {

/// The function of this name in the program; the newest form of one that CUDA has changed.
void* entry_point(const std::string& name) {
    for (const char* version : {"_v4", "_v3", "_v2", ""}) {
        if (void* const found = dlsym(RTLD_DEFAULT, ("simt_" + name + version).c_str())) return found;
    }
    return nullptr;
}

}  // namespace

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, uint64_t,
                             CUdriverProcAddressQueryResult* status) {
    if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
    *function = entry_point(symbol);
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// ---- devices

CUresult cuDeviceGetCount(int* count) {
    return driver_call([=] {
        const cudaError_t error = cudaGetDeviceCount(count);
        return error == cudaErrorNoDevice ? cudaSuccess : error;
    });
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    return driver_call([=] {
        if (!device) return cudaErrorInvalidValue;
        if (!has_device(ordinal)) return cudaErrorInvalidDevice;
        *device = ordinal;
        return cudaSuccess;
    });
}

namespace {

template <typename Take>
CUresult with_properties(CUdevice device, bool has_room, Take take) {
    return driver_call([=] {
        if (!has_room) return cudaErrorInvalidValue;
        cudaDeviceProp properties;
        const cudaError_t error = cudaGetDeviceProperties(&properties, device);
        if (error == cudaSuccess) take(properties);
        return error;
    });
}

}  // namespace

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    return with_properties(device, name && length > 0, [=](const cudaDeviceProp& properties) {
        std::strncpy(name, properties.name, static_cast<size_t>(length));
        name[length - 1] = '\0';
    });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    return with_properties(device, uuid, [=](const cudaDeviceProp& properties) { *uuid = properties.uuid; });
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    return with_properties(device, bytes,
                           [=](const cudaDeviceProp& properties) { *bytes = properties.totalGlobalMem; });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    return with_properties(device, major && minor, [=](const cudaDeviceProp& properties) {
        *major = properties.major;
        *minor = properties.minor;
    });
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return driver_call([=] {
        if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
            attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) {
            if (!value || !has_device(device)) return value ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
            *value = 1;
            return cudaSuccess;
        }
        return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
    });
}
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
    return driver_call([=] { return cudaDeviceGetPCIBusId(id, length, device); });
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
    return driver_call([=] { return cudaDeviceGetByPCIBusId(device, id); });
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return driver_call([=] { return cudaDeviceCanAccessPeer(can, device, peer); });
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice source, CUdevice destination) {
    return driver_call([=] {
        return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), source, destination);
    });
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return driver_call([=] { return cudaDeviceGetDefaultMemPool(pool, device); });
}

// ---- contexts

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    return driver_call([=] {
        if (!context) return cudaErrorInvalidValue;
        if (!has_device(device)) return cudaErrorInvalidDevice;
        *context = contexts().primary(device);
        return cudaSuccess;
    });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return driver_call([=] { return has_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    return driver_call([=] {
        if (!has_device(device)) return cudaErrorInvalidDevice;
        int before = 0;
        cudaGetDevice(&before);
        cudaSetDevice(device);
        const cudaError_t error = cudaDeviceReset();
        cudaSetDevice(before);
        return error;
    });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
    return driver_call([=] {
        if (!has_device(device)) return cudaErrorInvalidDevice;
        contexts().primary(device)->flags = flags;
        return cudaSuccess;
    });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
    return driver_call([=] {
        if (!flags || !active) return cudaErrorInvalidValue;
        if (!has_device(device)) return cudaErrorInvalidDevice;
        *flags = contexts().primary(device)->flags;
        *active = runtime_is_used();
        return cudaSuccess;
    });
}

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags, CUdevice device) {
    return driver_call([=] {
        if (!context) return cudaErrorInvalidValue;
        if (parameters && (parameters->numExecAffinityParams != 0 || parameters->cigParams))
            return cudaErrorNotSupported;
        if (!has_device(device)) return cudaErrorInvalidDevice;
        stack().push_back(*context = contexts().add(device, flags));
        use_device_of_top();
        return cudaSuccess;
    });
}
CUresult cuCtxDestroy(CUcontext context) {
    if (const CUresult result = driver_state()) return result;
    if (device_of(context) < 0 || context->is_primary) return CUDA_ERROR_INVALID_CONTEXT;
    return driver_call([=] {
        cudaSetDevice(context->device);
        const cudaError_t error = cudaDeviceSynchronize();
        contexts().remove(context);
        if (!stack().empty() && stack().back() == context) stack().pop_back();
        use_device_of_top();
        return error;
    });
}
CUresult cuCtxPushCurrent(CUcontext context) {
    if (const CUresult result = driver_state()) return result;
    if (device_of(context) < 0) return CUDA_ERROR_INVALID_CONTEXT;
    return driver_call([=] {
        stack().push_back(context);
        use_device_of_top();
        return cudaSuccess;
    });
}
CUresult cuCtxPopCurrent(CUcontext* context) {
    if (const CUresult result = driver_state()) return result;
    if (stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    return driver_call([=] {
        if (context) *context = stack().back();
        stack().pop_back();
        use_device_of_top();
        return cudaSuccess;
    });
}
CUresult cuCtxSetCurrent(CUcontext context) {
    if (const CUresult result = driver_state()) return result;
    if (context && device_of(context) < 0) return CUDA_ERROR_INVALID_CONTEXT;
    return driver_call([=] {
        if (!stack().empty()) stack().pop_back();
        if (context) stack().push_back(context);
        use_device_of_top();
        return cudaSuccess;
    });
}
CUresult cuCtxGetCurrent(CUcontext* context) {
    return driver_call([=] {
        if (!context) return cudaErrorInvalidValue;
        *context = current_context();
        return cudaSuccess;
    });
}
CUresult cuCtxGetDevice(CUdevice* device) {
    return context_call([=] { return cudaGetDevice(device); });
}
CUresult cuCtxGetFlags(unsigned int* flags) {
    return context_call([=] {
        if (!flags) return cudaErrorInvalidValue;
        *flags = current_context()->flags;
        return cudaSuccess;
    });
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
    if (const CUresult result = driver_state()) return result;
    if (context && device_of(context) < 0) return CUDA_ERROR_INVALID_CONTEXT;
    return driver_call([=] {
        if (!version) return cudaErrorInvalidValue;
        *version = 3020;  // as every driver since CUDA 3.2
        return cudaSuccess;
    });
}
CUresult cuCtxSynchronize() { return context_call(cudaDeviceSynchronize); }
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
    return context_call([=] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    return context_call([=] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* preference) {
    return context_call([=] { return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(preference)); });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache preference) {
    return context_call([=] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(preference)); });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return context_call([=] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
    const int device = device_of(peer);
    if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
    return context_call([=] { return cudaDeviceEnablePeerAccess(device, flags); });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    const int device = device_of(peer);
    if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
    return context_call([=] { return cudaDeviceDisablePeerAccess(device); });
}

// ---- streams

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
    return context_call([=] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
    return context_call([=] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
    return context_call([=] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
    return context_call([=] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
    return context_call([=] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
    return context_call([=] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags) {
    return context_call([=] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
    return context_call([=] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
    return context_call([=] {
        int device = 0;
        if (!context) return cudaErrorInvalidValue;
        if (const cudaError_t error = cudaStreamGetDevice(stream, &device)) return error;
        const CUcontext current = current_context();
        *context = current->device == device ? current : contexts().primary(device);
        return cudaSuccess;
    });
}
CUresult cuStreamAddCallback(CUstream stream, void (*callback)(CUstream, CUresult, void*), void* data,
                             unsigned int flags) {
    struct Call {
        void (*callback)(CUstream, CUresult, void*);
        void* data;
    };
    return context_call([=] {
        if (!callback) return cudaErrorInvalidValue;
        auto* const call = new Call{callback, data};
        const auto forward = [](cudaStream_t of, cudaError_t error, void* kept) {
            const Call made = *static_cast<Call*>(kept);
            delete static_cast<Call*>(kept);
            made.callback(of, result_of(error), made.data);
        };
        const cudaError_t error = cudaStreamAddCallback(stream, forward, call, flags);
        if (error != cudaSuccess) delete call;
        return error;
    });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    return context_call([=] { return cudaLaunchHostFunc(stream, function, data); });
}

// ---- graphs

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return context_call([=] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    return context_call([=] { return cudaStreamEndCapture(stream, graph); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    return context_call(
        [=] { return cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)); });
}
CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
    return context_call([=] { return cudaGraphInstantiateWithFlags(executable, graph, flags); });
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    return context_call([=] { return cudaGraphLaunch(executable, stream); });
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
    return driver_call([=] { return cudaGraphExecDestroy(executable); });
}
CUresult cuGraphDestroy(CUgraph graph) {
    return driver_call([=] { return cudaGraphDestroy(graph); });
}

// ---- events, and the profiler

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
    return context_call([=] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy(CUevent event) {
    return context_call([=] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    return context_call([=] { return cudaEventRecord(event, stream); });
}
CUresult cuEventSynchronize(CUevent event) {
    return context_call([=] { return cudaEventSynchronize(event); });
}
CUresult cuEventQuery(CUevent event) {
    return context_call([=] { return cudaEventQuery(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
    return context_call([=] { return cudaEventElapsedTime(milliseconds, start, end); });
}
CUresult cuProfilerStart() { return context_call(cudaProfilerStart); }
CUresult cuProfilerStop() { return context_call(cudaProfilerStop); }
