// SPDX-License-Identifier: MIT
#pragma once
// Copies by a kernel: between the memory of the device, another device, or the host, wherever its threads have access.
//   transfer_copy   16 bytes per access, four accesses in flight per thread; the rest byte by byte
//
// Any number of bytes, any alignment: vectors only if source and target are equally far from a 16-byte boundary. They
// do not overlap.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"

namespace BACKEND {

/// block_size: 1 to 1024. multiprocessors: of the device that runs the kernel.
struct TransferArguments {
    unsigned char* to = nullptr;
    const unsigned char* from = nullptr;
    size_t bytes = 0;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

using ByteVector = Vector<unsigned char>;
constexpr unsigned transfer_loads_in_flight = 4;

/// Any grid. `span` divides `to` into vectors; `from` has the same alignment, or the span has no vectors.
__global__ void transfer_copy(unsigned char* to, const unsigned char* from, VectorSpan<unsigned char> span) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t k = thread; k < span.edges(); k += threads) to[span.edge(k)] = from[span.edge(k)];
    auto* const to_vectors = reinterpret_cast<ByteVector*>(to + span.head);
    const auto* const from_vectors = reinterpret_cast<const ByteVector*>(from + span.head);
    // All loads of a round are in flight before the first store waits for its value: a bus has high latency.
    size_t i = thread;
    for (; i + (transfer_loads_in_flight - 1) * threads < span.vectors; i += transfer_loads_in_flight * threads) {
        ByteVector values[transfer_loads_in_flight];
#pragma unroll
        for (unsigned k = 0; k < transfer_loads_in_flight; ++k) values[k] = load_vector(from_vectors + i + k * threads);
#pragma unroll
        for (unsigned k = 0; k < transfer_loads_in_flight; ++k) store_vector(to_vectors + i + k * threads, values[k]);
    }
    for (; i < span.vectors; i += threads) store_vector(to_vectors + i, load_vector(from_vectors + i));
}

/// At most as many blocks as the device holds at once.
inline LaunchShape launch_transfer_copy(const TransferArguments& arguments) {
    VectorSpan<unsigned char> span = split_into_vectors(arguments.to, arguments.bytes);
    const auto misaligned = [](const void* address) {
        return reinterpret_cast<std::uintptr_t>(address) % vector_bytes;
    };
    if (misaligned(arguments.to) != misaligned(arguments.from)) span = {0, 0, arguments.bytes};
    const size_t accesses = span.vectors / transfer_loads_in_flight + span.edges() + 1;
    const unsigned needed = grid_for(accesses, arguments.block_size);
    const unsigned resident = resident_blocks(arguments.block_size, arguments.multiprocessors);
    const unsigned grid = needed < resident ? needed : resident;
    transfer_copy<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.to, arguments.from, span);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

}  // namespace BACKEND
