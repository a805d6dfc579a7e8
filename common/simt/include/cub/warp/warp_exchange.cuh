// SPDX-License-Identifier: MIT
// Items that the threads of a logical warp hold change places.
#pragma once

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <typename InputT, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32,
          WarpExchangeAlgorithm WARP_EXCHANGE_ALGORITHM = WARP_EXCHANGE_SMEM>
class WarpExchange {
    using Warp = simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>;
    static constexpr int count = LOGICAL_WARP_THREADS * ITEMS_PER_THREAD;

public:
    struct TempStorage {
        simt_parts::Slots<InputT, count> items;
    };

    WarpExchange() = delete;
    SIMT_INLINE explicit WarpExchange(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : items_(storage.items), site_(site) {}

    template <typename OutputT>
    SIMT_INLINE void BlockedToStriped(const InputT (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD]) {
        move(input, output, blocked, striped);
    }
    template <typename OutputT>
    SIMT_INLINE void StripedToBlocked(const InputT (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD]) {
        move(input, output, striped, blocked);
    }
    template <typename OffsetT>
    SIMT_INLINE void ScatterToStriped(InputT (&items)[ITEMS_PER_THREAD], OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        ScatterToStriped(items, items, ranks);
    }
    template <typename OutputT, typename OffsetT>
    SIMT_INLINE void ScatterToStriped(const InputT (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD],
                                      OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        move(
            input, output, [&](int i) { return static_cast<int>(ranks[i]); }, striped);
    }

private:
    SIMT_INLINE static int blocked(int i) { return Warp::rank() * ITEMS_PER_THREAD + i; }
    SIMT_INLINE static int striped(int i) { return i * LOGICAL_WARP_THREADS + Warp::rank(); }

    template <typename OutputT, typename From, typename To>
    SIMT_INLINE void move(const InputT (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD], From from,
                          To to) {
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) items_.put(from(i), input[i]);
        Warp::sync(site_);
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) output[i] = items_[to(i)];
        if (WARP_EXCHANGE_ALGORITHM == WARP_EXCHANGE_SHUFFLE) Warp::sync(site_);  // it would use no memory
    }

    simt_parts::Slots<InputT, count>& items_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
