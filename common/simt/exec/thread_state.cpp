// SPDX-License-Identifier: MIT
// The thread-local variables that a program's kernels and their checks use. They are part of each program, not of
// libsimt.so: a block's shared memory is the thread-local storage of the module that holds simt_dynamic_shared
// (shared_window.cpp), where the kernels' static __shared__ arrays are, and code of the same module reaches the others
// fastest.
// make: program (kernels reach variables of their own module fastest)
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/shared_window.hpp"
#include "common/simt/exec/uninterrupted.hpp"

alignas(128) __thread char simt_dynamic_shared[simt::max_dynamic_shared_bytes];

namespace simt {

__thread Warp* current_warp = nullptr;
__thread Context* current_lane = nullptr;
__thread unsigned long long changes_made = 0;
__thread unsigned long long values_seen = 0;
__thread TurnsTaken* turns_taken = nullptr;
__thread TileBarrier tile_barriers[tile_barrier_count] = {};
__thread Interruption interruption;

}  // namespace simt
