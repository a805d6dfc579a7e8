// SPDX-License-Identifier: MIT
// Findings about allocations when they are freed, or when the program ends.
#pragma once

#include "common/simt/runtime/device_memory.hpp"

namespace simt::check {

// leakcheck: reports what has not been freed on a device. Called when the device is reset and at the end of the
// program. Does nothing unless leakcheck is on.
void report_leaks(int device);

// unusedcheck: reports an allocation if the host and the kernels have not written every byte of it.
void report_unused(const Allocation& allocation);

}  // namespace simt::check
