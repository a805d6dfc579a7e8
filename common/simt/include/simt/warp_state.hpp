// SPDX-License-Identifier: MIT
// Lanes that take turns: the switch from one to another, and the state of a warp. The device headers and the runtime
// share both.
#pragma once

// ---- the switch from one simulated thread (lane) to another

// A waiting lane keeps its stack, and another lane goes on.
//
// On x86-64 and AArch64 the switch is written here, inline in the kernel: it stores three words and jumps. Nothing is
// pushed, so the red zone stays intact, and every register is declared clobbered, so the compiler saves only those that
// are live. A jump instead of a return keeps the processor's return-address predictor in step: a mispredicted return
// would cost more than the rest of the switch. The floating-point control words are not switched; kernels cannot change
// them. Other architectures (and these two if SIMT_BOOST_CONTEXT is defined) go through Boost.Context in
// common/simt/exec/lane_stacks.cpp.

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(SIMT_BOOST_CONTEXT)
#define SIMT_BOOST_CONTEXT 1
#endif

namespace simt {

/// The state of one suspended lane. A switch touches only the first members; 64 bytes fit one cache line.
struct alignas(64) Context {
    void* stack_pointer = nullptr;  // with Boost.Context: its handle for the suspended stack
    void* frame_pointer = nullptr;
    void* resume_address = nullptr;
    const char* file = nullptr;    // the source line of the call where the lane waits, for messages
    unsigned x = 0, y = 0, z = 0;  // threadIdx, followed by a one: a lane restores all four when it goes on
    unsigned detached = 1;
    unsigned line = 0;
    unsigned short lane = 0;        // position in the warp
    unsigned short changed_at = 0;  // see TurnsTaken
    char* stack_top = nullptr;      // the end of the lane's own stack, if it needs one
};

static_assert(sizeof(Context) == 64);

#ifdef __SANITIZE_ADDRESS__
/// AddressSanitizer must know which stack a thread runs on. Called on both sides of a switch; `kept` belongs to
/// AddressSanitizer.
void announce_switch(const Context* next, void** kept);
void announce_arrival(void* kept);
#endif

#ifdef SIMT_BOOST_CONTEXT

Context* switch_by_boost(Context* self, Context* next);

inline Context* jump_to_context(Context* self, Context* next) { return switch_by_boost(self, next); }

#elif defined(__aarch64__)

// With SVE, vector registers are longer, and there are predicates.
#if defined(__ARM_FEATURE_SVE)
#define SIMT_CLOBBERED_BY_SWITCH_SVE                                                                                   \
    , "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12", "z13", "z14", "z15", "z16",     \
        "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24", "z25", "z26", "z27", "z28", "z29", "z30", "z31", "p0", \
        "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define SIMT_CLOBBERED_BY_SWITCH_SVE
#endif

/// (hint 36 is bti j: with branch protection, a computed jump must land on one. A jump through x17 may also land on the
/// first instruction of a function. The link register is null at the entry of a fresh context, where backtraces end.)
__attribute__((always_inline)) inline Context* jump_to_context(Context* self, Context* next) {
    register Context* from asm("x0") = self;
    register Context* to asm("x1") = next;
    asm volatile(
        "mov x16, sp\n\t"
        "adr x17, 1f\n\t"
        "stp x16, x29, [x0]\n\t"
        "str x17, [x0, 16]\n\t"
        "ldp x16, x29, [x1]\n\t"
        "ldr x17, [x1, 16]\n\t"
        "mov x0, x1\n\t"
        "mov x30, xzr\n\t"
        "mov sp, x16\n\t"
        "br x17\n"
        "1:\n\t"
        "hint 36"
        : "+r"(from), "+r"(to)
        :
        : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
          "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "memory", "cc", "v0", "v1", "v2",
          "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
          "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
          "v31" SIMT_CLOBBERED_BY_SWITCH_SVE);
    return from;
}

#undef SIMT_CLOBBERED_BY_SWITCH_SVE

#else

#if defined(__AVX512F__)
#define SIMT_CLOBBERED_BY_SWITCH_AVX512                                                                           \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
        "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define SIMT_CLOBBERED_BY_SWITCH_AVX512
#endif

__attribute__((always_inline)) inline Context* jump_to_context(Context* self, Context* next) {
    asm volatile(
        "movq %%rsp, 0(%0)\n\t"
        "movq %%rbp, 8(%0)\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "movq %%rax, 16(%0)\n\t"
        "movq 0(%1), %%rsp\n\t"
        "movq 8(%1), %%rbp\n\t"
        "movq %1, %0\n\t"
        "jmpq *16(%1)\n"
        "1:"
        : "+D"(self), "+S"(next)
        :
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0",
          "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
          "xmm14", "xmm15" SIMT_CLOBBERED_BY_SWITCH_AVX512);
    return self;
}

#undef SIMT_CLOBBERED_BY_SWITCH_AVX512
#endif

/// Saves the running lane in *self and continues where *next stopped (a fresh context's entry is called with `next`).
/// Returns when another lane switches back; the result is the context of the lane that goes on, which is self.
__attribute__((always_inline)) inline Context* switch_context(Context* self, Context* next) {
#ifdef __SANITIZE_ADDRESS__
    void* kept = nullptr;
    announce_switch(next, &kept);
    self = jump_to_context(self, next);
    announce_arrival(kept);
    return self;
#else
    return jump_to_context(self, next);
#endif
}

// ---- the state of a warp

// Which lanes can run, and what the others wait for.
//
// The lanes of a warp take turns on one OS thread. A lane that has to wait records what for, takes the next lane out of
// `ready` and switches to it. When `ready` is empty, the warp stalls and schedule() (in the runtime) decides: it
// completes the meetings whose lanes have all arrived, or goes on with another warp of the block.

/// The values that the lanes of a warp bring to a shuffle or a vote.
struct Exchange {
    unsigned present = 0;     ///< lanes that took part, set when their meeting completes
    unsigned predicates = 0;  ///< bit per lane
    unsigned long long values[32] = {};
};

/// The sums of __syncthreads_count and its relatives over a block.
struct BarrierTally {
    unsigned arriving = 0;   ///< sum over the lanes that have arrived
    unsigned published = 0;  ///< sum of the last completed barrier
};

/// After this many meetings a warp lets the others run, even if none of its lanes had to wait: it may poll by votes.
constexpr unsigned meetings_per_turn = 1024;

struct Warp {
    unsigned ready = 0;      ///< lanes that can run, without the running one
    unsigned live = 0;       ///< lanes that have not left the kernel
    unsigned unstarted = 0;  ///< lanes (of ready) that have not entered the kernel
    unsigned meeting = 0;    ///< lanes at a shuffle, a vote or __syncwarp
    unsigned partial = 0;    ///< lanes (of meeting) that wait only for the lanes in masks[], not for every live lane
    unsigned asking = 0;     ///< lanes at __activemask
    unsigned yielded = 0;    ///< lanes that poll and let others go first
    unsigned paused = 0;     // lanes that could go on, but let the others of their warp catch up (checked kernels only)
    unsigned at_grid = 0;    ///< lanes at grid.sync(); every other live lane is at __syncthreads
    unsigned meetings_in_turn = 0;  ///< completed since the warp last let others run
    /// Lanes write into `arriving`; when a meeting completes, the two swap. All lanes of the completed meeting read
    /// `published` before the warp can stall again, so two are enough.
    Exchange* arriving = &exchanges[0];
    Exchange* published = &exchanges[1];
    Context* contexts = nullptr;  ///< of its 32 lanes
    BarrierTally* tally = nullptr;
    unsigned masks[32] = {};
    Exchange exchanges[2];
};

/// The warp and the lane that run on this OS thread.
extern __thread Warp* current_warp;
extern __thread Context* current_lane;

/// For the watchdog, which must distinguish threads that wait forever from those that wait and go on
/// (exec/launch_watch.hpp): how often lanes on this OS thread have taken a lock or stopped waiting, and a sum over the
/// values that they have seen while they waited.
extern __thread unsigned long long changes_made;
extern __thread unsigned long long values_seen;
/// Counts those lanes, each once for every value of `step_epoch`, which the watchdog renews when the launch has made a
/// step. Null where no kernel runs.
struct TurnsTaken {
    unsigned long long count = 0;
    const unsigned short* step_epoch = nullptr;
};
extern __thread TurnsTaken* turns_taken;

/// The barrier of a tile of more than a warp, and all of a block's (see tile.hpp); zero when a block begins.
struct TileBarrier {
    unsigned arrived[2] = {0, 0};  ///< by the parity of the generation
    unsigned generation = 0;
};
constexpr unsigned first_named_barrier = 30, named_barrier_count = 16;  ///< PTX's bar.sync with a number
constexpr unsigned tile_barrier_count = first_named_barrier + named_barrier_count;
extern __thread TileBarrier tile_barriers[tile_barrier_count];

/// A lane's first wait: the loop that ran it gives up the lanes after it, which get their own stacks. Sets
/// current_lane.
void detach_lane(unsigned x, unsigned y, unsigned z);

// ---- blocks whose lanes run in loops: see lane_loops.hpp

/// The running kernel does so. Returns the live lanes of each of 32 warps of its block, one bit per lane, which belong to
/// the block and end with it; and behind them, which lanes did not come where a mask named them.
unsigned* begin_lane_loops();

/// Where a mask named them, some lanes of a warp are absent, or are present that were absent before.
void part_lanes(decltype(sizeof 0) warp, unsigned present, unsigned absent);

/// Every lane of the block is at a barrier.
void pass_lane_barrier();

/// Memory for a variable of each lane, aligned to 64 bytes; what was taken last goes back first.
__attribute__((malloc, returns_nonnull)) void* take_lane_room(decltype(sizeof 0) bytes);
void return_lane_room();

/// Whether the lanes of the running block do so. Then none of them can wait for another one.
bool in_lane_loops();
/// What a lane does there instead of waiting: other workers go on.
void let_workers_run();

/// The warp has stalled: returns the lane to run next, after setting current_warp. Does not return NULL.
Context* schedule();

/// Ends the running lane, which has a stack of its own.
[[noreturn]] void end_lane();

/// Ends the launch of the running lane with error 719, after "simcc: kernel k, block (x,y,z): <message>" on stderr.
[[noreturn]] void fail_lane(const char* message);

/// The assertion of lane (x,y,z) failed: ends its launch with error 710, after CUDA's message. On the host it does what
/// assert does.
[[noreturn]] void fail_assertion(unsigned x, unsigned y, unsigned z, const char* expression, const char* file,
                                 unsigned line, const char* function);

/// Where the memory at a device code's address is.
enum class MemorySpace : unsigned char { global, shared, constant, local, grid_constant };
MemorySpace space_of(const void* address);

/// The running lane has this parameter with __grid_constant__. (On a GPU all threads have the same one.)
void note_grid_constant(const volatile void* parameter, decltype(sizeof 0) bytes);

/// True on a thread that is running device code.
bool in_kernel();

}  // namespace simt
