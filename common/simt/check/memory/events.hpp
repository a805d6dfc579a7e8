// SPDX-License-Identifier: MIT
// What happens to memory outside kernels, as the runtime announces it: allocating, freeing, copying, filling. These
// functions do nothing unless memory is checked.
#pragma once

#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/memory/state_map.hpp"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/device_memory.hpp"

namespace simt::check {

inline bool checks_memory() { return settings().memcheck || settings().initcheck; }

/// The state of all simulated device memory.
StateMap& global_memory();

void allocated(const Allocation& allocation);
void freed(const Allocation& allocation);

/// Where the host asked for a copy, for findings when the copy is made.
ClientNote origin_of_copy();

/// Called before the bytes are copied.
void copied(const BlockCopy& copy, const ClientNote& origin);
void filled(const BlockFill& fill);

// ---- findings about allocations when they are freed, or when the program ends

/// leakcheck: reports what has not been freed on a device. Called when the device is reset and at the end of the
/// program. Does nothing unless leakcheck is on.
void report_leaks(int device);

/// unusedcheck: reports an allocation if the host and the kernels have not written every byte of it.
void report_unused(const Allocation& allocation);

}  // namespace simt::check
