// SPDX-License-Identifier: MIT
// Where the executable lies in memory, and the modules that have kernels. The runtime may be part of one of them, or a
// shared library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace simt {

struct MemoryRange {
    uintptr_t begin = 0, end = 0;
    size_t bytes() const { return end - begin; }
    bool contains(uintptr_t address) const { return address >= begin && address < end; }
};

struct Executable {
    uintptr_t offset = 0;  ///< the distance between its addresses and those in its file
    MemoryRange all, code, variables;
};

const Executable& executable();

/// The code of the module that contains this address; empty if none does.
MemoryRange code_around(const void* address);

/// A module with kernels: the executable or a library. It stays for the life of the process.
struct KernelModule {
    std::string file;
    uintptr_t offset;  ///< as an Executable's
    MemoryRange all, code, variables;
    size_t storage_number, storage_bytes;  ///< its thread-local storage; no bytes: it has no __shared__ variables
    void (*use_storage)();
    std::atomic<const KernelModule*> next = nullptr;

    /// Its thread-local storage in the calling thread; null if it has none.
    char* storage() const;
};

/// The first that announce_module() has told of; signal handlers may follow the list.
const KernelModule* first_module();
size_t module_count();

}  // namespace simt
