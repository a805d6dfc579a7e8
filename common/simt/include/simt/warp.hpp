// SPDX-License-Identifier: MIT
// Warp-level functions: shuffles, votes, matches and reductions.
//
// They all use one step, the exchange: every lane of a group gives 64 bits, waits for the others, and may then read the
// bits of all of them. Lanes that have left the kernel are not waited for, and a lane that reads from a lane outside
// its mask gets its own value.
#pragma once

#include "simt/device_functions.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

/// A value as 64 bits and back: any trivially copyable type of up to 8 bytes (all numbers, half2, float2, pointers).
template <typename T>
SIMT_INLINE unsigned long long to_bits(const T& value) {
    static_assert(sizeof(T) <= 8, "warp functions move values of up to 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T>
SIMT_INLINE T from_bits(unsigned long long bits) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
}

/// Gives `bits` to the lanes of `mask` and waits for them. Returns their 32 values, by lane; read them before the next
/// wait.
SIMT_UNCHECKED const unsigned long long* exchange(unsigned mask, unsigned long long bits, Site site,
                                                  check::Wait kind = check::Wait::match,
                                                  unsigned source = check::no_lane) {
    if constexpr (is_checked) check::arrive(kind, mask, source, site);
    Context* self = waiting_lane(site);
    Warp* warp = current_warp;
    warp->arriving->values[self->lane] = bits;
    meet(self, warp, mask);
    return warp->published->values;
}

/// The lanes of `mask` whose predicate holds.
SIMT_UNCHECKED unsigned vote(unsigned mask, bool predicate, Site site) {
    if constexpr (is_checked) check::arrive(check::Wait::vote, mask, check::no_lane, site);
    Context* self = waiting_lane(site);
    Warp* warp = current_warp;
    if (predicate) warp->arriving->predicates |= lane_bit(self);
    meet(self, warp, mask);
    return warp->published->predicates & mask;
}

SIMT_UNCHECKED void warp_barrier(unsigned mask, Site site) {
    if constexpr (is_checked) check::arrive(check::Wait::warp_barrier, mask, check::no_lane, site);
    Context* self = waiting_lane(site);
    meet(self, current_warp, mask);
}

SIMT_IDENTITY unsigned lane_in_warp() { return lane_identity.detached ? current_lane->lane : thread_rank() % 32; }

/// The lanes of this warp that have not left the kernel.
SIMT_UNCHECKED unsigned live_lanes(Site site) {
    waiting_lane(site);
    return current_warp->live;
}

/// The lanes that are in this call together: those that arrive before every lane of the warp has to wait.
SIMT_UNCHECKED unsigned active_lanes(Site site) {
    if constexpr (is_checked) check::arrive(check::Wait::active_mask, every_lane, check::no_lane, site);
    Context* self = waiting_lane(site);
    Warp* warp = current_warp;
    warp->asking |= lane_bit(self);
    let_others_run(self, warp);
    return warp->masks[self->lane];
}

/// The value of lane `source`.
template <typename T>
SIMT_UNCHECKED T value_of_lane(unsigned mask, const T& value, unsigned source, Site site) {
    const unsigned long long* values = exchange(mask, to_bits(value), site, check::Wait::shuffle, source);
    return mask >> source & 1 ? from_bits<T>(values[source]) : value;
}

/// The first lane of this lane's segment of `width` (a power of two) lanes.
SIMT_INLINE unsigned segment_start(unsigned lane, int width) { return lane & ~static_cast<unsigned>(width - 1); }

/// The lanes that took part in the last meeting.
SIMT_UNCHECKED unsigned present_lanes() { return current_warp->published->present; }

/// Combines the values of the lanes in `mask`, lowest lane first.
template <typename T, typename Operation>
SIMT_UNCHECKED T reduce_lanes(unsigned mask, const T& value, Operation operation, Site site) {
    const unsigned long long* values = exchange(mask, to_bits(value), site);
    unsigned left = mask & current_warp->published->present;
    T result = from_bits<T>(values[__builtin_ctz(left)]);
    while (left &= left - 1) result = operation(result, from_bits<T>(values[__builtin_ctz(left)]));
    return result;
}

/// Lanes of `mask` whose value has the same bits as this lane's.
template <typename T>
SIMT_UNCHECKED unsigned lanes_with_same_value(unsigned mask, const T& value, Site site) {
    const unsigned long long bits = to_bits(value);
    const unsigned long long* values = exchange(mask, bits, site);
    unsigned same = 0;
    for (unsigned left = mask & current_warp->published->present; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (values[lane] == bits) same |= 1u << lane;
    }
    return same;
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

#define SIMT_SITE ::simt::Site site = ::simt::Site::here()

template <typename T>
SIMT_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = warpSize, SIMT_SITE) {
    const unsigned lane = ::simt::lane_in_warp();
    return ::simt::value_of_lane(mask, value, ::simt::segment_start(lane, width) + (source & (width - 1)), site);
}

template <typename T>
SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize, SIMT_SITE) {
    const unsigned lane = ::simt::lane_in_warp();
    const unsigned position = lane - ::simt::segment_start(lane, width);
    return ::simt::value_of_lane(mask, value, delta > position ? lane : lane - delta, site);
}

