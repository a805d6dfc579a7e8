// SPDX-License-Identifier: MIT
// Items that the threads of a block hold change places.
#pragma once

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool WARP_TIME_SLICING = false, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockExchange {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, count = threads * ITEMS_PER_THREAD;

public:
    struct TempStorage {
        simt_parts::Slots<T, count> items;
    };

    SIMT_INLINE BlockExchange(::simt::Site site = ::simt::Site::here())
        : BlockExchange(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockExchange(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : storage_(storage), site_(site) {}

    template <typename OutputT>
    SIMT_INLINE void StripedToBlocked(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD]) {
        move(input, output, &striped, &blocked);
    }
    SIMT_INLINE void StripedToBlocked(T (&items)[ITEMS_PER_THREAD]) { StripedToBlocked(items, items); }
    template <typename OutputT>
    SIMT_INLINE void BlockedToStriped(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD]) {
        move(input, output, &blocked, &striped);
    }
    SIMT_INLINE void BlockedToStriped(T (&items)[ITEMS_PER_THREAD]) { BlockedToStriped(items, items); }
    template <typename OutputT>
    SIMT_INLINE void WarpStripedToBlocked(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD]) {
        move(input, output, &warp_striped, &blocked);
    }
    SIMT_INLINE void WarpStripedToBlocked(T (&items)[ITEMS_PER_THREAD]) { WarpStripedToBlocked(items, items); }
    template <typename OutputT>
    SIMT_INLINE void BlockedToWarpStriped(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD]) {
        move(input, output, &blocked, &warp_striped);
    }
    SIMT_INLINE void BlockedToWarpStriped(T (&items)[ITEMS_PER_THREAD]) { BlockedToWarpStriped(items, items); }

    template <typename OutputT, typename OffsetT>
    SIMT_INLINE void ScatterToBlocked(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD],
                                      OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        move(
            input, output, [&](int i) { return static_cast<int>(ranks[i]); }, &blocked);
    }
    template <typename OffsetT>
    SIMT_INLINE void ScatterToBlocked(T (&items)[ITEMS_PER_THREAD], OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        ScatterToBlocked(items, items, ranks);
    }
    template <typename OutputT, typename OffsetT>
    SIMT_INLINE void ScatterToStriped(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD],
                                      OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        move(
            input, output, [&](int i) { return static_cast<int>(ranks[i]); }, &striped);
    }
    template <typename OffsetT>
    SIMT_INLINE void ScatterToStriped(T (&items)[ITEMS_PER_THREAD], OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        ScatterToStriped(items, items, ranks);
    }
    /// Items whose rank is -1 go nowhere.
    template <typename OutputT, typename OffsetT>
    SIMT_INLINE void ScatterToStripedGuarded(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD],
                                             OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        move(
            input, output, [&](int i) { return static_cast<int>(ranks[i]); }, &striped,
            [&](int i) { return !(ranks[i] < OffsetT(0)) && ranks[i] != static_cast<OffsetT>(-1); });
    }
    template <typename OffsetT>
    SIMT_INLINE void ScatterToStripedGuarded(T (&items)[ITEMS_PER_THREAD], OffsetT (&ranks)[ITEMS_PER_THREAD]) {
        ScatterToStripedGuarded(items, items, ranks);
    }
    template <typename OutputT, typename OffsetT, typename ValidFlag>
    SIMT_INLINE void ScatterToStripedFlagged(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD],
                                             OffsetT (&ranks)[ITEMS_PER_THREAD],
                                             ValidFlag (&is_valid)[ITEMS_PER_THREAD]) {
        move(
            input, output, [&](int i) { return static_cast<int>(ranks[i]); }, &striped,
            [&](int i) { return static_cast<bool>(is_valid[i]); });
    }
    template <typename OffsetT, typename ValidFlag>
    SIMT_INLINE void ScatterToStripedFlagged(T (&items)[ITEMS_PER_THREAD], OffsetT (&ranks)[ITEMS_PER_THREAD],
                                             ValidFlag (&is_valid)[ITEMS_PER_THREAD]) {
        ScatterToStripedFlagged(items, items, ranks, is_valid);
    }

private:
    SIMT_INLINE static int blocked(int i) { return simt_parts::thread_rank() * ITEMS_PER_THREAD + i; }
    SIMT_INLINE static int striped(int i) { return i * threads + simt_parts::thread_rank(); }
    SIMT_INLINE static int warp_striped(int i) {
        const int rank = simt_parts::thread_rank(), first = rank / 32 * 32;
        const int lanes = threads - first < 32 ? threads - first : 32;
        return first * ITEMS_PER_THREAD + i * lanes + rank % 32;
    }
    SIMT_INLINE static bool always(int) { return true; }

    template <typename OutputT, typename From, typename To, typename Valid = bool (*)(int)>
    SIMT_INLINE void move(const T (&input)[ITEMS_PER_THREAD], OutputT (&output)[ITEMS_PER_THREAD], From from, To to,
                          Valid is_valid = &always) {
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
            if (is_valid(i)) storage_.items.put(from(i), input[i]);
        }
        ::__syncthreads(site_);
        for (int i = 0; i < ITEMS_PER_THREAD; ++i) output[i] = storage_.items[to(i)];
    }

    TempStorage& storage_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
