// SPDX-License-Identifier: MIT
// The threads of a block load consecutive items.
#pragma once

#include "../../simt/cub.hpp"
#include "../iterator/cache_modified_input_iterator.cuh"

CUB_NAMESPACE_OPEN

template <typename T, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectBlocked(int linear_tid, RandomAccessIterator block_src_it,
                                   T (&dst_items)[ITEMS_PER_THREAD]) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) dst_items[i] = block_src_it[linear_tid * ITEMS_PER_THREAD + i];
}
template <typename T, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectBlocked(int linear_tid, RandomAccessIterator block_src_it, T (&dst_items)[ITEMS_PER_THREAD],
                                   int block_items_end) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid * ITEMS_PER_THREAD + i;
        if (at < block_items_end) dst_items[i] = block_src_it[at];
    }
}
template <typename T, typename DefaultT, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectBlocked(int linear_tid, RandomAccessIterator block_src_it, T (&dst_items)[ITEMS_PER_THREAD],
                                   int block_items_end, DefaultT oob_default) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid * ITEMS_PER_THREAD + i;
        if (at < block_items_end) {
            dst_items[i] = block_src_it[at];
        } else {
            dst_items[i] = oob_default;
        }
    }
}

template <int BLOCK_THREADS, typename T, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectStriped(int linear_tid, RandomAccessIterator block_src_it,
                                   T (&dst_items)[ITEMS_PER_THREAD]) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) dst_items[i] = block_src_it[linear_tid + i * BLOCK_THREADS];
}
template <int BLOCK_THREADS, typename T, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectStriped(int linear_tid, RandomAccessIterator block_src_it, T (&dst_items)[ITEMS_PER_THREAD],
                                   int block_items_end) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid + i * BLOCK_THREADS;
        if (at < block_items_end) dst_items[i] = block_src_it[at];
    }
}
template <int BLOCK_THREADS, typename T, typename DefaultT, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectStriped(int linear_tid, RandomAccessIterator block_src_it, T (&dst_items)[ITEMS_PER_THREAD],
                                   int block_items_end, DefaultT oob_default) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid + i * BLOCK_THREADS;
        if (at < block_items_end) {
            dst_items[i] = block_src_it[at];
        } else {
            dst_items[i] = oob_default;
        }
    }
}

template <typename T, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectWarpStriped(int linear_tid, RandomAccessIterator block_src_it,
                                       T (&dst_items)[ITEMS_PER_THREAD]) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i)
        dst_items[i] = block_src_it[linear_tid / 32 * 32 * ITEMS_PER_THREAD + i * 32 + linear_tid % 32];
}
template <typename T, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectWarpStriped(int linear_tid, RandomAccessIterator block_src_it,
                                       T (&dst_items)[ITEMS_PER_THREAD], int block_items_end) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid / 32 * 32 * ITEMS_PER_THREAD + i * 32 + linear_tid % 32;
        if (at < block_items_end) dst_items[i] = block_src_it[at];
    }
}
template <typename T, typename DefaultT, int ITEMS_PER_THREAD, typename RandomAccessIterator>
SIMT_INLINE void LoadDirectWarpStriped(int linear_tid, RandomAccessIterator block_src_it,
                                       T (&dst_items)[ITEMS_PER_THREAD], int block_items_end, DefaultT oob_default) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        const int at = linear_tid / 32 * 32 * ITEMS_PER_THREAD + i * 32 + linear_tid % 32;
        if (at < block_items_end) {
            dst_items[i] = block_src_it[at];
        } else {
            dst_items[i] = oob_default;
        }
    }
}

template <typename T, int ITEMS_PER_THREAD>
SIMT_INLINE void LoadDirectBlockedVectorized(int linear_tid, T* block_src_ptr, T (&dst_items)[ITEMS_PER_THREAD]) {
    LoadDirectBlocked(linear_tid, block_src_ptr, dst_items);
}

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

/// (Transpositions differ in how a GPU gets at the same items.)
template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockLoad {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    struct TempStorage {
        unsigned char unused;
    };

    SIMT_INLINE BlockLoad() = default;
    SIMT_INLINE BlockLoad(TempStorage&) {}

    template <typename RandomAccessIterator, typename... Bounds>
    SIMT_INLINE void Load(RandomAccessIterator block_src_it, T (&dst_items)[ITEMS_PER_THREAD], Bounds... bounds) {
        const int rank = simt_parts::thread_rank();
        if constexpr (ALGORITHM == BLOCK_LOAD_STRIPED) {
            LoadDirectStriped<threads>(rank, block_src_it, dst_items, bounds...);
        } else {
            LoadDirectBlocked(rank, block_src_it, dst_items, bounds...);
        }
    }
};

CUB_NAMESPACE_CLOSE
