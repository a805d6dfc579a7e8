// SPDX-License-Identifier: MIT
// The state of a warp that the device headers and the runtime share: which lanes can run, and what the others wait for.
//
// The lanes of a warp take turns on one OS thread. A lane that has to wait records what for, takes the next lane out of
// `ready` and switches to it. When `ready` is empty, the warp stalls and schedule() (in the runtime) decides: it
// completes the meetings whose lanes have all arrived, or goes on with another warp of the block.
#pragma once

#include "context.hpp"

namespace simt {

// The values that the lanes of a warp bring to a shuffle or a vote.
struct Exchange {
    unsigned present = 0;     // lanes that took part, set when their meeting completes
    unsigned predicates = 0;  // bit per lane
    unsigned long long values[32] = {};
};

// The sums of __syncthreads_count and its relatives over a block.
struct BarrierTally {
    unsigned arriving = 0;   // sum over the lanes that have arrived
    unsigned published = 0;  // sum of the last completed barrier
};

// After this many meetings a warp lets the others run, even if none of its lanes had to wait: it may poll by votes.
constexpr unsigned meetings_per_turn = 1024;

struct Warp {
    unsigned ready = 0;      // lanes that can run, without the running one
    unsigned live = 0;       // lanes that have not left the kernel
    unsigned unstarted = 0;  // lanes (of ready) that have not entered the kernel
    unsigned meeting = 0;    // lanes at a shuffle, a vote or __syncwarp
    unsigned partial = 0;    // lanes (of meeting) that wait only for the lanes in masks[], not for every live lane
    unsigned asking = 0;     // lanes at __activemask
    unsigned yielded = 0;    // lanes that poll and let others go first
    unsigned paused = 0;     // lanes that could go on, but let the others of their warp catch up (checked kernels only)
    unsigned at_grid = 0;    // lanes at grid.sync(); every other live lane is at __syncthreads
    unsigned meetings_in_turn = 0;  // completed since the warp last let others run
    // Lanes write into `arriving`; when a meeting completes, the two swap. All lanes of the completed meeting read
    // `published` before the warp can stall again, so two are enough.
    Exchange* arriving = &exchanges[0];
    Exchange* published = &exchanges[1];
    Context* contexts = nullptr;  // of its 32 lanes
    BarrierTally* tally = nullptr;
    unsigned masks[32] = {};
    Exchange exchanges[2];
};

// The warp and the lane that run on this OS thread.
extern __thread Warp* current_warp;
extern __thread Context* current_lane;

// For the watchdog, which must distinguish threads that wait forever from those that wait and go on
// (exec/launch_watch.hpp): how often lanes on this OS thread have taken a lock or stopped waiting, and a sum over the
// values that they have seen while they waited.
extern __thread unsigned long long changes_made;
extern __thread unsigned long long values_seen;
// Counts those lanes, each once for every value of `step_epoch`, which the watchdog renews when the launch has made a
// step. Null where no kernel runs.
struct TurnsTaken {
    unsigned long long count = 0;
    const unsigned short* step_epoch = nullptr;
};
extern __thread TurnsTaken* turns_taken;

// A lane's first wait: the loop that ran it gives up the lanes after it, which get their own stacks. Sets current_lane.
void detach_lane(unsigned x, unsigned y, unsigned z);

// The warp has stalled: returns the lane to run next, after setting current_warp. Does not return NULL.
Context* schedule();

// Ends the launch of the running lane with error 719, after "simcc: kernel k, block (x,y,z): <message>" on stderr.
[[noreturn]] void fail_lane(const char* message);

// The assertion of lane (x,y,z) failed: ends its launch with error 710, after CUDA's message. On the host it does what
// assert does.
[[noreturn]] void fail_assertion(unsigned x, unsigned y, unsigned z, const char* expression, const char* file,
                                 unsigned line, const char* function);

// True on a thread that is running device code.
bool in_kernel();

}  // namespace simt
