// SPDX-License-Identifier: MIT
// The items of one thread in order; equal ones keep theirs.
#pragma once

#include <type_traits>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename KeyT, typename ValueT, typename CompareOp, int ITEMS_PER_THREAD>
SIMT_INLINE void StableOddEvenSort(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&items)[ITEMS_PER_THREAD],
                                   CompareOp compare_op) {
    for (int i = 1; i < ITEMS_PER_THREAD; ++i) {
        for (int k = i; k > 0 && compare_op(keys[k], keys[k - 1]); --k) {
            const KeyT key = keys[k];
            keys[k] = keys[k - 1];
            keys[k - 1] = key;
            if constexpr (!std::is_same_v<ValueT, NullType>) {
                const ValueT item = items[k];
                items[k] = items[k - 1];
                items[k - 1] = item;
            }
        }
    }
}

CUB_NAMESPACE_CLOSE
