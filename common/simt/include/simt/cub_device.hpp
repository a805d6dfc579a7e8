// SPDX-License-Identifier: MIT
// How the algorithms of cub/device/ run: as kernels in the caller's stream, so that they are ordered with its other work
// and can be captured. Blocks of one thread each take a chunk of the items.
#pragma once

#include <stdint.h>

#include "cub.hpp"

CUB_NAMESPACE_OPEN
namespace simt_parts {

/// The division of items into chunks, the same on every machine.
struct Chunks {
    static constexpr int64_t most = 128, least_items = 4096;
    int64_t items, per_chunk;
    unsigned count;

    explicit Chunks(int64_t n, int64_t least = least_items) : items(n > 0 ? n : 0) {
        per_chunk = (items + most - 1) / most;
        if (per_chunk < least) per_chunk = least;
        count = static_cast<unsigned>((items + per_chunk - 1) / per_chunk);
        if (count == 0) count = 1;
    }
    SIMT_INLINE int64_t begin(unsigned chunk) const { return chunk * per_chunk; }
    SIMT_INLINE int64_t end(unsigned chunk) const {
        const int64_t last = begin(chunk) + per_chunk;
        return last < items ? last : items;
    }
};

/// Calls body(chunk, arguments...) for each chunk on the device. In a kernel, the calling thread does all of it.
template <typename Body, typename... Arguments>
cudaError_t run_chunks(const char* name, unsigned count, cudaStream_t stream, Body body, Arguments... arguments) {
    if (::simt::on_device()) {
        for (unsigned chunk = 0; chunk < count; ++chunk) body(chunk, arguments...);
        return cudaSuccess;
    }
    ::simt::launch_without_bounds([](auto work, auto... parameters) { work(::simt::block_index().x, parameters...); },
                                  name, ::simt::configure(count, 1, 0, stream))(body, arguments...);
    return cudaPeekAtLastError();
}
template <typename Body, typename... Arguments>
cudaError_t run_once(const char* name, cudaStream_t stream, Body body, Arguments... arguments) {
    return run_chunks(
        name, 1, stream, [body](unsigned, auto... parameters) mutable { body(parameters...); }, arguments...);
}

/// The caller's temporary storage in parts. Asked without storage, an algorithm says how much it needs.
class TemporaryStorage {
public:
    explicit TemporaryStorage(void* storage) : begin_(reinterpret_cast<size_t>(storage)), asks_(!storage) {}

    template <typename T>
    T* take(size_t count) {
        constexpr size_t alignment = 256;
        const size_t at = (used_ + alignment - 1) / alignment * alignment;
        used_ = at + count * sizeof(T);
        const size_t shift = (alignment - begin_ % alignment) % alignment;  // of storage that cudaMalloc did not give
        return reinterpret_cast<T*>(begin_ + shift + at);
    }
    size_t needed() const { return used_ + 255; }
    bool asks() const { return asks_; }

private:
    size_t begin_, used_ = 0;
    bool asks_;
};

/// The first of the two calls, or storage that is too small, ends an algorithm here.
inline bool is_settled(const TemporaryStorage& storage, size_t& bytes, cudaError_t& error) {
    error = cudaSuccess;
    if (storage.asks()) {
        bytes = storage.needed();
        return true;
    }
    if (bytes >= storage.needed()) return false;
    error = cudaErrorInvalidValue;
    return true;
}

/// An item that is computed in registers: its constructor may need arguments.
template <typename T, typename Iterator>
SIMT_INLINE T item(Iterator& iterator, int64_t i) {
    return static_cast<T>(iterator[i]);
}

/// op over the items from begin to end, which are not none. Sums of sums lose fewer bits.
template <typename T, typename Iterator, typename Operator>
SIMT_INLINE T fold(Iterator& in, int64_t begin, int64_t end, Operator& op) {
    constexpr int64_t part = 512;
    T total = in[begin];
    int64_t i = begin + 1;
    for (; i < end && i < begin + part; ++i) total = op(total, in[i]);
    while (i < end) {
        T partial = in[i];
        const int64_t last = i + part < end ? i + part : end;
        for (++i; i < last; ++i) partial = op(partial, in[i]);
        total = op(total, partial);
    }
    return total;
}

}  // namespace simt_parts
CUB_NAMESPACE_CLOSE
