// SPDX-License-Identifier: MIT
// Runtime functions that take a kernel by name: its type says how to call it.
#pragma once

#include "simt/device_api.h"
#include "simt/graph_api.h"
#include "simt/kernel_pointer.hpp"
#include "simt/launch.hpp"

namespace simt {

template <unsigned... index>
struct IndexList {};

// IndexListUpTo<3>::type is IndexList<0, 1, 2>; <utility> has this, but is not included, to keep its names out of
// programs.
template <unsigned count, unsigned... index>
struct IndexListUpTo : IndexListUpTo<count - 1, count - 1, index...> {};
template <unsigned... index>
struct IndexListUpTo<0, index...> {
    using type = IndexList<index...>;
};

// Launches through the same templates as <<<>>>. Each argument is read from its address as the parameter's own type.
template <class... Parameters, unsigned... index>
inline void launch_from_addresses(void (*kernel)(Parameters...), const Configuration& configuration,
                                  [[maybe_unused]] void** arguments, IndexList<index...>) {
    launch([kernel](auto&&... values) -> decltype(void(kernel(values...))) { kernel(values...); }, "kernel",
           configuration)(*static_cast<kept_type<Parameters>*>(arguments[index])...);
}

template <class... Parameters>
inline KernelPointer::KernelPointer(void (*kernel)(Parameters...)) : address_(reinterpret_cast<void*>(kernel)) {
    remember_kernel(address_, [](const void* address, const Configuration& configuration, void** arguments) {
        const auto typed = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(address));
        launch_from_addresses(typed, configuration, arguments, typename IndexListUpTo<sizeof...(Parameters)>::type());
    });
}

}  // namespace simt

// ---- launches -----------------------------------------------------------------------------------------------------
template <class... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                    size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
    const void* address = simt::KernelPointer(kernel);
    return cudaLaunchKernel(address, grid, block, arguments, dynamic_shared_bytes, stream);
}
template <class... Parameters>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                               size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
    const void* address = simt::KernelPointer(kernel);
    return cudaLaunchCooperativeKernel(address, grid, block, arguments, dynamic_shared_bytes, stream);
}
template <class... Parameters>
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, void (*kernel)(Parameters...),
                                       void** arguments) {
    const void* address = simt::KernelPointer(kernel);
    return cudaLaunchKernelExC(configuration, address, arguments);
}
template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, void (*kernel)(Parameters...),
                                      Arguments&&... arguments) {
    return [&](simt::kept_type<Parameters>... values) {
        void* addresses[] = {const_cast<void*>(static_cast<const volatile void*>(&values))..., nullptr};
        return cudaLaunchKernelExC(configuration, kernel, addresses);
    }(static_cast<Arguments&&>(arguments)...);
}

// ---- attributes and occupancy -------------------------------------------------------------------------------------
template <class Kernel>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class Kernel>
inline cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class Kernel>
inline cudaError_t cudaFuncSetCacheConfig(Kernel* kernel, cudaFuncCache preference) {
    return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), preference);
}
template <class Kernel>
inline cudaError_t cudaFuncSetSharedMemConfig(Kernel* kernel, cudaSharedMemConfig configuration) {
    return cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), configuration);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int block_size,
                                                                 size_t dynamic_shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel), block_size,
                                                         dynamic_shared_bytes);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int block_size,
                                                                          size_t dynamic_shared_bytes,
                                                                          unsigned int flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(kernel),
                                                                  block_size, dynamic_shared_bytes, flags);
}
template <class Kernel>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, Kernel* kernel, int blocks,
                                                             int block_size) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void*>(kernel), blocks, block_size);
}

// The block size, a multiple of the warp size, with the most resident threads, and the grid that fills the device with
// such blocks. `shared_bytes_of` gives the dynamic shared memory of a block of that size; the largest size wins a tie.
template <class SharedBytes, class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size, Kernel* kernel,
                                                                  SharedBytes shared_bytes_of, int limit = 0) {
    if (!grid_size || !block_size) return cudaErrorInvalidValue;
    int device = 0, multiprocessors = 0, largest = 0, best_threads = 0;
    if (const cudaError_t error = cudaGetDevice(&device)) return error;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&largest, cudaDevAttrMaxThreadsPerBlock, device);
    if (limit > 0 && limit < largest) largest = limit;
    for (int size = (largest + 31) / 32 * 32; size > 0; size -= 32) {
        const int candidate = size < largest ? size : largest;
        int blocks = 0;
        const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel, candidate, static_cast<size_t>(shared_bytes_of(candidate)));
        if (error) return error;
        if (blocks * candidate <= best_threads) continue;
        best_threads = blocks * candidate;
        *block_size = candidate;
        *grid_size = blocks * multiprocessors;
    }
    return cudaSuccess;
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel* kernel,
                                                      size_t dynamic_shared_bytes = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid_size, block_size, kernel, [=](int) { return dynamic_shared_bytes; }, limit);
}
template <class SharedBytes, class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid_size, int* block_size,
                                                                           Kernel* kernel, SharedBytes shared_bytes_of,
                                                                           int limit = 0, unsigned int = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, kernel, shared_bytes_of, limit);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, Kernel* kernel,
                                                               size_t dynamic_shared_bytes = 0, int limit = 0,
                                                               unsigned int = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, kernel, dynamic_shared_bytes, limit);
}
