// SPDX-License-Identifier: MIT
// Differences of neighboring items over a block, in blocked arrangement. The item at the edge stays as it is.
#pragma once

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockAdjacentDifference {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    struct TempStorage {
        simt_parts::Slots<T, threads> edges;
    };

    SIMT_INLINE BlockAdjacentDifference(::simt::Site site = ::simt::Site::here())
        : BlockAdjacentDifference(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockAdjacentDifference(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : storage_(storage), site_(site) {}

    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void SubtractLeft(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op) {
        left(input, output, difference_op, threads * N, nullptr);
    }
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void SubtractLeft(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op,
                                  T tile_predecessor_item) {
        left(input, output, difference_op, threads * N, &tile_predecessor_item);
    }
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void SubtractLeftPartialTile(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op,
                                             int valid_items) {
        left(input, output, difference_op, valid_items, nullptr);
    }
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void SubtractLeftPartialTile(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op,
                                             int valid_items, T tile_predecessor_item) {
        left(input, output, difference_op, valid_items, &tile_predecessor_item);
    }
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void SubtractRight(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op) {
        right(input, output, difference_op, threads * N, nullptr);
    }
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void SubtractRight(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op,
                                   T tile_successor_item) {
        right(input, output, difference_op, threads * N, &tile_successor_item);
    }
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void SubtractRightPartialTile(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op,
                                              int valid_items) {
        right(input, output, difference_op, valid_items, nullptr);
    }

private:
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void left(T (&input)[N], OutputT (&output)[N], DifferenceOpT& difference_op, int valid,
                          const T* before) {
        const int rank = simt_parts::thread_rank();
        storage_.edges.put(rank, input[N - 1]);
        ::__syncthreads(site_);
        for (int i = N - 1; i >= 0; --i) {
            const int at = rank * N + i;
            T own = input[i];
            if (at >= valid || (at == 0 && !before)) {
                output[i] = own;
            } else {
                T previous = i > 0 ? input[i - 1] : rank > 0 ? storage_.edges[rank - 1] : *before;
                output[i] = difference_op(own, previous);
            }
        }
    }
    template <int N, typename OutputT, typename DifferenceOpT>
    SIMT_INLINE void right(T (&input)[N], OutputT (&output)[N], DifferenceOpT& difference_op, int valid,
                           const T* behind) {
        const int rank = simt_parts::thread_rank();
        storage_.edges.put(rank, input[0]);
        ::__syncthreads(site_);
        for (int i = 0; i < N; ++i) {
            const int at = rank * N + i;
            T own = input[i];
            if (at + 1 > valid || (at + 1 == valid && !behind)) {
                output[i] = own;
            } else {
                T next = i + 1 < N ? input[i + 1] : rank + 1 < threads ? storage_.edges[rank + 1] : *behind;
                output[i] = difference_op(own, next);
            }
        }
    }

    TempStorage& storage_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
