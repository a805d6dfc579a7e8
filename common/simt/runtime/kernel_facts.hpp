// What the program's symbols say about a kernel: see rewrite/kernel_facts.cpp.
#pragma once

#include <cstddef>

namespace simt {

struct KernelFacts {
    size_t shared_bytes = 0;  // of static __shared__ variables, its own and those of the functions that it calls
    size_t most_threads = 0;  // per block, by __launch_bounds__; 0: none
};

// All zero for a kernel of a program whose symbols have been removed.
KernelFacts facts_of(const void* kernel);

}  // namespace simt
