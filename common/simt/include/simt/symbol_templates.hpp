// SPDX-License-Identifier: MIT
// Copies from and to __device__ and __constant__ variables. Here a variable is ordinary memory of the process; passing
// it by reference gives the runtime its size.
#pragma once

#include "simt/copy_api.h"
#include "simt/memory_api.h"

namespace simt {

// Registers the variable's storage as device memory, so that copies can check their range. Safe to repeat.
void remember_symbol(const volatile void* address, size_t bytes);
// The same for a __constant__ variable.
void remember_constant(const volatile void* address, size_t bytes);
// The same for a __managed__ variable, which all devices share.
void remember_managed(const volatile void* address, size_t bytes);

// The host's shadow of a device variable: in CUDA, a variable of the same name that kernels never see. Returns the
// object itself unless it is a device variable.
void* host_shadow_of(const volatile void* object, size_t bytes);

// simcc wraps a device variable in this where it is passed to cudaMemcpy or cudaMemset, which is a mistake.
template <class T>
inline T& host_shadow(T& variable) {
    return *static_cast<T*>(host_shadow_of(__builtin_addressof(variable), sizeof(T)));
}

// simcc adds one of these after the definition of a device variable.
struct DeviceVariable {
    template <class T>
    explicit DeviceVariable(T& variable) {
        remember_symbol(__builtin_addressof(variable), sizeof(T));
    }
};

struct ManagedVariable {
    template <class T>
    explicit ManagedVariable(T& variable) {
        remember_managed(__builtin_addressof(variable), sizeof(T));
    }
};

struct ConstantVariable {
    template <class T>
    explicit ConstantVariable(T& variable) {
        remember_constant(__builtin_addressof(variable), sizeof(T));
    }
};

template <class T>
inline const void* symbol_address(const T& symbol) {
    const volatile void* address = __builtin_addressof(symbol);
    remember_symbol(address, sizeof(T));
    return const_cast<const void*>(address);
}

}  // namespace simt

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol(simt::symbol_address(symbol), from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, simt::symbol_address(symbol), bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr) {
    return cudaMemcpyToSymbolAsync(simt::symbol_address(symbol), from, bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr) {
    return cudaMemcpyFromSymbolAsync(to, simt::symbol_address(symbol), bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    return cudaGetSymbolAddress(pointer, simt::symbol_address(symbol));
}
template <class Pointee, class T>
inline cudaError_t cudaGetSymbolAddress(Pointee** pointer, const T& symbol) {
    return cudaGetSymbolAddress(reinterpret_cast<void**>(pointer), simt::symbol_address(symbol));
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    return cudaGetSymbolSize(bytes, simt::symbol_address(symbol));
}
