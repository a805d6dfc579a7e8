// SPDX-License-Identifier: MIT
// The toolkit's semaphores, latches and barriers, and wait() of its atomics, poll through functions in this header. On
// a GPU these may spin until the value changes; here a lane must let the others run, or it waits forever.
#pragma once
#pragma GCC system_header

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include <cuda/std/chrono>

#include "../../../simt/wait.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

inline int yield_or_sched_yield() {
    if (!in_kernel()) return ::sched_yield();
    yield(Site());
    return 0;
}

inline int yield_or_nanosleep(const timespec* wanted, timespec* remaining) {
    if (!in_kernel()) return ::nanosleep(wanted, remaining);
    yield(Site());
    return 0;
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

#define sched_yield ::simt::yield_or_sched_yield
#define nanosleep ::simt::yield_or_nanosleep
#define __cccl_thread_poll_with_backoff simt_toolkits_poll_with_backoff
#include_next <cuda/std/__thread/threading_support.h>
#undef __cccl_thread_poll_with_backoff
#undef nanosleep
#undef sched_yield

_LIBCUDACXX_BEGIN_NAMESPACE_STD

/// Whether `condition` has become true, within `limit` unless that is 0.
template <typename Condition>
bool __cccl_thread_poll_with_backoff(Condition&& condition, chrono::nanoseconds limit = chrono::nanoseconds::zero()) {
    const ::simt::Polling polling;
    const auto start = chrono::high_resolution_clock::now();
    while (!condition()) {
        if (limit != chrono::nanoseconds::zero() && chrono::high_resolution_clock::now() - start > limit) return false;
        ::simt::yield_or_sched_yield();
    }
    return true;
}

_LIBCUDACXX_END_NAMESPACE_STD
