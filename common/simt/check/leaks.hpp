// What is known about allocations when they end, or when the program does.
#pragma once

#include "common/simt/allocation.hpp"

namespace simt::checking {

// leakcheck: reports what has not been freed. At the end of the program.
void report_leaks();

// unusedcheck: reports an allocation of which the host and the kernels have not written every byte.
void report_unused(const Allocation& allocation);

}  // namespace simt::checking
