// SPDX-License-Identifier: MIT
// The header that simcc includes before every .cu file, as nvcc does: the runtime API, its C++ forms, and the device
// language (built-in variables, launches, barriers, warps, atomics, math).
//
// The room has a header for each of CUDA's names that programs include; what is behind them is in simt/. In come the
// sources of programs. Out go calls of what the other rooms define: the runtime API (api/), launches (runtime/), waits
// (exec/) and, in the checked flavor, reports to the checkers (check/).
#pragma once
#define __CUDA_RUNTIME_H__  // programs test for it

// C programs, and files without kernels in older C++, see the host's part.
#if !defined(__cplusplus) || __cplusplus < 201703L
#include "simt/host_runtime.h"
#endif
#ifdef __cplusplus

// nvcc's header brings these along, and programs rely on it.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#include <utility>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "host_defines.h"
#include "library_types.h"
#include "vector_functions.h"
#if __cplusplus >= 201703L
#include "simt/atomics.hpp"
#include "simt/builtins.hpp"
#include "simt/copied_pointers.hpp"
#include "simt/device_functions.hpp"
#include "simt/intrinsics.hpp"
#include "simt/lane_loops.hpp"
#include "simt/launch.hpp"
#include "simt/pending_sums.hpp"
#include "simt/scoped_atomic.hpp"
#include "simt/textures.hpp"
#include "simt/warp.hpp"
#endif

// ---- allocation ----------------------------------------------------------------------------------------------------
// These take the address of a pointer of any type, as C++ programs write it.

namespace simt {
/// (A pointer to constants is one, too: allocating memory does not write to it.)
template <typename T>
inline void** address_of(T** pointer) {
    return static_cast<void**>(static_cast<void*>(pointer));
}
}  // namespace simt

template <typename T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return cudaMalloc(simt::address_of(pointer), bytes);
}
template <typename T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged(simt::address_of(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch(simt::address_of(pointer), pitch, width, height);
}
template <typename T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = cudaHostAllocDefault) {
    return cudaHostAlloc(simt::address_of(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
    return cudaHostAlloc(simt::address_of(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned int flags) {
    return cudaHostGetDevicePointer(simt::address_of(device_pointer), host_pointer, flags);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(simt::address_of(pointer), bytes, stream);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(simt::address_of(pointer), bytes, pool, stream);
}
template <typename T>
inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(simt::address_of(pointer), bytes, pool, stream);
}
template <typename T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
    return cudaEventCreateWithFlags(event, flags);
}

#if __cplusplus >= 201703L
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
    return {pointer, pitch, width, height};
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
#endif

/// The channel format of arrays of T, for scalars and short vectors.
template <typename T>
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

#if __cplusplus >= 201703L
// (These need the channel formats.)
#include "simt/texture_references.hpp"

// ---- copies from and to __device__ and __constant__ variables ------------------------------------------------------
// Here a variable is ordinary memory of the process; passing
// it by reference gives the runtime its size.

namespace simt {

/// Registers the variable's storage as device memory, so that copies can check their range. Safe to repeat.
void remember_symbol(const volatile void* address, size_t bytes);
/// The same for a __constant__ variable.
void remember_constant(const volatile void* address, size_t bytes);
/// The same for a __managed__ variable, which all devices share.
void remember_managed(const volatile void* address, size_t bytes);

/// The host's shadow of a device variable: in CUDA, a variable of the same name that kernels never see. Returns the
/// object itself unless it is a device variable.
void* host_shadow_of(const volatile void* object, size_t bytes);

/// simcc wraps a device variable in this where it is passed to cudaMemcpy or cudaMemset, which is a mistake.
template <typename T>
inline T& host_shadow(T& variable) {
    return *static_cast<T*>(host_shadow_of(__builtin_addressof(variable), sizeof(T)));
}

/// simcc adds one of these after the definition of a device variable.
struct DeviceVariable {
    template <typename T>
    explicit DeviceVariable(T& variable) {
        remember_symbol(__builtin_addressof(variable), sizeof(T));
    }
};

struct ManagedVariable {
    template <typename T>
    explicit ManagedVariable(T& variable) {
        remember_managed(__builtin_addressof(variable), sizeof(T));
    }
};

struct ConstantVariable {
    template <typename T>
    explicit ConstantVariable(T& variable) {
        remember_constant(__builtin_addressof(variable), sizeof(T));
    }
};

template <typename T>
inline const void* symbol_address(const T& symbol) {
    const volatile void* address = __builtin_addressof(symbol);
    remember_symbol(address, sizeof(T));
    return const_cast<const void*>(address);
}

/// simcc puts this in the place of a string that names no variable.
struct NoVariable {};
constexpr NoVariable no_variable = {};
inline const void* symbol_address(const NoVariable&) { return nullptr; }

}  // namespace simt

template <typename T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol(simt::symbol_address(symbol), from, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, simt::symbol_address(symbol), bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr) {
    return cudaMemcpyToSymbolAsync(simt::symbol_address(symbol), from, bytes, offset, kind, stream);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr) {
    return cudaMemcpyFromSymbolAsync(to, simt::symbol_address(symbol), bytes, offset, kind, stream);
}
template <typename T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    return cudaGetSymbolAddress(pointer, simt::symbol_address(symbol));
}
template <typename Pointee, typename T>
inline cudaError_t cudaGetSymbolAddress(Pointee** pointer, const T& symbol) {
    return cudaGetSymbolAddress(simt::address_of(pointer), simt::symbol_address(symbol));
}
template <typename T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    return cudaGetSymbolSize(bytes, simt::symbol_address(symbol));
}

