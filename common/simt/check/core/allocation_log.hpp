// SPDX-License-Identifier: MIT
// Where the host was when it allocated the memory that kernels use.
#pragma once

#include <cstdint>
#include <vector>

namespace simt::check {

// Records the calling thread's backtrace as that of this allocation (Allocation::serial).
void log_allocation(uint64_t serial);

// Return addresses, innermost first; none if the allocation is not known.
std::vector<const void*> backtrace_of_allocation(uint64_t serial);

}  // namespace simt::check
