// Time, sleep, traps and assertions in device code.
#pragma once

#include <time.h>

#include "wait.hpp"

namespace simt {
inline namespace SIMT_FLAVOUR {

// A counter that runs at the processor's rate, for want of a simulated clock. Reading it is how a lane waits for a time to
// pass, so the other lanes go first.
SIMT_INLINE long long read_clock(Site site) {
    yield(site);
#if defined(__x86_64__)
    return static_cast<long long>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
    long long ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
#endif
}

}  // namespace SIMT_FLAVOUR
}  // namespace simt

SIMT_INLINE long long clock64(::simt::Site site = ::simt::Site::here()) { return ::simt::read_clock(site); }

SIMT_INLINE unsigned long long __globaltimer(::simt::Site site = ::simt::Site::here()) {
    ::simt::yield(site);
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<unsigned long long>(now.tv_sec) * 1000000000ULL + static_cast<unsigned long long>(now.tv_nsec);
}

// The lane lets all others go first; that is as long as the sleep lasts.
SIMT_INLINE void __nanosleep(unsigned, ::simt::Site site = ::simt::Site::here()) { ::simt::yield(site); }

[[noreturn]] SIMT_INLINE void __trap() { ::simt::fail_lane("__trap()"); }
SIMT_INLINE void __brkpt() {}
SIMT_INLINE void __prof_trigger(int) {}