// ---- kernels by name -----------------------------------------------------------------------------------------------
// A kernel's type says how to call it.

namespace simt {

template <unsigned... index>
struct IndexList {};

/// IndexListUpTo<3>::type is IndexList<0, 1, 2>; <utility> has this, but is not included, to keep its names out of
/// programs.
template <unsigned count, unsigned... index>
struct IndexListUpTo : IndexListUpTo<count - 1, count - 1, index...> {};
template <unsigned... index>
struct IndexListUpTo<0, index...> {
    using type = IndexList<index...>;
};

/// Launches through the same templates as <<<>>>. Each argument is read from its address as the parameter's own type; a
/// reference is the address of an object.
template <typename... Parameters, unsigned... index>
inline void launch_from_addresses(void (*kernel)(Parameters...), const Configuration& configuration,
                                  [[maybe_unused]] void** arguments, IndexList<index...>) {
    Launcher<void (*)(Parameters...)>(kernel, name_of_kernel(reinterpret_cast<const void*>(kernel)), configuration)
        .start(ParameterOf<Parameters>::load(arguments[index])...);
}

template <typename... Parameters>
inline KernelPointer::KernelPointer(void (*kernel)(Parameters...)) : address_(reinterpret_cast<void*>(kernel)) {
    static constexpr ParameterLayout layouts[] = {
        {sizeof(typename ParameterOf<Parameters>::Stored), alignof(typename ParameterOf<Parameters>::Stored)}...,
        {0, 0}};
    const auto trampoline = [](const void* address, const Configuration& configuration, void** arguments) {
        const auto typed = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(address));
        launch_from_addresses(typed, configuration, arguments, typename IndexListUpTo<sizeof...(Parameters)>::type());
    };
    remember_kernel(address_, {trampoline, layouts});
}

/// Kernels of a module, which the program launches by name: an object of this type announces one.
template <typename... Parameters>
struct ModuleLauncher {
    template <void (*kernel)(Parameters...)>
    struct Kernel {
        template <typename... S>
        SIMT_INLINE void operator()(S&... stored) const {
            if constexpr (are_plain<Parameters...>) {
                kernel(ParameterOf<Parameters>::pass(stored)...);
            } else {
                PointedKernel<Parameters...>{kernel}(stored...);
            }
        }
    };

    template <void (*kernel)(Parameters...), unsigned... index>
    static void launch(const Configuration& configuration, [[maybe_unused]] void** arguments, IndexList<index...>) {
        Launcher<Kernel<kernel>>(Kernel<kernel>(), name_of_kernel(reinterpret_cast<const void*>(kernel)), configuration)
            .template start<typename ParameterOf<Parameters>::Stored...>(
                ParameterOf<Parameters>::load(arguments[index])...);
    }
};

template <auto kernel>
struct ModuleKernel;
template <typename... Parameters, void (*kernel)(Parameters...)>
struct ModuleKernel<kernel> {
    ModuleKernel() {
        static constexpr ParameterLayout layouts[] = {
            {sizeof(typename ParameterOf<Parameters>::Stored), alignof(typename ParameterOf<Parameters>::Stored)}...,
            {0, 0}};
        const auto trampoline = [](const void*, const Configuration& configuration, void** arguments) {
            ModuleLauncher<Parameters...>::template launch<kernel>(
                configuration, arguments, typename IndexListUpTo<sizeof...(Parameters)>::type());
        };
        remember_kernel(reinterpret_cast<const void*>(kernel), {trampoline, layouts});
    }
};

/// What a name expression of NVRTC stands for: a kernel, or a variable, which announces itself.
template <auto address>
struct ModuleAddress {};
template <typename... Parameters, void (*kernel)(Parameters...)>
struct ModuleAddress<kernel> : ModuleKernel<kernel> {};

/// A variable's value as void*. If that is a kernel, its type is kept.
template <typename T>
inline void* untyped(T& value) {
    return (void*)value;
}
template <typename... Parameters>
inline void* untyped(void (*&kernel)(Parameters...)) {
    return kernel ? static_cast<void*>(KernelPointer(kernel)) : nullptr;
}
template <typename... Parameters>
inline void* untyped(void (*const& kernel)(Parameters...)) {
    return kernel ? static_cast<void*>(KernelPointer(kernel)) : nullptr;
}

