// SPDX-License-Identifier: MIT
// One piece of memory that kernels can reach, and its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace simt {

enum class MemoryKind {
    device,      // cudaMalloc and its relatives
    managed,     // cudaMallocManaged: host and device
    pinned,      // cudaMallocHost, cudaHostAlloc: host memory inside the simulator's range
    registered,  // cudaHostRegister: the program's own memory
    symbol,      // a __device__ variable: storage of the executable
    constant,    // a __constant__ variable: the same
    heap,        // malloc in a kernel
};

struct Allocation {
    uintptr_t base = 0;
    size_t bytes = 0;
    uint64_t serial = 0;  // 1 for the first allocation of the process; never reused
    MemoryKind kind = MemoryKind::device;
    int device = 0;
    unsigned flags = 0;         // of cudaHostAlloc, cudaHostRegister or cudaMallocManaged
    bool freed = false;         // the memory is gone; kept for messages
    bool free_pending = false;  // cudaFreeAsync has been called, but the stream has not reached it yet

    bool contains(uintptr_t address, size_t length = 1) const {
        return address >= base && length <= bytes && address - base <= bytes - length;
    }
    bool is_symbol() const { return kind == MemoryKind::symbol || kind == MemoryKind::constant; }
    bool host_can_reach() const {
        return kind == MemoryKind::managed || kind == MemoryKind::pinned || kind == MemoryKind::registered;
    }
};

// "4 bytes after the 4096-byte allocation #3 (cudaMalloc)": an address relative to the nearest allocation.
std::string describe(uintptr_t address, const Allocation& allocation);

}  // namespace simt
