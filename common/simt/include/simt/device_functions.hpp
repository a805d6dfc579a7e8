// SPDX-License-Identifier: MIT
// Barriers and fences, time, sleep, traps and the heap in device code.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simt/builtins.hpp"
#include "simt/wait.hpp"

namespace simt {

// ---- barriers

inline namespace SIMT_FLAVOR {

/// Waits until every lane of the block that is still in the kernel waits here or at another block barrier. A waiting
/// lane with no other entry in its warp's state counts as being at the barrier, so arriving costs no store.
SIMT_UNCHECKED void block_barrier(Site site) {
    if constexpr (is_checked) check::arrive(check::Wait::block_barrier, every_lane, check::no_lane, site);
    Context* self = waiting_lane(site);
    let_others_run(self, current_warp);
}

/// A barrier that also counts the lanes where the predicate holds.
SIMT_UNCHECKED unsigned block_count(bool predicate, Site site) {
    if constexpr (is_checked) check::arrive(check::Wait::block_barrier, every_lane, check::no_lane, site);
    Context* self = waiting_lane(site);
    Warp* warp = current_warp;
    warp->tally->arriving += predicate;
    let_others_run(self, warp);
    return current_warp->tally->published;
}

/// Waits until every lane of every block of a cooperative launch is here. Lanes that have left do not count.
SIMT_UNCHECKED void grid_barrier(Site site) {
    if (!is_cooperative()) {
        fail_lane("grid.sync() in a launch that is not cooperative: use cudaLaunchCooperativeKernel");
    }
    if constexpr (is_checked) check::arrive(check::Wait::grid_barrier, every_lane, check::no_lane, site);
    Context* self = waiting_lane(site);
    Warp* warp = current_warp;
    warp->at_grid |= lane_bit(self);
    let_others_run(self, warp);
}

/// If one worker runs all device code, lane after lane, only the compiler must not move accesses across the fence.
SIMT_UNCHECKED void fence() {
    if constexpr (is_checked) check::fence(check::Reach::device);
    if (block_identity.sums) add_pending_sums();
    if (block_identity.one_worker) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } else {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

SIMT_INLINE void __syncthreads(::simt::Site site = ::simt::Site::here()) { ::simt::block_barrier(site); }

SIMT_INLINE int __syncthreads_count(int predicate, ::simt::Site site = ::simt::Site::here()) {
    return static_cast<int>(::simt::block_count(predicate != 0, site));
}

SIMT_INLINE int __syncthreads_or(int predicate, ::simt::Site site = ::simt::Site::here()) {
    return ::simt::block_count(predicate != 0, site) != 0;
}

SIMT_INLINE int __syncthreads_and(int predicate, ::simt::Site site = ::simt::Site::here()) {
    return ::simt::block_count(predicate == 0, site) == 0;
}

SIMT_INLINE void __threadfence() { ::simt::fence(); }
SIMT_UNCHECKED void __threadfence_system() {
    if constexpr (::simt::is_checked) ::simt::check::fence(::simt::check::Reach::system);
    if (::simt::block_identity.sums) ::simt::add_pending_sums();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/// A block runs on one OS thread.
SIMT_INLINE void __threadfence_block() {
    if constexpr (::simt::is_checked) ::simt::check::fence(::simt::check::Reach::block);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// ---- time, sleep and traps

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

/// (Unknown to the checkers: it is in the simulator's own memory.)
SIMT_UNCHECKED void set_condition(unsigned* condition, unsigned value) {
    __atomic_store_n(condition, value, __ATOMIC_RELEASE);
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

SIMT_INLINE long long clock64(::simt::Site site = ::simt::Site::here()) {
    return ::simt::read_clock(CLOCK_MONOTONIC, site);
}

/// Sets the value of a graph's conditional node; the handle is its address.
SIMT_INLINE void cudaGraphSetConditional(unsigned long long handle, unsigned value) {
    ::simt::set_condition(reinterpret_cast<unsigned*>(handle), value);
}

/// C has a clock() too. In a kernel it means CUDA's; the runtime's function behind this symbol distinguishes the two.
extern "C" clock_t clock(void) noexcept __asm__("simt_clock");

/// The sleep lasts until all other lanes have had their turn.
SIMT_INLINE void __nanosleep(unsigned, ::simt::Site site = ::simt::Site::here()) { ::simt::yield(site); }

// ---- spaces of memory

// Parameters with __grid_constant__ are in global memory, too.
SIMT_INLINE unsigned int __isGridConstant(const void* p) {
    return ::simt::space_of(p) == ::simt::MemorySpace::grid_constant;
}
SIMT_INLINE unsigned int __isGlobal(const void* p) {
    return ::simt::space_of(p) == ::simt::MemorySpace::global || __isGridConstant(p);
}
SIMT_INLINE unsigned int __isShared(const void* p) { return ::simt::space_of(p) == ::simt::MemorySpace::shared; }
SIMT_INLINE unsigned int __isConstant(const void* p) { return ::simt::space_of(p) == ::simt::MemorySpace::constant; }
SIMT_INLINE unsigned int __isLocal(const void* p) { return ::simt::space_of(p) == ::simt::MemorySpace::local; }

namespace simt {
/// Addresses in shared memory fit 32 bits, and keep the alignment: the dynamic part begins here.
constexpr size_t dynamic_shared_address = 1 << 24;
}  // namespace simt

SIMT_INLINE size_t __cvta_generic_to_shared(const void* p) {
    const char* base = simt_dynamic_shared;
    __asm__("" : "+r"(base));  // g++ would subtract the variable's place in a way that the linker cannot relocate
    return static_cast<size_t>(static_cast<const char*>(p) - base) + ::simt::dynamic_shared_address;
}
SIMT_INLINE void* __cvta_shared_to_generic(size_t address) {
    return simt_dynamic_shared + (address - ::simt::dynamic_shared_address);
}
// In the other spaces the two are the same.
SIMT_INLINE size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
SIMT_INLINE size_t __cvta_generic_to_constant(const void* p) { return reinterpret_cast<size_t>(p); }
SIMT_INLINE size_t __cvta_generic_to_local(const void* p) { return reinterpret_cast<size_t>(p); }
SIMT_INLINE size_t __cvta_generic_to_grid_constant(const void* p) { return reinterpret_cast<size_t>(p); }
SIMT_INLINE void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
SIMT_INLINE void* __cvta_constant_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
SIMT_INLINE void* __cvta_local_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
SIMT_INLINE void* __cvta_grid_constant_to_generic(size_t address) { return reinterpret_cast<void*>(address); }

[[noreturn]] SIMT_INLINE void __trap() { ::simt::fail_lane("__trap()"); }
SIMT_INLINE void __brkpt() {}

namespace simt {
inline namespace SIMT_FLAVOR {

/// PTX's exit: the thread ends, wherever it is.
[[noreturn]] SIMT_UNCHECKED void exit_thread(Site site = Site::here()) {
    if constexpr (is_checked) check::early_return();
    waiting_lane(site);
    end_lane();
}

}  // namespace SIMT_FLAVOR
}  // namespace simt
SIMT_INLINE void __prof_trigger(int) {}

// ---- malloc and free in kernels: CUDA's heap in device memory, which lives until cudaDeviceReset

// As with clock(), the names mean something else on the host; the runtime's functions behind these symbols distinguish
// the two. In the fast flavor, new and delete in kernels use the host's; in the checked one they use this heap, too.

extern "C" void* malloc(size_t bytes) noexcept __asm__("simt_malloc");
extern "C" void free(void* pointer) noexcept __asm__("simt_free");
/// g++ makes this of malloc() and a memset() with zero.
extern "C" void* calloc(size_t count, size_t bytes) noexcept __asm__("simt_calloc");

#ifndef SIMT_CHECKED
namespace simt {
struct KernelHeap {};
}  // namespace simt

/// simcc turns `new` in kernels into this: the host's heap, of which kernels may use this memory from now on.
void* operator new(decltype(sizeof 0) bytes, simt::KernelHeap);
void* operator new[](decltype(sizeof 0) bytes, simt::KernelHeap);
inline void operator delete(void* pointer, simt::KernelHeap) { operator delete(pointer); }
inline void operator delete[](void* pointer, simt::KernelHeap) { operator delete[](pointer); }
#endif

#ifdef SIMT_CHECKED
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