/// The address of an argument as cudaLaunchKernel takes it; for a reference, `room` keeps the object's.
template <typename T>
inline void* argument_address(T& value, const volatile void*& room, bool is_by_name) {
    const volatile void* const object = __builtin_addressof(value);
    if (is_by_name) room = object;
    return is_by_name ? static_cast<void*>(&room) : const_cast<void*>(object);
}

}  // namespace simt

// ---- launches -----------------------------------------------------------------------------------------------------
template <typename... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                    size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
    const void* address = simt::KernelPointer(kernel);
    return cudaLaunchKernel(address, grid, block, arguments, dynamic_shared_bytes, stream);
}
template <typename... Parameters>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                               size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
    const void* address = simt::KernelPointer(kernel);
    return cudaLaunchCooperativeKernel(address, grid, block, arguments, dynamic_shared_bytes, stream);
}
template <typename... Parameters>
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, void (*kernel)(Parameters...),
                                       void** arguments) {
    const void* address = simt::KernelPointer(kernel);
    return cudaLaunchKernelExC(configuration, address, arguments);
}
template <typename... Parameters, typename... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, void (*kernel)(Parameters...),
                                      Arguments&&... arguments) {
    return [&](Parameters... values) {
        const volatile void* objects[sizeof...(Parameters) + 1] = {};
        [[maybe_unused]] unsigned i = 0;
        void* addresses[] = {simt::argument_address(values, objects[i++], simt::is_reference<Parameters>)..., nullptr};
        return cudaLaunchKernelExC(configuration, kernel, addresses);
    }(static_cast<Arguments&&>(arguments)...);
}

#endif  // C++17

#if __cplusplus >= 201103L
// ---- attributes and occupancy -------------------------------------------------------------------------------------
template <typename Kernel>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <typename... Parameters>
inline cudaError_t cudaGetKernel(cudaKernel_t* handle, void (*kernel)(Parameters...)) {
    return cudaGetKernel(handle, static_cast<const void*>(simt::KernelPointer(kernel)));
}
template <typename... Parameters>
inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, void (*kernel)(Parameters...)) {
    return cudaGetFuncBySymbol(function, static_cast<const void*>(simt::KernelPointer(kernel)));
}
template <typename... Parameters>
inline cudaError_t cudaFuncGetName(const char** name, void (*kernel)(Parameters...)) {
    return cudaFuncGetName(name, static_cast<const void*>(simt::KernelPointer(kernel)));
}
template <typename... Parameters>
inline cudaError_t cudaFuncGetParamInfo(void (*kernel)(Parameters...), size_t index, size_t* offset, size_t* bytes) {
    return cudaFuncGetParamInfo(static_cast<const void*>(simt::KernelPointer(kernel)), index, offset, bytes);
}
template <typename Kernel>
inline cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename Kernel>
inline cudaError_t cudaFuncSetCacheConfig(Kernel* kernel, cudaFuncCache preference) {
    return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), preference);
}
template <typename Kernel>
inline cudaError_t cudaFuncSetSharedMemConfig(Kernel* kernel, cudaSharedMemConfig configuration) {
    return cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), configuration);
}
template <typename Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int block_size,
                                                                 size_t dynamic_shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel), block_size,
                                                         dynamic_shared_bytes);
}
template <typename Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int block_size,
                                                                          size_t dynamic_shared_bytes,
                                                                          unsigned int flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(kernel),
                                                                  block_size, dynamic_shared_bytes, flags);
}
template <typename Kernel>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, Kernel* kernel, int blocks,
                                                             int block_size) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void*>(kernel), blocks, block_size);
}

/// The block size, a multiple of the warp size, with the most resident threads, and the grid that fills the device with
/// such blocks. `shared_bytes_of` gives the dynamic shared memory of a block of that size; the largest size wins a tie.
template <typename SharedBytes, typename Kernel>
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
template <typename Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel* kernel,
                                                      size_t dynamic_shared_bytes = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid_size, block_size, kernel, [=](int) { return dynamic_shared_bytes; }, limit);
}
template <typename SharedBytes, typename Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid_size, int* block_size,
                                                                           Kernel* kernel, SharedBytes shared_bytes_of,
                                                                           int limit = 0, unsigned int = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, kernel, shared_bytes_of, limit);
}
template <typename Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, Kernel* kernel,
                                                               size_t dynamic_shared_bytes = 0, int limit = 0,
                                                               unsigned int = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, kernel, dynamic_shared_bytes, limit);
}

#ifdef __CUDACC__
#include "simt/ptx.hpp"
#endif
#endif  // C++11
#endif  // C++
