// SPDX-License-Identifier: MIT
// Counts of the items of a block, by their values.
#pragma once

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, int BINS,
          BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockHistogram {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, count = threads * ITEMS_PER_THREAD;

public:
    struct TempStorage {
        simt_parts::Slots<T, count> items;
    };

    SIMT_INLINE BlockHistogram(::simt::Site site = ::simt::Site::here())
        : BlockHistogram(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockHistogram(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : storage_(storage), site_(site) {}

    template <typename CounterT>
    SIMT_INLINE void InitHistogram(CounterT histogram[BINS]) {
        for (int bin = simt_parts::thread_rank(); bin < BINS; bin += threads) histogram[bin] = 0;
    }
    template <typename CounterT>
    SIMT_INLINE void Histogram(T (&items)[ITEMS_PER_THREAD], CounterT histogram[BINS]) {
        InitHistogram(histogram);
        Composite(items, histogram);
    }
    template <typename CounterT>
    SIMT_INLINE void Composite(T (&items)[ITEMS_PER_THREAD], CounterT histogram[BINS]) {
        const int first = simt_parts::thread_rank() * ITEMS_PER_THREAD;
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) storage_.items.put(first + i, items[i]);
        ::__syncthreads(site_);
        if (simt_parts::thread_rank() != 0) return;
        for (int i = 0; i < count; ++i) ++histogram[storage_.items[i]];
    }

private:
    TempStorage& storage_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
