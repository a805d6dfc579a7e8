// SPDX-License-Identifier: MIT
// __launch_bounds__ at a launch. Only the call itself determines which kernel a launch statement means, and with which
// template arguments. So the launch asks: it calls the kernel once, as no thread of a grid, and the kernel answers with
// its bound instead of running. simcc begins every kernel with
//     ::simt::tell_bounds(256);
// (0: no bound). In the fast flavor this costs nothing: the loop over lanes is inlined, and the compiler sees that no
// lane is asked.
#pragma once

#include "identity.hpp"

namespace simt {

// In the runtime. `call` calls the kernel, and never returns, since the kernel answers.
unsigned ask_for_bounds(void (*call)(void* body), void* body);
[[noreturn, gnu::cold]] void answer_with_bounds(size_t most_threads);
// Does the same if the kernel is being asked.
void answer_if_asked(size_t most_threads);

inline namespace SIMT_FLAVOR {

#ifdef SIMT_CHECKED
// No branch in the kernel: the counters would count it.
SIMT_INLINE void tell_bounds(size_t most_threads) { answer_if_asked(most_threads); }

template <class Body>
SIMT_UNCHECKED void ask_kernel(void* body) {
    (*static_cast<Body*>(body))();
}
#else
constexpr unsigned asked_lane = ~0u;  // the threadIdx.x of no thread

SIMT_INLINE void tell_bounds(size_t most_threads) {
    if (__builtin_expect(lane_identity.x == asked_lane, 0)) answer_with_bounds(most_threads);
}

// (`flatten`, as for the loop over lanes: here everything in the kernel but the answer vanishes.)
template <class Body>
__attribute__((flatten, noinline)) void ask_kernel(void* body) {
    lane_identity.x = asked_lane;
    (*static_cast<Body*>(body))();
}
#endif

// The most threads per block of the kernel that `body` calls; 0: any number.
template <class Body>
SIMT_UNCHECKED unsigned bounds_of(Body& body) {
    const LaneIdentity lane = lane_identity;
    const unsigned most_threads = ask_for_bounds(&ask_kernel<Body>, &body);
    lane_identity = lane;
    return most_threads;
}

}  // namespace SIMT_FLAVOR
}  // namespace simt
