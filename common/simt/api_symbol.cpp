// Copies from and to __device__ and __constant__ variables, which are variables of the executable here.
#include "common/simt/copy.hpp"
#include "common/simt/error.hpp"

namespace simt {

void remember_symbol(const volatile void* address, size_t bytes) {
    constexpr int every_device = 0;  // one storage serves all devices
    // Fails when the variable is known already, which is as good.
    runtime().memory.adopt(const_cast<const void*>(address), bytes, MemoryKind::symbol, every_device, 0);
}

}  // namespace simt

using namespace simt;

namespace {

// A symbol that came as an untyped address has no size to check against; it counts as host memory.
cudaError_t symbol_copy(void* to, const void* from, size_t bytes, bool to_symbol, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous) {
    return api([=] {
        const cudaMemcpyKind legal = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
        if (kind != legal && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
            return cudaErrorInvalidMemcpyDirection;
        }
        const void* symbol = to_symbol ? to : from;
        BlockCopy copy;
        copy.to = to;
        copy.from = from;
        copy.width = bytes;
        const bool known = runtime().memory.find(symbol).has_value();
        return start_copy(copy, known ? kind : cudaMemcpyDefault, stream, asynchronous);
    });
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                           cudaStream_t stream, bool asynchronous) {
    if (!symbol) return report(cudaErrorInvalidSymbol);
    char* to = const_cast<char*>(static_cast<const char*>(symbol)) + offset;
    return symbol_copy(to, from, bytes, true, kind, stream, asynchronous);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                             cudaStream_t stream, bool asynchronous) {
    if (!symbol) return report(cudaErrorInvalidSymbol);
    return symbol_copy(to, static_cast<const char*>(symbol) + offset, bytes, false, kind, stream, asynchronous);
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
        if (!allocation || allocation->kind != MemoryKind::symbol) return cudaErrorInvalidSymbol;
        *bytes = allocation->bytes;
        return cudaSuccess;
    });
}
