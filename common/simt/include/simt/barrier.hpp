// SPDX-License-Identifier: MIT
// __syncthreads and its relatives, and memory fences.
#pragma once

#include "simt/device_functions.hpp"
#include "simt/wait.hpp"

namespace simt {
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
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/// A block runs on one OS thread.
SIMT_INLINE void __threadfence_block() {
    if constexpr (::simt::is_checked) ::simt::check::fence(::simt::check::Reach::block);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