template <typename T>
SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize, SIMT_SITE) {
    const unsigned lane = ::simt::lane_in_warp();
    const unsigned behind = ::simt::segment_start(lane, width) + width - 1 - lane;
    return ::simt::value_of_lane(mask, value, delta > behind ? lane : lane + delta, site);
}

template <typename T>
SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize, SIMT_SITE) {
    const unsigned lane = ::simt::lane_in_warp();
    const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
    const unsigned end = ::simt::segment_start(lane, width) + width;  // an earlier segment may be read, not a later one
    return ::simt::value_of_lane(mask, value, source >= end ? lane : source, site);
}

SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate, SIMT_SITE) {
    return ::simt::vote(mask, predicate != 0, site);
}

SIMT_INLINE int __any_sync(unsigned mask, int predicate, SIMT_SITE) {
    return ::simt::vote(mask, predicate != 0, site) != 0;
}

SIMT_INLINE int __all_sync(unsigned mask, int predicate, SIMT_SITE) {
    return ::simt::vote(mask, predicate == 0, site) == 0;
}

/// True if the predicate has the same truth value in all lanes.
SIMT_INLINE int __uni_sync(unsigned mask, int predicate, SIMT_SITE) {
    const unsigned holds = ::simt::vote(mask, predicate != 0, site);
    return holds == 0 || holds == (mask & ::simt::present_lanes());
}

SIMT_INLINE void __syncwarp(unsigned mask = ::simt::every_lane, SIMT_SITE) { ::simt::warp_barrier(mask, site); }

SIMT_INLINE unsigned __activemask(SIMT_SITE) { return ::simt::active_lanes(site); }

template <typename T>
SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value, SIMT_SITE) {
    return ::simt::lanes_with_same_value(mask, value, site);
}

/// Returns the lanes of the mask if all have the same value, else 0.
template <typename T>
SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all_equal, SIMT_SITE) {
    const unsigned same = ::simt::lanes_with_same_value(mask, value, site);
    *all_equal = same == (mask & ::simt::present_lanes());
    return *all_equal ? same : 0;
}

#define SIMT_REDUCE(name, type, expression)                                                              \
    SIMT_INLINE type __reduce_##name##_sync(unsigned mask, type value, SIMT_SITE) {                      \
        return ::simt::reduce_lanes(                                                                     \
            mask, value, [](type a, type b) SIMT_UNCHECKED_LAMBDA -> type { return expression; }, site); \
    }
SIMT_REDUCE(add, unsigned, a + b)
SIMT_REDUCE(min, unsigned, b < a ? b : a)
SIMT_REDUCE(max, unsigned, a < b ? b : a)
SIMT_REDUCE(add, int, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
SIMT_REDUCE(min, int, b < a ? b : a)
SIMT_REDUCE(max, int, a < b ? b : a)
SIMT_REDUCE(and, unsigned, a& b)
SIMT_REDUCE(or, unsigned, a | b)
SIMT_REDUCE(xor, unsigned, a ^ b)
#undef SIMT_REDUCE

// ---- warp functions without a mask, which CUDA 9 deprecated and later versions removed ---------------------------------
// simcc calls them in this namespace, unless the program has functions of these names. The lanes that are together take
// part.
namespace simt {
namespace without_mask {

template <typename T>
SIMT_INLINE T __shfl(T value, int source, int width = warpSize, SIMT_SITE) {
    return __shfl_sync(active_lanes(site), value, source, width, site);
}
template <typename T>
SIMT_INLINE T __shfl_up(T value, unsigned delta, int width = warpSize, SIMT_SITE) {
    return __shfl_up_sync(active_lanes(site), value, delta, width, site);
}
template <typename T>
SIMT_INLINE T __shfl_down(T value, unsigned delta, int width = warpSize, SIMT_SITE) {
    return __shfl_down_sync(active_lanes(site), value, delta, width, site);
}
template <typename T>
SIMT_INLINE T __shfl_xor(T value, int lane_mask, int width = warpSize, SIMT_SITE) {
    return __shfl_xor_sync(active_lanes(site), value, lane_mask, width, site);
}
SIMT_INLINE unsigned __ballot(int predicate, SIMT_SITE) { return __ballot_sync(active_lanes(site), predicate, site); }
SIMT_INLINE int __any(int predicate, SIMT_SITE) { return __any_sync(active_lanes(site), predicate, site); }
SIMT_INLINE int __all(int predicate, SIMT_SITE) { return __all_sync(active_lanes(site), predicate, site); }

}  // namespace without_mask
}  // namespace simt
#undef SIMT_SITE
