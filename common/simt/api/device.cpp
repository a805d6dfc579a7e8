// SPDX-License-Identifier: MIT
// Choosing, configuring, synchronizing and resetting devices.
#include <cstdio>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/device.hpp"

using namespace simt;

namespace {

constexpr int cuda_version = CUDART_VERSION;

// Runs the body even if the current device is broken, as cudaGetDevice does in CUDA.
template <class Body>
cudaError_t api_on_any_device(Body body) {
    const RuntimeSection section;
    return unless_short([&] {
        if (inside_host_function()) return report(cudaErrorNotPermitted);
        if (runtime().device_count() == 0) return report(cudaErrorNoDevice);
        return report(body());
    });
}

size_t default_limit(cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize: return 1 << 10;
        case cudaLimitPrintfFifoSize: return 1 << 20;
        case cudaLimitMallocHeapSize: return 8 << 20;
        case cudaLimitDevRuntimeSyncDepth: return 2;
        case cudaLimitDevRuntimePendingLaunchCount: return default_pending_launches;
        case cudaLimitMaxL2FetchGranularity: return 64;
        case cudaLimitPersistingL2CacheSize: return 0;
    }
    return 0;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
    if (!count) return report(cudaErrorInvalidValue);
    const RuntimeSection section;
    *count = unless_short([] { return runtime().device_count(); });
    return report(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int* device) {
    return api_on_any_device([=] {
        if (!device) return cudaErrorInvalidValue;
        *device = current_device_index();
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device) {
    refuse_in_kernels();
    return api_on_any_device([=] {
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        set_current_device_index(device);
        return cudaSuccess;
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return api_on_any_device([=] { return runtime().has_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
    return api_on_any_device([=] {
        if (!devices && count > 0) return cudaErrorInvalidValue;
        for (int i = 0; i < count; ++i) {
            if (!runtime().has_device(devices[i])) return cudaErrorInvalidDevice;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
    return api_on_any_device([=] {
        if (!device || !wanted) return cudaErrorInvalidValue;
        *device = 0;  // the simulated devices are all alike
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return api([] {
        current_device().synchronize();
        return static_cast<cudaError_t>(current_device().broken());
    });
}

cudaError_t cudaDeviceReset() {
    refuse_in_kernels();
    return api_on_any_device([] {
        Device& device = current_device();
        device.reset();
        runtime().streams.remove_if([&](Stream& stream) { return &stream.device() == &device; });
        runtime().events.remove_if([&](Event& event) { return event.device == device.index(); });
        events().device_reset(device.index());
        runtime().memory.release_all(device.index());
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return api_on_any_device([=] {
        if (flags & ~unsigned{cudaDeviceMask}) return cudaErrorInvalidValue;
        current_device().flags = flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return api_on_any_device([=] {
        if (!flags) return cudaErrorInvalidValue;
        *flags = current_device().flags | cudaDeviceMapHost;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    return api_everywhere([=] {
        const auto* stored = current_device().limit(limit);
        if (!value) return cudaErrorInvalidValue;
        if (!stored) return cudaErrorUnsupportedLimit;
        *value = stored->value_or(default_limit(limit));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    return api([=] {
        auto* stored = current_device().limit(limit);
        if (!stored) return cudaErrorUnsupportedLimit;
        *stored = value;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
    return api_everywhere([=] {
        if (!preference) return cudaErrorInvalidValue;
        *preference = static_cast<cudaFuncCache>(current_device().cache_preference);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference) {
    return api([=] {
        current_device().cache_preference = preference;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* configuration) {
    return api_everywhere([=] {
        if (!configuration) return cudaErrorInvalidValue;
        *configuration = cudaSharedMemBankSizeFourByte;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return api([] { return cudaSuccess; });  // banks have been four bytes wide since compute capability 5.0
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api([=] {
        if (least) *least = least_stream_priority;
        if (greatest) *greatest = greatest_stream_priority;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    if (!version) return report(cudaErrorInvalidValue);
    *version = cuda_version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaCtxResetPersistingL2Cache() {
    return api([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStart() {
    return api([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() { return cudaProfilerStart(); }

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return api([=] {
        if (!can) return cudaErrorInvalidValue;
        if (!runtime().has_device(device) || !runtime().has_device(peer)) return cudaErrorInvalidDevice;
        *can = device != peer;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return api([=] {
        if (flags != 0) return cudaErrorInvalidValue;
        if (!runtime().has_device(peer) || peer == current_device_index()) return cudaErrorInvalidDevice;
        return current_device().peers.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return api([=] {
        if (!runtime().has_device(peer)) return cudaErrorInvalidDevice;
        return current_device().peers.erase(peer) > 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source, int destination) {
    return api([=] {
        if (!value || source == destination) return cudaErrorInvalidValue;
        if (!runtime().has_device(source) || !runtime().has_device(destination)) return cudaErrorInvalidDevice;
        *value = attribute != cudaDevP2PAttrPerformanceRank;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
    return api_on_any_device([=] {
        if (!id || length < 13) return cudaErrorInvalidValue;
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", pci_bus(device));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    return api_on_any_device([=] {
        if (!device || !id) return cudaErrorInvalidValue;
        unsigned domain = 0, bus = 0;
        if (std::sscanf(id, "%x:%x", &domain, &bus) != 2) return cudaErrorInvalidValue;
        for (int index = 0; index < runtime().device_count(); ++index) {
            if (domain == 0 && static_cast<int>(bus) == pci_bus(index)) {
                *device = index;
                return cudaSuccess;
            }
        }
        return cudaErrorInvalidDevice;
    });
}
