// SPDX-License-Identifier: MIT
// Time, sleep, traps and the heap in device code.
#pragma once

#include <stdlib.h>
#include <time.h>

#include "simt/wait.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

/// The simulated clock runs at 1 GHz, as the device's properties say. A lane that reads it may be waiting for time to
/// pass, so the other lanes go first; but time passes, so the lane counts as making progress.
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

/// C has a clock() too. In a kernel it means CUDA's; the runtime's function behind this symbol distinguishes the two.
extern "C" clock_t clock(void) noexcept __asm__("simt_clock");

/// The sleep lasts until all other lanes have had their turn.
SIMT_INLINE void __nanosleep(unsigned, ::simt::Site site = ::simt::Site::here()) { ::simt::yield(site); }

[[noreturn]] SIMT_INLINE void __trap() { ::simt::fail_lane("__trap()"); }
SIMT_INLINE void __brkpt() {}
SIMT_INLINE void __prof_trigger(int) {}

// ---- malloc and free in kernels: CUDA's heap in device memory, which lives until cudaDeviceReset

// As with clock(), the names mean something else on the host; the runtime's functions behind these symbols distinguish
// the two. In the fast flavor, new and delete in kernels are the host's; in the checked one they use this heap, too.

extern "C" void* malloc(size_t bytes) noexcept __asm__("simt_malloc");
extern "C" void free(void* pointer) noexcept __asm__("simt_free");
/// g++ makes this of malloc() and a memset() with zero.
extern "C" void* calloc(size_t count, size_t bytes) noexcept __asm__("simt_calloc");

#ifdef SIMT_CHECKED
#include <string.h>

namespace simt {
struct DeviceHeap {};
}  // namespace simt

/// simcc turns `new` into this. `delete` recognizes memory of the device heap by its address.
void* operator new(decltype(sizeof 0) bytes, simt::DeviceHeap);
void* operator new[](decltype(sizeof 0) bytes, simt::DeviceHeap);
inline void operator delete(void* pointer, simt::DeviceHeap) { operator delete(pointer); }
inline void operator delete[](void* pointer, simt::DeviceHeap) { operator delete[](pointer); }

/// The library's functions are not instrumented. These report what they read and write.
extern "C" void* memcpy(void* to, const void* from, size_t bytes) noexcept __asm__("simt_memcpy");
extern "C" void* memmove(void* to, const void* from, size_t bytes) noexcept __asm__("simt_memmove");
extern "C" void* memset(void* to, int value, size_t bytes) noexcept __asm__("simt_memset");
#endif
