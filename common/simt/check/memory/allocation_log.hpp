// Where the host was when it allocated what kernels use.
#pragma once

#include <cstdint>
#include <vector>

namespace simt::check {

// Remembers the calling thread's callers as those of this allocation (Allocation::serial).
void log_allocation(uint64_t serial);

// Return addresses, innermost first; none if the allocation is not known.
std::vector<const void*> backtrace_of_allocation(uint64_t serial);

}  // namespace simt::check
