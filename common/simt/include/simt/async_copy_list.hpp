// SPDX-License-Identifier: MIT
// The lists of copies started by the lanes of a block: the runtime functions that the device headers use.
#pragma once

#include <stddef.h>

namespace simt {

struct AsyncCopy {
    void* target;
    const void* source;
    size_t bytes;                   ///< to write
    size_t zeros;                   ///< how many at the end are zeroed instead of read
    const void* barrier = nullptr;  ///< if set: no group, but part of this cuda::barrier's phase
};

/// Adds a copy for the lane of this rank in the running block.
void start_copy(unsigned rank, const AsyncCopy& copy);
void commit_copies(unsigned rank);
/// Takes out the oldest copy not in the newest `groups` committed groups; false if there is none. Uncommitted copies
/// stay.
bool take_copy(unsigned rank, unsigned groups, AsyncCopy& copy);
/// Takes out the oldest copy that belongs to this barrier.
bool take_copy_of(unsigned rank, const void* barrier, AsyncCopy& copy);

}  // namespace simt
