// Attributes of kernels, and occupancy.
//
// g++ compiles kernels for the host: registers and static shared memory are not known, and assumed to be modest.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/kernels.hpp"
#include "common/simt/runtime/properties.hpp"

namespace simt {
namespace {

class KernelTable {
public:
    void remember(const void* kernel, KernelTrampoline* trampoline) {
        const std::lock_guard lock(mutex_);
        kernels_[kernel].trampoline = trampoline;
    }

    KernelTrampoline* trampoline(const void* kernel) const {
        const std::lock_guard lock(mutex_);
        const auto found = kernels_.find(kernel);
        return found == kernels_.end() ? nullptr : found->second.trampoline;
    }

    void set_dynamic_shared_bytes(const void* kernel, size_t bytes) {
        const std::lock_guard lock(mutex_);
        kernels_[kernel].dynamic_shared_bytes = bytes;
        largest_ = std::max(largest_, bytes);
    }

    size_t dynamic_shared_bytes(const void* kernel) const {
        const std::lock_guard lock(mutex_);
        const auto found = kernels_.find(kernel);
        return found == kernels_.end() ? shared_bytes_per_block : found->second.dynamic_shared_bytes;
    }

    size_t largest() const {
        const std::lock_guard lock(mutex_);
        return largest_;
    }

private:
    struct Kernel {
        KernelTrampoline* trampoline = nullptr;
        size_t dynamic_shared_bytes = shared_bytes_per_block;
    };

    mutable std::mutex mutex_;
    std::unordered_map<const void*, Kernel> kernels_;
    size_t largest_ = shared_bytes_per_block;
};

KernelTable& kernels() {
    static KernelTable& table = *new KernelTable;
    return table;
}

}  // namespace

void remember_kernel(const void* kernel, KernelTrampoline* trampoline) { kernels().remember(kernel, trampoline); }

KernelTrampoline* kernel_trampoline(const void* kernel) { return kernels().trampoline(kernel); }

size_t largest_dynamic_shared_bytes() { return kernels().largest(); }

}  // namespace simt

using namespace simt;

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
    return api([=] {
        if (!attributes) return cudaErrorInvalidValue;
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        *attributes = {};
        attributes->maxThreadsPerBlock = max_threads_per_block;
        attributes->numRegs = registers_per_thread;
        attributes->ptxVersion = 90;
        attributes->binaryVersion = 90;
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernels().dynamic_shared_bytes(kernel));
        attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    return api([=] {
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        if (attribute < cudaFuncAttributeMaxDynamicSharedMemorySize || attribute >= cudaFuncAttributeMax) {
            return cudaErrorInvalidValue;
        }
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
        if (value < 0 || value > static_cast<int>(shared_bytes_per_block_optin)) return cudaErrorInvalidValue;
        kernels().set_dynamic_shared_bytes(kernel, static_cast<size_t>(value));
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache) {
    return api([=] { return kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig) {
    return api([=] { return kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction; });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int block_size,
                                                                   size_t dynamic_shared_bytes, unsigned flags) {
    return api([=] {
        if (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        *blocks = resident_blocks(block_size, dynamic_shared_bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size,
                                                          size_t dynamic_shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block_size, dynamic_shared_bytes,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* kernel, int blocks, int block_size) {
    return api([=] {
        if (!bytes || !kernel || blocks <= 0 || blocks > resident_blocks(block_size, 0)) return cudaErrorInvalidValue;
        const size_t share = shared_bytes_per_multiprocessor / static_cast<size_t>(blocks);
        *bytes = std::min(share - reserved_shared_bytes_per_block, shared_bytes_per_block_optin);
        return cudaSuccess;
    });
}
