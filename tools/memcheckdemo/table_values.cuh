// The plants about values that nobody has written, and about barriers that not all threads reach.
#pragma once

#include "kernels/memcheckdemo/initcheck.cuh"
#include "kernels/memcheckdemo/synccheck.cuh"
#include "tools/memcheckdemo/plant.cuh"

namespace BACKEND {

// clang-format off
inline const std::vector<Plant> value_plants = {
    {"memset-short", "initcheck", "cudaMemset is given a number of elements, not of bytes",
     "--tool initcheck", "Uninitialized __global__ memory read of size 4 bytes", "right or wrong result",
     "11.0", 'Y', "initcheck", "",
     {"Sums may start from anything.", "How much of the array is set to zero?", "What does cudaMemset count?"},
     "Bytes: n * sizeof(int). A quarter of the array is zero, the rest is what was there.",
     accumulate_place, run_accumulate},
    {"copy-uninit-d2h", "initcheck", "a partly written array is copied back",
     "--tool initcheck", "Host API memory access error.*|Uninitialized .*", "wrong result",
     "11.0", 'Y', "initcheck", "",
     {"Every second element is wrong.", "No kernel reads unwritten memory. Who does?",
      "Which elements does the kernel write, and which are copied?"},
     "The kernel writes the even elements only. Write all of them, or set them to something first.",
     fill_half_place, run_fill_half},
    {"uninit-shared", "initcheck", "a thread without an element leaves its slot of the tile as it was",
     "--tool initcheck", "", "wrong result",
     "none", '+', "initcheck", "",
     {"The last element is not what it should be.", "initcheck does not look at shared memory.",
      "Who fills the slot that the last thread reads?"},
     "Slot 63 is read, and its thread has skipped the load. Every slot that is read needs a value: here -1.",
     exchange_pairs_place, run_exchange_pairs},
    {"unused-memory", "initcheck", "half of an array is never touched",
     "--tool initcheck --track-unused-memory", "Unused memory in allocation 0x[0-9a-f]+ of size 1,?024 bytes.*",
     "silent",
     "11.0", 'Y', "initcheck", "--check=all,leakcheck,unusedcheck",
     {"The result is right.", "How much memory is asked for, and how much is used?",
      "Look at the size of the allocation."},
     "Twice as much is allocated as is used. Allocate what is needed.",
     ascend_place, run_ascend},

    {"divergent-syncthreads", "synccheck", "each half of a warp has a barrier of its own",
     "--tool synccheck", "Barrier error detected\\. Divergent thread\\(s\\) in (warp|block).*", "wrong or right result",
     "11.0", 'Y', "synccheck", "",
     {"Half of the result is wrong, or it is right.", "How many __syncthreads() are there, and who reaches each?",
      "Look at the two branches."},
     "All threads of the block must reach the same __syncthreads(). Take it out of the branches.",
     swap_halves_place, run_swap_halves},
    {"syncwarp-extra-lane", "synccheck", "a lane calls __syncwarp with a mask that does not name it",
     "--tool synccheck", "Barrier error detected\\. Invalid arguments.*", "right result",
     "11.0", 'Y', "synccheck", "",
     {"The result is right.", "Which lanes does the mask name?", "Which lanes call?"},
     "A lane must be in the mask that it waits with. All 32 call: 0xffffffff.",
     rotate_place, run_rotate},
    {"syncwarp-missing-lane", "synccheck", "__syncwarp names a lane that waits elsewhere",
     "--tool synccheck", "", "hang",
     "none", '+', "synccheck", "",
     {"The kernel does not end.", "Who waits for whom?", "Which lane does not reach __syncwarp()?"},
     "__syncwarp() waits for all 32 lanes, and lane 31 waits at __syncthreads(). All of them must reach the same "
     "one.",
     last_of_warp_place, run_last_of_warp, true},
    {"shfl-inactive-lane", "synccheck", "a shuffle reads from a lane that takes no part",
     "--tool synccheck", "", "right or wrong result",
     "none", '+', "synccheck", "",
     {"The value that is shared is not what lane 20 has.", "Who takes part in the shuffle?",
      "Lane 20 is neither in the mask nor in the branch."},
     "The result of reading a lane that takes no part is undefined. Shuffle with all lanes, then branch.",
     share_value_place, run_share_value},
    {"shfl-short-warp", "synccheck", "a sum over a warp that has only eight lanes",
     "--tool synccheck", "", "right or wrong result",
     "none", '+', "synccheck", "",
     {"The sums are right, by chance.", "How many threads does the last warp have?",
      "Which lanes does the shuffle read in a warp of eight?"},
     "Lanes that do not exist have no value. Name the lanes that exist, and add only what comes from them.",
     sums_of_warps_place, run_sums_of_warps},
    {"lane-spinlock", "synccheck", "lanes of one warp wait for each other's lock",
     "--tool synccheck", "", "right result; every GPU of CUDA 13 makes progress",
     "none", '+', "synccheck", "--schedule lockstep",
     {"The total is right on this GPU.", "What if the lanes of a warp run in lockstep?",
      "While a lane waits in the loop, who releases the lock?"},
     "Before Volta, and wherever lanes run in lockstep, the loop keeps the lock's owner from running on. Take the "
     "lock, do the work and release it in one branch of the loop.",
     lanes_in_turn_place, run_lanes_in_turn},
    {"cuda-barrier-misuse", "synccheck", "a cuda::barrier is used without init",
     "--tool synccheck", "Barrier error detected\\. Missing init.*", "crash or hang",
     "11.4", 'Y', "synccheck", "",
     {"The kernel crashes, or does not end.", "How many arrivals does the barrier expect?", "Who sets that number?"},
     "A barrier object in shared memory starts as whatever was there. One thread calls init, then all __syncthreads().",
     mirror_place, run_mirror, true},
};
// clang-format on

}  // namespace BACKEND
