// What is known about allocations when they end, or when the program does.
#pragma once

#include "common/simt/runtime/allocation.hpp"

namespace simt::check {

// leakcheck: reports what has not been freed on a device. To be told when the device is reset, and at the end of the
// program. Does nothing unless it was asked for.
void report_leaks(int device);

// unusedcheck: reports an allocation of which the host and the kernels have not written every byte.
void report_unused(const Allocation& allocation);

}  // namespace simt::check
