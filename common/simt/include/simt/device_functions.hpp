// SPDX-License-Identifier: MIT
// Time, sleep, traps and assertions in device code.
#pragma once

#include <time.h>

#include "wait.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

// The simulated clock runs at 1 GHz, as the device's properties say. A lane that reads it may be waiting for time to
// pass, so the other lanes go first; but time passes, so the lane counts as making progress.
SIMT_INLINE long long read_clock(clockid_t source, Site site) {
    yield(site);
    note_change();
    timespec now;
    clock_gettime(source, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

SIMT_INLINE long long clock64(::simt::Site site = ::simt::Site::here()) {
    return ::simt::read_clock(CLOCK_MONOTONIC, site);
}

SIMT_INLINE unsigned long long __globaltimer(::simt::Site site = ::simt::Site::here()) {
    return static_cast<unsigned long long>(::simt::read_clock(CLOCK_REALTIME, site));
}

// C has a clock() too. In a kernel it means CUDA's; the runtime's function behind this symbol distinguishes the two.
extern "C" clock_t clock(void) noexcept __asm__("simt_clock");

// The sleep lasts until all other lanes have had their turn.
SIMT_INLINE void __nanosleep(unsigned, ::simt::Site site = ::simt::Site::here()) { ::simt::yield(site); }

[[noreturn]] SIMT_INLINE void __trap() { ::simt::fail_lane("__trap()"); }
SIMT_INLINE void __brkpt() {}
SIMT_INLINE void __prof_trigger(int) {}
