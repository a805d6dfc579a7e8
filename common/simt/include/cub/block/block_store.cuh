// SPDX-License-Identifier: MIT
// The threads of a block store consecutive items.
#pragma once

#include "../../simt/cub.hpp"

CUB_NAMESPACE_OPEN

template <typename T, int ITEMS_PER_THREAD, typename OutputIteratorT>
SIMT_INLINE void StoreDirectBlocked(int linear_tid, OutputIteratorT block_itr, T (&items)[ITEMS_PER_THREAD]) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) block_itr[linear_tid * ITEMS_PER_THREAD + i] = items[i];
}
template <typename T, int ITEMS_PER_THREAD, typename OutputIteratorT>
SIMT_INLINE void StoreDirectBlocked(int linear_tid, OutputIteratorT block_itr, T (&items)[ITEMS_PER_THREAD],
                                    int valid_items) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid * ITEMS_PER_THREAD + i;
        if (at < valid_items) block_itr[at] = items[i];
    }
}

template <int BLOCK_THREADS, typename T, int ITEMS_PER_THREAD, typename OutputIteratorT>
SIMT_INLINE void StoreDirectStriped(int linear_tid, OutputIteratorT block_itr, T (&items)[ITEMS_PER_THREAD]) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) block_itr[linear_tid + i * BLOCK_THREADS] = items[i];
}
template <int BLOCK_THREADS, typename T, int ITEMS_PER_THREAD, typename OutputIteratorT>
SIMT_INLINE void StoreDirectStriped(int linear_tid, OutputIteratorT block_itr, T (&items)[ITEMS_PER_THREAD],
                                    int valid_items) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid + i * BLOCK_THREADS;
        if (at < valid_items) block_itr[at] = items[i];
    }
}

template <typename T, int ITEMS_PER_THREAD, typename OutputIteratorT>
SIMT_INLINE void StoreDirectWarpStriped(int linear_tid, OutputIteratorT block_itr, T (&items)[ITEMS_PER_THREAD]) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i)
        block_itr[linear_tid / 32 * 32 * ITEMS_PER_THREAD + i * 32 + linear_tid % 32] = items[i];
}
template <typename T, int ITEMS_PER_THREAD, typename OutputIteratorT>
SIMT_INLINE void StoreDirectWarpStriped(int linear_tid, OutputIteratorT block_itr, T (&items)[ITEMS_PER_THREAD],
                                        int valid_items) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid / 32 * 32 * ITEMS_PER_THREAD + i * 32 + linear_tid % 32;
        if (at < valid_items) block_itr[at] = items[i];
    }
}

template <typename T, int ITEMS_PER_THREAD>
SIMT_INLINE void StoreDirectBlockedVectorized(int linear_tid, T* block_ptr, T (&items)[ITEMS_PER_THREAD]) {
    StoreDirectBlocked(linear_tid, block_ptr, items);
}

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockStore {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    struct TempStorage {
        unsigned char unused;
    };

    SIMT_INLINE BlockStore() = default;
    SIMT_INLINE BlockStore(TempStorage&) {}

    template <typename OutputIteratorT, typename... Bound>
    SIMT_INLINE void Store(OutputIteratorT block_itr, T (&items)[ITEMS_PER_THREAD], Bound... valid_items) {
        const int rank = simt_parts::thread_rank();
        if constexpr (ALGORITHM == BLOCK_STORE_STRIPED) {
            StoreDirectStriped<threads>(rank, block_itr, items, valid_items...);
        } else {
            StoreDirectBlocked(rank, block_itr, items, valid_items...);
        }
    }
};

CUB_NAMESPACE_CLOSE
