// SPDX-License-Identifier: MIT
// cooperative_groups::inclusive_scan and exclusive_scan over the members of a tile or coalesced group.
#pragma once

#include "../cooperative_groups.h"
#include "functional.h"

namespace cooperative_groups {
inline namespace SIMT_FLAVOR {

/// Combines the values of all members up to this one.
template <typename Group, typename T, typename Operation>
SIMT_INLINE T inclusive_scan(const Group& group, const T& value, Operation&& operation,
                             ::simt::Site site = ::simt::Site::here()) {
    if constexpr (spans_warps<Group>) {
        return group.combine(value, Group::thread_rank() + 1, operation, site);
    } else {
        const LaneValues<T> values(group.lanes(), value, site);
        const unsigned self = ::simt::lane_in_warp();
        unsigned left = values.present();
        unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        T result = values[lane];
        while (lane != self) {
            left &= left - 1;
            lane = static_cast<unsigned>(__builtin_ctz(left));
            result = operation(result, values[lane]);
        }
        return result;
    }
}

/// Combines the values of all members before this one; the first member gets T{}.
template <typename Group, typename T, typename Operation>
SIMT_INLINE T exclusive_scan(const Group& group, const T& value, Operation&& operation,
                             ::simt::Site site = ::simt::Site::here()) {
    if constexpr (spans_warps<Group>) {
        return group.combine(value, Group::thread_rank(), operation, site);
    } else {
        const LaneValues<T> values(group.lanes(), value, site);
        unsigned before = values.present() & ((1u << ::simt::lane_in_warp()) - 1);
        if (!before) return T{};
        T result = values[static_cast<unsigned>(__builtin_ctz(before))];
        while (before &= before - 1) result = operation(result, values[static_cast<unsigned>(__builtin_ctz(before))]);
        return result;
    }
}

template <typename Group, typename T>
SIMT_INLINE T inclusive_scan(const Group& group, const T& value) {
    return inclusive_scan(group, value, plus<T>());
}

template <typename Group, typename T>
SIMT_INLINE T exclusive_scan(const Group& group, const T& value) {
    return exclusive_scan(group, value, plus<T>());
}

}  // namespace SIMT_FLAVOR
}  // namespace cooperative_groups
