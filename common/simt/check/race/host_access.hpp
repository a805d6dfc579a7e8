// SPDX-License-Identifier: MIT
// Loads and stores of host code that was compiled in the checked flavor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::check {

/// The simulator's reserved range: empty unless memory or races are checked.
struct HostRange {
    uintptr_t begin = 0;
    size_t bytes = 0;
};
extern HostRange host_range;

inline bool is_checked_on_host(uintptr_t address) { return address - host_range.begin < host_range.bytes; }

/// A host thread accesses device memory. If only kernels may, that is a finding that ends the process; if a kernel or a
/// copy may be using the memory, it is a race. A volatile access polls a flag.
void host_accessed(uintptr_t address, size_t bytes, bool is_write, const void* pc, bool is_volatile = false);

/// The host reads or changes a variable that it shares with kernels: it may learn of their progress, and kernels that
/// read the variable may learn of the host's.
void host_synchronizes(uintptr_t address, bool is_write);

/// An allocation has been freed.
void forget_host_memory();

}  // namespace simt::check
