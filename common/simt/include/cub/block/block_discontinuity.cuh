// SPDX-License-Identifier: MIT
// Flags of items that differ from the one before (heads), or behind (tails), over a block in blocked arrangement.
#pragma once

#include <type_traits>

#include "../thread/thread_operators.cuh"

CUB_NAMESPACE_OPEN

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockDiscontinuity {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    struct TempStorage {
        simt_parts::Slots<T, threads> firsts, lasts;
    };

    SIMT_INLINE BlockDiscontinuity(::simt::Site site = ::simt::Site::here())
        : BlockDiscontinuity(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockDiscontinuity(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : storage_(storage), site_(site) {}

    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeads(FlagT (&head_flags)[N], T (&input)[N], FlagOp flag_op) {
        share(input);
        heads(head_flags, input, flag_op, nullptr);
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeads(FlagT (&head_flags)[N], T (&input)[N], FlagOp flag_op, T tile_predecessor_item) {
        share(input);
        heads(head_flags, input, flag_op, &tile_predecessor_item);
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeads(FlagT (&head_flags)[N], T (&input)[N], T (&preds)[N], FlagOp flag_op) {
        share(input);
        predecessors(input, preds);
        heads(head_flags, input, flag_op, nullptr);
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeads(FlagT (&head_flags)[N], T (&input)[N], T (&preds)[N], FlagOp flag_op,
                               T tile_predecessor_item) {
        share(input);
        predecessors(input, preds);
        if (simt_parts::thread_rank() == 0) preds[0] = tile_predecessor_item;
        heads(head_flags, input, flag_op, &tile_predecessor_item);
    }

    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagTails(FlagT (&tail_flags)[N], T (&input)[N], FlagOp flag_op) {
        share(input);
        tails(tail_flags, input, flag_op, nullptr);
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagTails(FlagT (&tail_flags)[N], T (&input)[N], FlagOp flag_op, T tile_successor_item) {
        share(input);
        tails(tail_flags, input, flag_op, &tile_successor_item);
    }

    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeadsAndTails(FlagT (&head_flags)[N], FlagT (&tail_flags)[N], T (&input)[N], FlagOp flag_op) {
        share(input);
        heads(head_flags, input, flag_op, nullptr);
        tails(tail_flags, input, flag_op, nullptr);
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeadsAndTails(FlagT (&head_flags)[N], FlagT (&tail_flags)[N], T tile_successor_item,
                                       T (&input)[N], FlagOp flag_op) {
        share(input);
        heads(head_flags, input, flag_op, nullptr);
        tails(tail_flags, input, flag_op, &tile_successor_item);
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeadsAndTails(FlagT (&head_flags)[N], T tile_predecessor_item, FlagT (&tail_flags)[N],
                                       T (&input)[N], FlagOp flag_op) {
        share(input);
        heads(head_flags, input, flag_op, &tile_predecessor_item);
        tails(tail_flags, input, flag_op, nullptr);
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void FlagHeadsAndTails(FlagT (&head_flags)[N], T tile_predecessor_item, FlagT (&tail_flags)[N],
                                       T tile_successor_item, T (&input)[N], FlagOp flag_op) {
        share(input);
        heads(head_flags, input, flag_op, &tile_predecessor_item);
        tails(tail_flags, input, flag_op, &tile_successor_item);
    }

private:
    template <int N>
    SIMT_INLINE void share(T (&input)[N]) {
        storage_.firsts.put(simt_parts::thread_rank(), input[0]);
        storage_.lasts.put(simt_parts::thread_rank(), input[N - 1]);
        ::__syncthreads(site_);
    }

    template <int N>
    SIMT_INLINE void predecessors(T (&input)[N], T (&preds)[N]) {
        const int rank = simt_parts::thread_rank();
        for (int i = N - 1; i > 0; --i) preds[i] = input[i - 1];
        if (rank > 0) preds[0] = storage_.lasts[rank - 1];
    }

    /// The operator may ask for the index of the later item.
    template <typename FlagOp>
    SIMT_INLINE static bool differs(FlagOp& flag_op, const T& a, const T& b, int index) {
        if constexpr (std::is_invocable_v<FlagOp&, const T&, const T&, int>) {
            return flag_op(a, b, index);
        } else {
            return flag_op(a, b);
        }
    }

    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void heads(FlagT (&flags)[N], T (&input)[N], FlagOp& flag_op, const T* before) {
        const int rank = simt_parts::thread_rank();
        for (int i = 0; i < N; ++i) {
            const T* const previous = i > 0 ? &input[i - 1] : rank > 0 ? &storage_.lasts[rank - 1] : before;
            flags[i] = previous ? differs(flag_op, *previous, input[i], rank * N + i) : 1;
        }
    }
    template <int N, typename FlagT, typename FlagOp>
    SIMT_INLINE void tails(FlagT (&flags)[N], T (&input)[N], FlagOp& flag_op, const T* behind) {
        const int rank = simt_parts::thread_rank();
        for (int i = 0; i < N; ++i) {
            const T* const next = i + 1 < N ? &input[i + 1] : rank + 1 < threads ? &storage_.firsts[rank + 1] : behind;
            flags[i] = next ? differs(flag_op, input[i], *next, rank * N + i + 1) : 1;
        }
    }

    TempStorage& storage_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
