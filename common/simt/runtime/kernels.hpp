// SPDX-License-Identifier: MIT
// What the runtime knows about kernels: how to call them by address, and the attributes that a program has set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/runtime/graph.hpp"

namespace simt {

/// The dynamic shared memory that a kernel may use: 48 KiB, unless cudaFuncSetAttribute has set it.
size_t dynamic_shared_bytes_of(const void* kernel);
void set_dynamic_shared_bytes(const void* kernel, size_t bytes);

/// The most dynamic shared memory that any kernel may use: 48 KiB, or more once cudaFuncSetAttribute has raised it. A
/// launch does not know which kernel it runs, so the largest size set for any kernel counts.
size_t largest_dynamic_shared_bytes();

// ---- the parameters of kernel nodes

/// The parameters of a launch, with copies of its arguments; null if its kernel does not tell them.
std::shared_ptr<const KernelParameters> parameters_of(const Launch& launch);

/// The kernels whose signatures are known and whose addresses are in [begin, end), in the order of their addresses.
std::vector<const void*> kernels_between(uintptr_t begin, uintptr_t end);

// ---- what the program's symbols say about a kernel: see rewrite/kernel_facts.cpp

struct KernelFacts {
    size_t shared_bytes = 0;  ///< of the static __shared__ variables of the kernel and of the functions that it calls
    size_t most_threads = 0;  ///< per block, by __launch_bounds__; 0: none
};

/// All zero if the program's symbols have been stripped.
KernelFacts facts_of(const void* kernel);

}  // namespace simt
