// SPDX-License-Identifier: MIT
// Attributes of kernels, and occupancy.
//
// g++ compiles kernels for the host, so their register usage is unknown. It is assumed to be low.
#include <algorithm>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/kernels.hpp"

using namespace simt;

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
    return api_everywhere([=] {
        if (!attributes) return cudaErrorInvalidValue;
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        *attributes = {};
        const KernelFacts facts = facts_of(kernel);
        attributes->sharedSizeBytes = facts.shared_bytes;
        attributes->maxThreadsPerBlock = static_cast<int>(std::clamp<size_t>(
            facts.most_threads ? facts.most_threads : max_threads_per_block, 1, max_threads_per_block));
        attributes->numRegs = registers_per_thread;
        attributes->ptxVersion = 90;
        attributes->binaryVersion = 90;
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_bytes_of(kernel));
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
        set_dynamic_shared_bytes(kernel, static_cast<size_t>(value));
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
    return api_everywhere([=] {
        if (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        const size_t used = dynamic_shared_bytes + facts_of(kernel).shared_bytes;
        // (The kernel's opt-in only limits amounts above those that every kernel gets.)
        const bool is_granted =
            used <= shared_bytes_per_block || dynamic_shared_bytes <= dynamic_shared_bytes_of(kernel);
        *blocks = is_granted ? resident_blocks(block_size, used) : 0;
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
        if (!bytes || !kernel || blocks <= 0) return cudaErrorInvalidValue;
        const size_t own = facts_of(kernel).shared_bytes;
        if (blocks > resident_blocks(block_size, own)) return cudaErrorInvalidValue;
        const size_t share = shared_bytes_per_multiprocessor / static_cast<size_t>(blocks);
        *bytes = std::min(share - reserved_shared_bytes_per_block, shared_bytes_per_block_optin) - own;
        return cudaSuccess;
    });
}
