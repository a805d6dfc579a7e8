// SPDX-License-Identifier: MIT
// Sorts of the items of a block, in blocked arrangement. All are stable.
#pragma once

#include "../warp/warp_merge_sort.cuh"

CUB_NAMESPACE_OPEN

namespace simt_parts {

struct WholeBlock {
    SIMT_INLINE static int rank() { return thread_rank(); }
    SIMT_INLINE static void sync(::simt::Site site) { ::__syncthreads(site); }
};

}  // namespace simt_parts

template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockMergeSort : public simt_parts::GroupMergeSort<KeyT, ValueT, ITEMS_PER_THREAD, simt_parts::WholeBlock,
                                                         BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z> {
    using Base = simt_parts::GroupMergeSort<KeyT, ValueT, ITEMS_PER_THREAD, simt_parts::WholeBlock,
                                            BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>;

public:
    SIMT_INLINE BlockMergeSort(::simt::Site site = ::simt::Site::here())
        : Base(simt_parts::storage_of_block<typename Base::TempStorage>(), site) {}
    SIMT_INLINE explicit BlockMergeSort(typename Base::TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : Base(storage, site) {}
};

CUB_NAMESPACE_CLOSE
