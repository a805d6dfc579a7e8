// SPDX-License-Identifier: MIT
// Where the executable lies in memory. The runtime may be part of it, or a shared library.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace simt
