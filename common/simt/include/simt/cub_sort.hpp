// SPDX-License-Identifier: MIT
// Stable sorts by one thread, which leave the keys and give their order.
#pragma once

#include "cub.hpp"

CUB_NAMESPACE_OPEN
namespace simt_parts {

/// order[0] to order[count - 1] become the indices of the keys in order; equal ones keep theirs. `other` has as many.
template <typename Index, typename Less>
SIMT_INLINE void merge_sort(Index* order, Index* other, int count, const Less& is_less) {
    for (int i = 0; i < count; ++i) order[i] = static_cast<Index>(i);
    Index *from = order, *to = other;
    for (int width = 1; width < count; width *= 2) {
        for (int begin = 0; begin < count; begin += 2 * width) {
            const int middle = begin + width < count ? begin + width : count;
            const int end = middle + width < count ? middle + width : count;
            for (int at = begin, left = begin, right = middle; at < end; ++at) {
                const bool takes_left = left < middle && (right == end || !is_less(from[right], from[left]));
                to[at] = from[takes_left ? left++ : right++];
            }
        }
        Index* const swapped = from;
        from = to;
        to = swapped;
    }
    if (from == order) return;
    for (int i = 0; i < count; ++i) order[i] = from[i];
}

}  // namespace simt_parts
CUB_NAMESPACE_CLOSE
