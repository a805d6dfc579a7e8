// The lists of copies that the lanes of a block have started: what the device headers ask of the runtime.
#pragma once

#include <stddef.h>

namespace simt {

struct AsyncCopy {
    void* target;
    const void* source;
    size_t bytes;  // to write
    size_t zeros;  // the last of them, not read but zero
    const void* barrier = nullptr;  // the copy is of no group, but part of the phase of this cuda::barrier
};

// For the lane of this rank in the running block.
void start_copy(unsigned rank, const AsyncCopy& copy);
void commit_copies(unsigned rank);
// Takes out the oldest copy that is not in the newest `groups` committed groups; false if there is none. Copies that
// have not been committed stay.
bool take_copy(unsigned rank, unsigned groups, AsyncCopy& copy);
// The oldest one of those that belong to this barrier.
bool take_copy_of(unsigned rank, const void* barrier, AsyncCopy& copy);

}  // namespace simt
