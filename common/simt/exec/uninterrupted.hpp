// SPDX-License-Identifier: MIT
// Sections of the simulator's own code in which a lane must not be abandoned: it may hold a lock, or be halfway through
// changing state that outlives the lane.
//
// The watchdog interrupts the workers of a launch that it has given up. A lane in kernel code is abandoned where it is;
// a lane in such a section is abandoned when the section ends.
#pragma once

namespace simt {

struct Interruption {
    unsigned depth = 0;       ///< nesting of the running lane's sections
    bool is_pending = false;  ///< the lane has been interrupted there
};

/// The state of this worker.
extern __thread Interruption interruption;

/// The running lane's launch has failed: abandons the lane.
void leave_interrupted_section();

class Uninterrupted {
public:
    [[gnu::always_inline]] Uninterrupted() { begin(); }
    [[gnu::always_inline]] ~Uninterrupted() { end(); }
    Uninterrupted(const Uninterrupted&) = delete;
    Uninterrupted& operator=(const Uninterrupted&) = delete;

    /// For a section that begins in one call and ends in another. (The fences only stop the compiler from moving code:
    /// the signal handler runs on the same thread.)
    [[gnu::always_inline]] static void begin() {
        ++interruption.depth;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    [[gnu::always_inline]] static void end() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (--interruption.depth == 0 && __builtin_expect(interruption.is_pending, 0)) leave_interrupted_section();
    }
};

}  // namespace simt
