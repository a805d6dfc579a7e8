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

// The state of all simulated device memory.
StateMap& global_memory();

void allocated(const Allocation& allocation);
void freed(const Allocation& allocation);

// Where the host asked for a copy, for findings when the copy is made.
ClientNote origin_of_copy();

// Called before the bytes are copied.
void copied(const BlockCopy& copy, const ClientNote& origin);
void filled(const BlockFill& fill);

}  // namespace simt::check
