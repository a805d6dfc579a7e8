// SPDX-License-Identifier: MIT
// Copies from and to __device__ and __constant__ variables, which here are variables of the executable.
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/copy.hpp"

namespace simt {

static void remember(const volatile void* address, size_t bytes, MemoryKind kind, bool is_shared = false) {
    unless_short([&] { symbol_registry().remember({const_cast<const void*>(address), bytes, kind, is_shared}); });
}

void remember_symbol(const volatile void* address, size_t bytes) { remember(address, bytes, MemoryKind::symbol); }
void remember_constant(const volatile void* address, size_t bytes) { remember(address, bytes, MemoryKind::constant); }
void remember_managed(const volatile void* address, size_t bytes) {
    remember(address, bytes, MemoryKind::symbol, true);
}

void* host_shadow_of(const volatile void* object, size_t bytes) {
    return unless_short([&]() -> void* {
        void* const address = const_cast<void*>(object);
        const auto allocation = runtime().memory.find(address);
        if (!allocation || !allocation->is_symbol()) return address;
        static std::mutex mutex;
        static auto& shadows = *new std::map<void*, std::vector<char>>;
        const std::lock_guard lock(mutex);
        std::vector<char>& shadow = shadows[address];
        shadow.resize(bytes);
        return shadow.data();
    });
}

}  // namespace simt

using namespace simt;

namespace {

// A symbol passed as an untyped address has no known size; it counts as host memory.
cudaError_t check_symbol(const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind& kind, cudaMemcpyKind legal) {
    if (!symbol) return cudaErrorInvalidSymbol;
    if (kind != legal && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    const auto allocation = runtime().memory.find(symbol);
    if (!allocation) {
        kind = cudaMemcpyDefault;
        return cudaSuccess;
    }
    const auto address = reinterpret_cast<uintptr_t>(symbol) + offset;
    return allocation->contains(address, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                           cudaStream_t stream, bool asynchronous) {
    return api([=, kind = kind]() mutable {
        const cudaError_t error = check_symbol(symbol, bytes, offset, kind, cudaMemcpyHostToDevice);
        if (error) return error;
        BlockCopy copy;
        copy.to = const_cast<char*>(static_cast<const char*>(symbol)) + offset;
        copy.from = from;
        copy.width = bytes;
        return start_copy(copy, kind, stream, asynchronous);
    });
}

cudaError_t copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                             cudaStream_t stream, bool asynchronous) {
    return api([=, kind = kind]() mutable {
        const cudaError_t error = check_symbol(symbol, bytes, offset, kind, cudaMemcpyDeviceToHost);
        if (error) return error;
        BlockCopy copy;
        copy.to = to;
        copy.from = static_cast<const char*>(symbol) + offset;
        copy.width = bytes;
        return start_copy(copy, kind, stream, asynchronous);
    });
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, stream, true);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
    return api([=] {
        if (!pointer) return cudaErrorInvalidValue;
        if (!symbol) return cudaErrorInvalidSymbol;
        *pointer = const_cast<void*>(symbol);
        return cudaSuccess;
    });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
    return api([=] {
        if (!bytes) return cudaErrorInvalidValue;
        const auto allocation = runtime().memory.find(symbol);
        if (!allocation || !allocation->is_symbol()) return cudaErrorInvalidSymbol;
        *bytes = allocation->bytes;
        return cudaSuccess;
    });
}
