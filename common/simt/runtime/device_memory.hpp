// SPDX-License-Identifier: MIT
// All memory that kernels can reach, and who owns each piece of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simt/exec/address_space.hpp"

namespace simt {

enum class MemoryKind {
    device,      ///< cudaMalloc and its relatives
    managed,     ///< cudaMallocManaged: host and device
    pinned,      ///< cudaMallocHost, cudaHostAlloc: host memory inside the simulator's range
    registered,  ///< cudaHostRegister: the program's own memory
    symbol,      ///< a __device__ variable: storage of the executable
    constant,    ///< a __constant__ variable: the same
    heap,        ///< malloc in a kernel
};

/// One piece of memory.
struct Allocation {
    uintptr_t base = 0;
    size_t bytes = 0;
    uint64_t serial = 0;  ///< 1 for the first allocation of the process; never reused
    MemoryKind kind = MemoryKind::device;
    int device = 0;
    unsigned flags = 0;         ///< of cudaHostAlloc, cudaHostRegister or cudaMallocManaged
    bool freed = false;         ///< the memory is gone; kept for messages
    bool free_pending = false;  ///< cudaFreeAsync has been called, but the stream has not reached it yet

    bool contains(uintptr_t address, size_t length = 1) const {
        return address >= base && length <= bytes && address - base <= bytes - length;
    }
    bool is_symbol() const { return kind == MemoryKind::symbol || kind == MemoryKind::constant; }
    bool host_can_reach() const {
        return kind == MemoryKind::managed || kind == MemoryKind::pinned || kind == MemoryKind::registered;
    }
};

/// "4 bytes after the 4096-byte allocation #3 (cudaMalloc)": an address relative to the nearest allocation.
std::string describe(uintptr_t address, const Allocation& allocation);

/// Allocates memory, frees it, and finds the allocation of an address. All functions may be called from any thread.
class DeviceMemory {
public:
    /// bytes_per_device: the total that cudaMemGetInfo reports for a device. Allocations beyond it fail.
    DeviceMemory(size_t bytes_per_device, int device_count);

    /// Zeroed memory, aligned to 512 bytes; null if the device or the machine has too little left.
    void* allocate(size_t bytes, MemoryKind kind, int device, unsigned flags = 0);

    /// Frees what allocate() returned, if it is of a kind that `accepts`; false otherwise. No kernel may be using it.
    bool release(const void* pointer, const std::function<bool(const Allocation&)>& accepts);
    void release_all(int device);

    /// Adds memory that the simulator did not allocate: registered host memory and device variables. False if part of
    /// the range already belongs to a registration.
    bool adopt(const void* pointer, size_t bytes, MemoryKind kind, int device, unsigned flags);
    bool disown(const void* pointer, MemoryKind kind);

    /// Where another process finds an allocation: in a region of `region_bytes`, which `file` holds, at `offset`. The file
    /// is -1 if the address is no start of an allocation, or the machine does not allow it.
    struct SharedPlace {
        int file = -1;
        size_t region_bytes = 0, offset = 0, bytes = 0;
    };
    SharedPlace share(const void* pointer);
    /// Maps what another process has shared; the file becomes this object's. Null if there is no room.
    void* attach(const SharedPlace& place, int device);

    /// Marks an allocation for cudaFreeAsync; false unless `pointer` is the start of a live one that is not yet marked.
    bool mark_free_pending(const void* pointer);

    /// The live allocation that contains the address; for messages, the nearest live or recently freed one.
    std::optional<Allocation> find(const void* address) const;
    std::optional<Allocation> nearest(const void* address) const;
    std::vector<Allocation> live() const;
    std::vector<Allocation> live_constants() const;  ///< only the __constant__ variables

    size_t total_bytes() const { return bytes_per_device_; }
    size_t used_bytes(int device) const;
    const AddressSpace& address_space() const { return space_; }

private:
    struct Storage {
        Allocation allocation;
        uintptr_t region = 0;  // 0: a small block, or adopted memory
        size_t charged = 0;    // bytes that count against the device
        size_t block = 0;      // bytes of a small block; 0: none
    };

    std::optional<Allocation> allocate_storage(size_t bytes, MemoryKind kind, int device, unsigned flags);
    bool affordable(size_t bytes, int device) const;
    uintptr_t take_small_block(size_t bytes);
    void release_storage(std::map<uintptr_t, Storage>::iterator position);
    const Allocation* find_locked(uintptr_t address) const;

    mutable std::mutex mutex_;
    AddressSpace space_;
    const size_t bytes_per_device_;
    std::vector<size_t> used_;               // per device
    std::map<uintptr_t, Storage> storages_;  // live, by base address
    std::deque<Allocation> freed_;           // the most recent ones, oldest first
    uint64_t next_serial_ = 1;
    size_t regions_in_use_ = 0;
    std::unordered_map<size_t, std::deque<uintptr_t>> free_blocks_;  // by rounded size, oldest first
    uintptr_t chunk_cursor_ = 0, chunk_end_ = 0;                     // the unused rest of the newest chunk
};

}  // namespace simt
