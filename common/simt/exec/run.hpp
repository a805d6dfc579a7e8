// The execution core: runs the blocks of a kernel launch on a pool of threads.
#pragma once

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt {

// Runs every block of the launch and returns a cudaError_t value when the last has ended:
//   0    all lanes ran to their end
//   700  a lane touched memory that is not there, overflowed its stack, or divided an integer by zero
//   702  lanes have only waited for SIMCC_TIMEOUT seconds (default 10), or have run for ten times as long without
//        coming to an end or a barrier: see launch_watch.hpp
//   710  an assertion failed
//   719  deadlock (lanes wait for each other in different places) or __trap()
// After an error the remaining blocks are dropped; 702, 710 and 719 come with a message on stderr. Several threads may
// call it at once: their blocks share the pool, which has SIMCC_THREADS threads (default: one per processor). With one
// thread, atomic operations of device code are plain ones. The extents must be valid: 1 to 1024 lanes per block, at
// least one block, dynamic_shared_bytes <= max_dynamic_shared_bytes. An observer may be null.
int execute(const Launch& launch, LaunchObserver* observer = nullptr);

constexpr size_t max_dynamic_shared_bytes = 227 << 10;

// True on a thread that is running device code.
bool in_kernel();

// The number of threads that run device code.
unsigned worker_count();

}  // namespace simt
