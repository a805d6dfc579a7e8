// The shape of a kernel launch: what stands between <<< and >>>.
#pragma once

#include <stddef.h>

namespace simt {

// Threads of a block or blocks of a grid, along each axis.
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
