// SPDX-License-Identifier: MIT
// Sorts of the numbers of a block by some of their bits. All are stable.
#pragma once

#include "block_merge_sort.cuh"
#include "block_scan.cuh"

CUB_NAMESPACE_OPEN

template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int RADIX_BITS = 4,
          bool MEMOIZE_OUTER_SCAN = true, BlockScanAlgorithm INNER_SCAN_ALGORITHM = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig SMEM_CONFIG = cudaSharedMemBankSizeFourByte, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int = 0>
class BlockRadixSort {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, count = threads * ITEMS_PER_THREAD;
    using Sorter = simt_parts::GroupMergeSort<KeyT, ValueT, ITEMS_PER_THREAD, simt_parts::WholeBlock, threads>;
    static constexpr int every_bit = 8 * sizeof(KeyT);

public:
    using TempStorage = typename Sorter::TempStorage;

    SIMT_INLINE BlockRadixSort(::simt::Site site = ::simt::Site::here())
        : BlockRadixSort(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockRadixSort(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : storage_(storage), site_(site) {}

    SIMT_INLINE void Sort(KeyT (&keys)[ITEMS_PER_THREAD], int begin_bit = 0, int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, less<false>(begin_bit, end_bit));
    }
    SIMT_INLINE void Sort(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD], int begin_bit = 0,
                          int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, values, less<false>(begin_bit, end_bit));
    }
    SIMT_INLINE void SortBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], int begin_bit = 0, int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, less<false>(begin_bit, end_bit));
        stripe(keys);
    }
    SIMT_INLINE void SortBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD],
                                          int begin_bit = 0, int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, values, less<false>(begin_bit, end_bit));
        stripe(keys);
        stripe(values);
    }
    SIMT_INLINE void SortDescending(KeyT (&keys)[ITEMS_PER_THREAD], int begin_bit = 0, int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, less<true>(begin_bit, end_bit));
    }
    SIMT_INLINE void SortDescending(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD],
                                    int begin_bit = 0, int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, values, less<true>(begin_bit, end_bit));
    }
    SIMT_INLINE void SortDescendingBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], int begin_bit = 0,
                                                    int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, less<true>(begin_bit, end_bit));
        stripe(keys);
    }
    SIMT_INLINE void SortDescendingBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD],
                                                    int begin_bit = 0, int end_bit = every_bit) {
        Sorter(storage_, site_).Sort(keys, values, less<true>(begin_bit, end_bit));
        stripe(keys);
        stripe(values);
    }

private:
    template <bool descending>
    static auto less(int begin_bit, int end_bit) {
        return [=](const KeyT& a, const KeyT& b) {
            return simt_parts::ordered_bits(a, begin_bit, end_bit, descending) <
                   simt_parts::ordered_bits(b, begin_bit, end_bit, descending);
        };
    }

    template <typename T>
    SIMT_INLINE void stripe(T (&items)[ITEMS_PER_THREAD]) {
        auto& room = reinterpret_cast<simt_parts::Slots<T, count>&>(storage_);
        ::__syncthreads(site_);
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) room.put(simt_parts::thread_rank() * ITEMS_PER_THREAD + i, items[i]);
        ::__syncthreads(site_);
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) items[i] = room[i * threads + simt_parts::thread_rank()];
    }

    TempStorage& storage_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
