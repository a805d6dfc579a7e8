// SPDX-License-Identifier: MIT
// cooperative_groups::reduce over the members of a tile or coalesced group.
#pragma once

#include "../cooperative_groups.h"
#include "functional.h"

namespace cooperative_groups {
inline namespace SIMT_FLAVOR {

/// Every member gets the combination of all values, lowest rank first.
template <typename Group, typename T, typename Operation>
SIMT_INLINE T reduce(const Group& group, const T& value, Operation&& operation,
                     ::simt::Site site = ::simt::Site::here()) {
    if constexpr (spans_warps<Group>) {
        return group.combine(value, Group::size(), operation, site);
    } else {
        const LaneValues<T> values(group.lanes(), value, site);
        unsigned left = values.present();
        T result = values[static_cast<unsigned>(__builtin_ctz(left))];
        while (left &= left - 1) result = operation(result, values[static_cast<unsigned>(__builtin_ctz(left))]);
        return result;
    }
}

}  // namespace SIMT_FLAVOR
}  // namespace cooperative_groups
