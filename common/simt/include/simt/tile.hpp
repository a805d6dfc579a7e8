// SPDX-License-Identifier: MIT
// Tiles of more than a warp: 64 to 512 neighboring threads of a block that wait for each other and exchange values.
#pragma once

#include "simt/wait.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

/// The running thread's tile of this size.
SIMT_UNCHECKED TileBarrier& tile_barrier_of(unsigned tile_size) {
    // Sixteen tiles of 64 threads, eight of 128, four of 256, two of 512.
    const unsigned first = tile_size == 64 ? 0 : tile_size == 128 ? 16 : tile_size == 256 ? 24 : 28;
    return tile_barriers[first + thread_rank() / tile_size];
}

/// Waits until all threads of the tile are here. The lanes of a block take turns on one thread of the processor, so the
/// counters need no atomic operations. No thread of the tile may have left the kernel.
SIMT_OUT_OF_LINE void tile_barrier(unsigned tile_size, Site site) {
    TileBarrier& barrier = tile_barrier_of(tile_size);
    const unsigned generation = barrier.generation;
    // For racecheck the arrivals of one generation and of the next are on two words, as for cuda::barrier.
    const unsigned* const word = &barrier.arrived[generation & 1];
    if constexpr (is_checked) check::meet_in_tile(word, true, site);
    if (++barrier.arrived[generation & 1] == tile_size) {
        barrier.arrived[generation & 1] = 0;
        ++barrier.generation;
    }
    while (barrier.generation == generation) yield(site, generation);
    note_change();
    if constexpr (is_checked) check::meet_in_tile(word, false, site);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/// The values that the threads of a tile give, by rank, between two barriers of the tile. They stay where each thread
/// keeps its own.
template <typename T>
class TileValues {
public:
    SIMT_INLINE TileValues(unsigned tile_size, const T& value, Site site) : tile_size_(tile_size), site_(site) {
        offer(&value);
        tile_barrier(tile_size_, site_);
    }
    SIMT_INLINE ~TileValues() { tile_barrier(tile_size_, site_); }
    TileValues(const TileValues&) = delete;
    TileValues& operator=(const TileValues&) = delete;

    SIMT_UNCHECKED T operator[](unsigned rank) const {
        const unsigned self = thread_rank(), other = self / tile_size_ * tile_size_ + rank;
        const Warp* const warp = current_warp - self / 32 + other / 32;
        T value;
        __builtin_memcpy(static_cast<void*>(&value), reinterpret_cast<void*>(warp->arriving->values[other % 32]),
                         sizeof value);
        return value;
    }

private:
    // (All lanes of this warp are in the tile, so none exchanges anything else.)
    SIMT_UNCHECKED void offer(const T* value) const {
        const Context* const self = waiting_lane(site_);
        current_warp->arriving->values[self->lane] = reinterpret_cast<unsigned long long>(value);
    }

    const unsigned tile_size_;
    const Site site_;
};

}  // namespace SIMT_FLAVOR
}  // namespace simt
