// SPDX-License-Identifier: MIT
// The configuration of a kernel launch: the arguments between <<< and >>>.
#pragma once

#include <stddef.h>

namespace simt {

// Threads in a block or blocks in a grid, along each axis.
struct Extent {
    unsigned x, y, z;
};

struct Configuration {
    Extent grid, block;
    size_t dynamic_shared_bytes;
    void* stream;  // a cudaStream_t
    bool cooperative = false;
};

}  // namespace simt
