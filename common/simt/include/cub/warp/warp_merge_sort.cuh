// SPDX-License-Identifier: MIT
// Sorts of the items of a logical warp, in blocked arrangement. All are stable.
#pragma once

#include <type_traits>

#include "../../simt/cub_sort.hpp"
#include "../util_type.cuh"

CUB_NAMESPACE_OPEN
namespace simt_parts {

/// A sort by the threads of a group: a warp or a block. Group has rank(), sync(site) and the number of its threads.
template <typename KeyT, typename ValueT, int ITEMS_PER_THREAD, typename Group, int threads>
class GroupMergeSort {
    static constexpr int count = threads * ITEMS_PER_THREAD;
    using Index = std::conditional_t<(count > 65535), unsigned, unsigned short>;

public:
    struct TempStorage {
        union {
            Slots<KeyT, count> keys;
            Slots<ValueT, count> values;
        };
        Index order[count];
    };

    SIMT_INLINE GroupMergeSort(TempStorage& storage, ::simt::Site site) : storage_(storage), site_(site) {}

    template <typename CompareOp>
    SIMT_INLINE void Sort(KeyT (&keys)[ITEMS_PER_THREAD], CompareOp compare_op) {
        ValueT none[ITEMS_PER_THREAD];
        sort<false>(keys, none, compare_op, count);
    }
    template <typename CompareOp>
    SIMT_INLINE void Sort(KeyT (&keys)[ITEMS_PER_THREAD], CompareOp compare_op, int valid_items, KeyT oob_default) {
        ValueT none[ITEMS_PER_THREAD];
        pad(keys, valid_items, oob_default);
        sort<false>(keys, none, compare_op, count);
    }
    template <typename CompareOp>
    SIMT_INLINE void Sort(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&items)[ITEMS_PER_THREAD], CompareOp compare_op) {
        sort<true>(keys, items, compare_op, count);
    }
    template <typename CompareOp>
    SIMT_INLINE void Sort(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&items)[ITEMS_PER_THREAD], CompareOp compare_op,
                          int valid_items, KeyT oob_default) {
        pad(keys, valid_items, oob_default);
        sort<true>(keys, items, compare_op, count);
    }
    template <typename... Arguments>
    SIMT_INLINE void StableSort(Arguments&&... arguments) {
        Sort(static_cast<Arguments&&>(arguments)...);
    }

private:
    SIMT_INLINE void pad(KeyT (&keys)[ITEMS_PER_THREAD], int valid_items, const KeyT& oob_default) {
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
            if (Group::rank() * ITEMS_PER_THREAD + i >= valid_items) keys[i] = oob_default;
        }
    }

    template <bool has_values, typename CompareOp>
    SIMT_INLINE void sort(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&items)[ITEMS_PER_THREAD], CompareOp compare_op,
                          int length) {
        const int first = Group::rank() * ITEMS_PER_THREAD;
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) storage_.keys.put(first + i, keys[i]);
        Group::sync(site_);
        if (Group::rank() == 0) {
            Index other[count];
            merge_sort(storage_.order, other, length,
                       [&](Index a, Index b) { return compare_op(storage_.keys[a], storage_.keys[b]); });
        }
        Group::sync(site_);
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) keys[i] = storage_.keys[storage_.order[first + i]];
        if constexpr (has_values) {
            Group::sync(site_);
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) storage_.values.put(first + i, items[i]);
            Group::sync(site_);
            for (int i = 0; i < ITEMS_PER_THREAD; ++i) items[i] = storage_.values[storage_.order[first + i]];
        }
    }

    TempStorage& storage_;
    const ::simt::Site site_;
};

}  // namespace simt_parts

template <typename KeyT, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32, typename ValueT = NullType, int = 0>
class WarpMergeSort
    : public simt_parts::GroupMergeSort<KeyT, ValueT, ITEMS_PER_THREAD, simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>,
                                        LOGICAL_WARP_THREADS> {
    using Base = simt_parts::GroupMergeSort<KeyT, ValueT, ITEMS_PER_THREAD,
                                            simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>, LOGICAL_WARP_THREADS>;

public:
    WarpMergeSort() = delete;
    SIMT_INLINE WarpMergeSort(typename Base::TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : Base(storage, site) {}
    SIMT_INLINE unsigned get_member_mask() const { return simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>::mask(); }
};

CUB_NAMESPACE_CLOSE
