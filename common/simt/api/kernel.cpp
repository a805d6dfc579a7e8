// SPDX-License-Identifier: MIT
// Kernels: <<<>>> and cudaLaunchKernel, their attributes, and occupancy.
// make: room -O1 (the host calls this room once per launch or copy, and no lane calls it)
#include <algorithm>
#include <string>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/grid.hpp"
#include "common/simt/runtime/kernels.hpp"

namespace simt {
namespace {

bool fits(const Extent& extent, const Extent& limit) {
    return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= limit.x && extent.y <= limit.y &&
           extent.z <= limit.z;
}

// CUDA's error for more threads per block than the kernel's __launch_bounds__ allow.
constexpr cudaError_t error_beyond_bounds = cudaErrorInvalidValue;

Result validate(const Launch& launch) {
    const Extent& block = launch.block;
    const size_t threads = size_t{block.x} * block.y * block.z;
    if (!fits(launch.grid, max_grid) || !fits(block, max_block) || threads > max_threads_per_block) {
        return cudaErrorInvalidConfiguration;
    }
    if (launch.most_threads != 0 && threads > launch.most_threads) {
        return {error_beyond_bounds, std::string("The kernel's __launch_bounds__ allow ") +
                                         std::to_string(launch.most_threads) + " threads per block, the launch has " +
                                         std::to_string(threads)};
    }
    if (launch.dynamic_shared_bytes > largest_dynamic_shared_bytes()) return cudaErrorInvalidValue;
    if (launch.cooperative) {
        const size_t per_multiprocessor = resident_blocks(static_cast<int>(threads), launch.dynamic_shared_bytes);
        const size_t blocks = size_t{launch.grid.x} * launch.grid.y * launch.grid.z;
        if (blocks > per_multiprocessor * multiprocessor_count()) return cudaErrorCooperativeLaunchTooLarge;
    }
    return cudaSuccess;
}

}  // namespace

int submit(Launch&& launch, void* stream_handle) {
    if (Grid* const grid = Grid::running()) {
        add_pending_sums();
        return api_everywhere([&]() -> Result {
            Result result = validate(launch);
            return result.error ? result : grid->launch(std::move(launch), stream_handle);
        });
    }
    const char* const kernel = launch.name;
    const Extent grid = launch.grid, block = launch.block;
    const bool is_statement = !launch.call.kernel;
    const cudaError_t error = api([&]() -> Result {
        const auto stream = find_stream(stream_handle);
        // (Like CUDA, this refuses a stream of a device other than the current one.)
        if (!stream || stream->device().index() != current_device_index()) return cudaErrorInvalidResourceHandle;
        if (Result result = validate(launch); result.error) return result;
        auto observer = events().launch_submitted(launch, stream_handle);
        Operation operation{cudaGraphNodeTypeKernel, nullptr};
        if (stream->capturing()) {
            if (auto parameters = parameters_of(launch)) operation.parameters = std::move(parameters);
        }
        Device& device = stream->device();
        operation.work = [launch = std::move(launch), observer = std::move(observer), &device] {
            return Grid::run(launch, observer.get(), device);
        };
        return dispatch(*stream, std::move(operation));
    });
    if (error != cudaSuccess && is_statement && !events().checks_memory)
        unless_short([&] { launch_refused(kernel, grid, block, error); });
    return error;
}

}  // namespace simt

using namespace simt;

namespace {

cudaError_t launch_by_address(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                              cudaStream_t stream, bool cooperative) {
    return api([=] {
        KernelTrampoline* const trampoline = signature_of(kernel).trampoline;
        if (!trampoline) return cudaErrorInvalidDeviceFunction;
        const size_t shared_bytes_in_all = shared_bytes + (cooperative ? facts_of(kernel).shared_bytes : 0);
        const int threads = static_cast<int>(block.x * block.y * block.z);
        if (cooperative && size_t{grid.x} * grid.y * grid.z >
                               size_t(resident_blocks(threads, shared_bytes_in_all)) * multiprocessor_count()) {
            return cudaErrorCooperativeLaunchTooLarge;
        }
        const Configuration configuration = {
            {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, stream, cooperative,
            {kernel, arguments}};
        return reported_by([&] { trampoline(kernel, configuration, arguments); });
    });
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
    return launch_by_address(kernel, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
    return launch_by_address(kernel, grid, block, arguments, shared_bytes, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel, void** arguments) {
    if (!configuration) return report(cudaErrorInvalidValue);
    const auto* first = configuration->attrs;
    const auto* last = first + configuration->numAttrs;
    const bool cooperative = std::any_of(first, last, [](const cudaLaunchAttribute& attribute) {
        return attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative;
    });
    const bool clusters = std::any_of(first, last, [](const cudaLaunchAttribute& attribute) {
        const auto& cluster = attribute.val.clusterDim;
        return attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z > 1;
    });
    if (clusters) return report(cudaErrorInvalidClusterSize);
    return launch_by_address(kernel, configuration->gridDim, configuration->blockDim, arguments,
                             configuration->dynamicSmemBytes, configuration->stream, cooperative);
}

// ---- attributes, and occupancy

// g++ compiles kernels for the host, so their register usage is unknown. It is assumed to be low.

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
