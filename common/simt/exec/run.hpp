// SPDX-License-Identifier: MIT
// The execution core: runs the blocks of a kernel launch on a pool of threads.
//
// In come a Launch, as the compiled launch statement makes it (include/simt/kernel_launch.hpp), and perhaps an
// observer, which is told what happens and may choose the order (observer.hpp), and an owner, which is told when the
// blocks have ended. Out come the error that ended the launch, or 0, and messages on stderr. From the pool to the lane:
//   worker_pool     the threads, the launches that they work on (running_launch.hpp), the watchdog (launch_watch)
//   resident_block  one block on one thread, its shared memory (shared_window) and its lanes' stacks (lane_stacks)
//   schedule        which lane goes next
//   fault           signals in a lane; uninterrupted.hpp keeps them out of the simulator's own sections
// machine, executable and address_space say what the process has to work with.
#pragma once

#include <memory>
#include <vector>

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt {

class LaunchOwner;
struct RunningLaunch;

/// Runs every block of the launch and returns a cudaError_t value when the last has ended:
///   0    all lanes ran to their end
///   700  a lane accessed memory that is not there, or overflowed its stack
///   702  lanes have only waited for SIMCC_TIMEOUT seconds (default 10), or have run for ten times as long without
///        reaching their end or a barrier: see launch_watch.hpp
///   710  an assertion failed
///   719  deadlock (lanes wait for each other in different places) or __trap()
/// After an error the remaining blocks are dropped; 702, 710 and 719 come with a message on stderr. Several threads may
/// call it at once: their blocks share the pool, which has SIMCC_THREADS threads (default: one per processor). With one
/// thread, atomic operations of device code are plain ones. The extents must be valid: 1 to 1024 lanes per block, at
/// least one block, dynamic_shared_bytes <= max_dynamic_shared_bytes. Observer and owner may be null.
int execute(const Launch& launch, LaunchObserver* observer = nullptr, LaunchOwner* owner = nullptr);

/// The same without waiting: the owner is told when the blocks have ended, and then asks for the result; the launch,
/// its observer and its owner must live until then. Launches that are started together start in this order, ahead of
/// launches that already wait for a worker.
std::unique_ptr<RunningLaunch, void (*)(RunningLaunch*)> prepare(const Launch& launch, LaunchObserver* observer,
                                                                 LaunchOwner& owner);
void start(const std::vector<RunningLaunch*>& launches);
int result_of(const RunningLaunch& running);

/// Hears of the kernel of a launch: its address and the addresses of its arguments, which live until the call returns.
struct KernelListener {
    virtual void is_called(const void* kernel, void** arguments) = 0;

protected:
    ~KernelListener() = default;
};

/// Asks the launch for its kernel. The listener hears nothing if the kernel cannot answer: see include/simt/launch.hpp.
void ask_for_kernel(const Launch& launch, KernelListener& listener);

constexpr size_t max_dynamic_shared_bytes = 227 << 10;

/// True on a thread that is running device code.
bool in_kernel();

/// The number of threads that run device code.
unsigned worker_count();

}  // namespace simt
