// SPDX-License-Identifier: MIT
// What the program's symbols say about a kernel: see rewrite/kernel_facts.cpp.
#pragma once

#include <cstddef>

namespace simt {

struct KernelFacts {
    size_t shared_bytes = 0;  // of the static __shared__ variables of the kernel and of the functions that it calls
    size_t most_threads = 0;  // per block, by __launch_bounds__; 0: none
};

// All zero if the program's symbols have been stripped.
KernelFacts facts_of(const void* kernel);

}  // namespace simt
