// SPDX-License-Identifier: MIT
// Cooperative groups: blocks, grids, tiles, and groups of coalesced lanes.
//
// Not offered: clusters, and groups that span devices.
#pragma once

#include "cuda_runtime.h"
#include "simt/tile.hpp"
#include "simt/warp.hpp"

namespace cooperative_groups {

// ---- groups of lanes of one warp: the common part of tiles and coalesced groups

inline namespace SIMT_FLAVOR {

#define SIMT_SITE ::simt::Site site = ::simt::Site::here()

/// The value that lane `source` of the warp gives: any trivially copyable type, in pieces of 8 bytes.
template <typename T>
SIMT_INLINE T move_between_lanes(unsigned mask, const T& value, unsigned source, ::simt::Site site) {
    if constexpr (sizeof(T) <= 8) {
        return ::simt::value_of_lane(mask, value, source, site);
    } else {
        constexpr unsigned pieces = (sizeof(T) + 7) / 8;
        unsigned long long bits[pieces] = {};
        __builtin_memcpy(bits, &value, sizeof value);
        for (unsigned long long& piece : bits) piece = ::simt::value_of_lane(mask, piece, source, site);
        T moved;
        __builtin_memcpy(static_cast<void*>(&moved), bits, sizeof moved);
        return moved;
    }
}

/// The values that the lanes of a group give, by lane.
template <typename T>
class LaneValues {
public:
    SIMT_UNCHECKED LaneValues(unsigned mask, const T& value, ::simt::Site site) {
        unsigned long long bits[pieces] = {};
        __builtin_memcpy(bits, &value, sizeof value);
        for (unsigned piece = 0; piece < pieces; ++piece) {
            const unsigned long long* all = ::simt::exchange(mask, bits[piece], site);
            for (unsigned lane = 0; lane < 32; ++lane) bits_[lane][piece] = all[lane];
        }
        present_ = mask & ::simt::present_lanes();
    }

    SIMT_INLINE T operator[](unsigned lane) const {
        T value;
        __builtin_memcpy(static_cast<void*>(&value), bits_[lane], sizeof value);
        return value;
    }

    /// The lanes that gave a value.
    SIMT_INLINE unsigned present() const { return present_; }

private:
    static constexpr unsigned pieces = (sizeof(T) + 7) / 8;
    unsigned long long bits_[32][pieces];
    unsigned present_;
};

/// Members are ranked by lane. Group provides lanes(), the mask of its members; ranks in the results of votes are bits
/// counted from the first member.
template <typename Group>
class LaneGroup {
public:
    SIMT_INLINE unsigned thread_rank() const {
        return __builtin_popcount(members() & ((1u << ::simt::lane_in_warp()) - 1));
    }

    SIMT_INLINE void sync(SIMT_SITE) const { ::simt::warp_barrier(members(), site); }
    /// A barrier in two halves: here all waiting happens in the second.
    SIMT_INLINE void barrier_arrive() const {}
    SIMT_INLINE void barrier_wait(SIMT_SITE) const { sync(site); }

    template <typename T>
    SIMT_INLINE T shfl(T value, int source_rank, SIMT_SITE) const {
        return move_between_lanes(members(), value, lane_of(static_cast<unsigned>(source_rank) % member_count()), site);
    }

    template <typename T>
    SIMT_INLINE T shfl_up(T value, unsigned delta, SIMT_SITE) const {
        const unsigned rank = thread_rank();
        return move_between_lanes(members(), value, lane_of(delta > rank ? rank : rank - delta), site);
    }

    template <typename T>
    SIMT_INLINE T shfl_down(T value, unsigned delta, SIMT_SITE) const {
        const unsigned rank = thread_rank();
        const unsigned source = delta >= member_count() - rank ? rank : rank + delta;
        return move_between_lanes(members(), value, lane_of(source), site);
    }

    template <typename T>
    SIMT_INLINE T shfl_xor(T value, unsigned rank_mask, SIMT_SITE) const {
        const unsigned rank = thread_rank();
        const unsigned source = rank ^ rank_mask;
        return move_between_lanes(members(), value, lane_of(source < member_count() ? source : rank), site);
    }

    SIMT_INLINE int any(int predicate, SIMT_SITE) const { return ::simt::vote(members(), predicate != 0, site) != 0; }
    SIMT_INLINE int all(int predicate, SIMT_SITE) const { return ::simt::vote(members(), predicate == 0, site) == 0; }
    SIMT_INLINE unsigned ballot(int predicate, SIMT_SITE) const {
        return by_rank(::simt::vote(members(), predicate != 0, site));
    }

    template <typename T>
    SIMT_INLINE unsigned match_any(T value, SIMT_SITE) const {
        return by_rank(::simt::lanes_with_same_value(members(), value, site));
    }

    template <typename T>
    SIMT_INLINE unsigned match_all(T value, int& all_equal, SIMT_SITE) const {
        return by_rank(__match_all_sync(members(), value, &all_equal, site));
    }

private:
    SIMT_INLINE unsigned members() const { return static_cast<const Group*>(this)->lanes(); }
    SIMT_INLINE unsigned member_count() const { return static_cast<unsigned>(__builtin_popcount(members())); }

    // The lane of the member with this rank.
    SIMT_INLINE unsigned lane_of(unsigned rank) const {
        unsigned left = members();
        for (; rank > 0; --rank) left &= left - 1;
        return static_cast<unsigned>(__builtin_ctz(left));
    }

    // Moves the members' bits together: the first member's becomes bit 0.
    SIMT_INLINE unsigned by_rank(unsigned lane_bits) const {
        unsigned result = 0, position = 0;
        for (unsigned left = members(); left; left &= left - 1, ++position) {
            if (lane_bits & left & -left) result |= 1u << position;
        }
        return result;
    }
};

// ---- groups

/// Any group, when its kind is only known at run time: a block or some lanes of a warp.
class thread_group {
public:
    SIMT_INLINE unsigned size() const { return is_block_ ? ::simt::threads_per_block() : __builtin_popcount(lanes_); }
    SIMT_INLINE unsigned num_threads() const { return size(); }
    SIMT_INLINE unsigned thread_rank() const {
        if (is_block_) return ::simt::thread_rank();
        return __builtin_popcount(lanes_ & ((1u << ::simt::lane_in_warp()) - 1));
    }
    SIMT_INLINE bool is_valid() const { return true; }
    SIMT_INLINE void sync(SIMT_SITE) const {
        if (is_block_) {
            ::simt::block_barrier(site);
        } else {
            ::simt::warp_barrier(lanes_, site);
        }
    }

    /// The lane mask of a group within a warp; for a block, of its lanes in this warp.
    SIMT_INLINE unsigned lanes() const { return lanes_; }

protected:
    SIMT_INLINE thread_group(bool is_block, unsigned lanes) : is_block_(is_block), lanes_(lanes) {}

    friend thread_group tiled_partition(const thread_group& parent, unsigned tile_size);

private:
    bool is_block_;
    unsigned lanes_;
};

class thread_block : public thread_group {
public:
    SIMT_INLINE thread_block() : thread_group(true, ::simt::every_lane) {}

    static SIMT_INLINE unsigned size() { return ::simt::threads_per_block(); }
    static SIMT_INLINE unsigned num_threads() { return size(); }
    static SIMT_INLINE unsigned thread_rank() { return ::simt::thread_rank(); }
    static SIMT_INLINE dim3 group_index() { return ::simt::block_index(); }
    static SIMT_INLINE dim3 thread_index() { return ::simt::thread_index(); }
    static SIMT_INLINE dim3 group_dim() { return ::simt::block_dim(); }
    static SIMT_INLINE dim3 dim_threads() { return group_dim(); }

    static SIMT_INLINE void sync(SIMT_SITE) { ::simt::block_barrier(site); }
    /// A barrier in two halves: here all waiting happens in the second.
    struct arrival_token {};
    static SIMT_INLINE arrival_token barrier_arrive() { return {}; }
    static SIMT_INLINE void barrier_wait(arrival_token&&, SIMT_SITE) { sync(site); }
};

SIMT_INLINE thread_block this_thread_block() { return {}; }

/// Memory that large tiles need on some GPUs, and not here.
template <unsigned max_block_size = 1024>
struct block_tile_memory {
    char unused[32 * (max_block_size / 32)];
};
template <unsigned max_block_size>
SIMT_INLINE thread_block this_thread_block(block_tile_memory<max_block_size>&) {
    return {};
}

class grid_group {
public:
    /// False in a launch that is not cooperative.
    SIMT_INLINE bool is_valid() const { return ::simt::is_cooperative(); }
    SIMT_INLINE void sync(SIMT_SITE) const { ::simt::grid_barrier(site); }
    struct arrival_token {};
    SIMT_INLINE arrival_token barrier_arrive() const { return {}; }
    SIMT_INLINE void barrier_wait(arrival_token&&, SIMT_SITE) const { sync(site); }

    SIMT_INLINE unsigned long long block_rank() const {
        const uint3 block = ::simt::block_index();
        const dim3 grid = ::simt::grid_dim();
        const unsigned long long rows = block.y + static_cast<unsigned long long>(grid.y) * block.z;
        return block.x + grid.x * rows;
    }
    SIMT_INLINE unsigned long long num_blocks() const {
        const dim3 grid = ::simt::grid_dim();
        return static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
    }
    SIMT_INLINE unsigned long long thread_rank() const {
        return block_rank() * ::simt::threads_per_block() + ::simt::thread_rank();
    }
    SIMT_INLINE unsigned long long num_threads() const { return num_blocks() * ::simt::threads_per_block(); }
    SIMT_INLINE unsigned long long size() const { return num_threads(); }
    SIMT_INLINE dim3 group_dim() const { return ::simt::grid_dim(); }
    SIMT_INLINE dim3 dim_blocks() const { return ::simt::grid_dim(); }
    SIMT_INLINE dim3 block_index() const { return ::simt::block_index(); }
    SIMT_INLINE dim3 dim_threads() const { return ::simt::block_dim(); }
    SIMT_INLINE dim3 thread_index() const { return ::simt::thread_index(); }
};

SIMT_INLINE grid_group this_grid() { return {}; }

/// The lanes of a warp that reached this call together, or a part of another group.
class coalesced_group : public thread_group, public LaneGroup<coalesced_group> {
public:
    SIMT_INLINE explicit coalesced_group(unsigned lanes, unsigned meta_rank = 0, unsigned meta_size = 1)
        : thread_group(false, lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}

    using LaneGroup::sync;
    using LaneGroup::thread_rank;
    using thread_group::lanes;
    /// The index of this group among the parts of its parent, and their number.
    SIMT_INLINE unsigned meta_group_rank() const { return meta_rank_; }
    SIMT_INLINE unsigned meta_group_size() const { return meta_size_; }

private:
    unsigned meta_rank_, meta_size_;
};

SIMT_INLINE coalesced_group coalesced_threads(SIMT_SITE) { return coalesced_group(::simt::active_lanes(site)); }

/// A single thread as a group.
SIMT_INLINE coalesced_group this_thread() { return coalesced_group(1u << ::simt::lane_in_warp()); }

/// The parent of a tile; if it was not kept in the type, the block.
template <typename Parent>
struct ParentOfTile {
    static SIMT_INLINE unsigned thread_rank() { return Parent::thread_rank(); }
    static SIMT_INLINE unsigned size() { return Parent::size(); }
};
template <>
struct ParentOfTile<void> : ParentOfTile<thread_block> {};

/// The index of a tile in its parent, and their number.
template <unsigned tile_size, typename Parent>
class PlaceOfTile {
public:
    SIMT_INLINE PlaceOfTile()
        : meta_rank_(ParentOfTile<Parent>::thread_rank() / tile_size),
          meta_size_((ParentOfTile<Parent>::size() + tile_size - 1) / tile_size) {}
    SIMT_INLINE PlaceOfTile(unsigned rank, unsigned size) : meta_rank_(rank), meta_size_(size) {}

    static SIMT_INLINE unsigned thread_rank() { return ::simt::thread_rank() % tile_size; }
    static constexpr unsigned size() { return tile_size; }
    static constexpr unsigned num_threads() { return tile_size; }
    SIMT_INLINE unsigned meta_group_rank() const { return meta_rank_; }
    SIMT_INLINE unsigned meta_group_size() const { return meta_size_; }

private:
    unsigned meta_rank_, meta_size_;
};

/// `tile_size` neighboring threads of a block or of a larger tile, a power of two up to 512. Up to a warp:
template <unsigned tile_size, typename Parent = void, bool is_large = (tile_size > 32)>
class thread_block_tile : public thread_group,
                          public PlaceOfTile<tile_size, Parent>,
                          public LaneGroup<thread_block_tile<tile_size, Parent, is_large>> {
    static_assert(tile_size >= 1 && (tile_size & (tile_size - 1)) == 0,
                  "tiles have 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");
    using Lanes = LaneGroup<thread_block_tile<tile_size, Parent, is_large>>;
    using Place = PlaceOfTile<tile_size, Parent>;

public:
    SIMT_INLINE thread_block_tile() : thread_group(false, lanes_of_this_tile()) {}
    template <typename OtherParent>
    SIMT_INLINE thread_block_tile(const thread_block_tile<tile_size, OtherParent>& other)
        : thread_group(false, lanes_of_this_tile()), Place(other.meta_group_rank(), other.meta_group_size()) {}

    using Lanes::sync;
    using Place::num_threads;
    using Place::size;
    using Place::thread_rank;
    using thread_group::lanes;

private:
    static SIMT_INLINE unsigned lanes_of_this_tile() {
        if (tile_size == 32) return ::simt::every_lane;
        const unsigned first = ::simt::lane_in_warp() / tile_size * tile_size;
        return ((1u << tile_size % 32) - 1) << first;
    }
};

/// Tiles of more than a warp.
template <unsigned tile_size, typename Parent>
class thread_block_tile<tile_size, Parent, true> : public PlaceOfTile<tile_size, Parent> {
    static_assert(tile_size <= 512 && (tile_size & (tile_size - 1)) == 0,
                  "tiles have 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");
    using Place = PlaceOfTile<tile_size, Parent>;

public:
    SIMT_INLINE thread_block_tile() = default;
    template <typename OtherParent>
    SIMT_INLINE thread_block_tile(const thread_block_tile<tile_size, OtherParent>& other)
        : Place(other.meta_group_rank(), other.meta_group_size()) {}

    static SIMT_INLINE void sync(SIMT_SITE) { ::simt::tile_barrier(tile_size, site); }
    /// A barrier in two halves: here all waiting happens in the second.
    struct arrival_token {};
    static SIMT_INLINE arrival_token barrier_arrive() { return {}; }
    static SIMT_INLINE void barrier_wait(arrival_token&&, SIMT_SITE) { sync(site); }

    template <typename T>
    SIMT_INLINE T shfl(const T& value, int source_rank, SIMT_SITE) const {
        return ::simt::TileValues<T>(tile_size, value, site)[static_cast<unsigned>(source_rank) % tile_size];
    }
    SIMT_INLINE int any(int predicate, SIMT_SITE) const { return count(predicate != 0, site) != 0; }
    SIMT_INLINE int all(int predicate, SIMT_SITE) const { return count(predicate != 0, site) == tile_size; }

    /// The first `last` values combined, lowest rank first.
    template <typename T, typename Operation>
    SIMT_INLINE T combine(const T& value, unsigned last, Operation&& operation, ::simt::Site site) const {
        const ::simt::TileValues<T> values(tile_size, value, site);
        if (last == 0) return T{};
        T result = values[0];
        for (unsigned rank = 1; rank < last; ++rank) result = operation(result, values[rank]);
        return result;
    }

private:
    SIMT_INLINE unsigned count(bool predicate, ::simt::Site site) const {
        return combine(
            static_cast<unsigned>(predicate), tile_size, [](unsigned a, unsigned b) { return a + b; }, site);
    }
};

template <typename Group>
constexpr bool spans_warps = false;
template <unsigned tile_size, typename Parent>
inline constexpr bool spans_warps<thread_block_tile<tile_size, Parent, true>> = true;

template <unsigned tile_size, typename Parent>
SIMT_INLINE thread_block_tile<tile_size, Parent> tiled_partition(const Parent&) {
    return {};
}

SIMT_INLINE void expect_tile_size(unsigned tile_size) {
    const bool is_tile = tile_size >= 1 && tile_size <= 32 && (tile_size & (tile_size - 1)) == 0;
    if (!is_tile) ::simt::fail_lane("tiled_partition: tiles have 1, 2, 4, 8, 16 or 32 threads");
}

SIMT_INLINE thread_group tiled_partition(const thread_group& parent, unsigned tile_size) {
    expect_tile_size(tile_size);
    if (parent.is_block_) {
        const unsigned first = ::simt::lane_in_warp() / tile_size * tile_size;
        return {false, tile_size >= 32 ? ::simt::every_lane : ((1u << tile_size) - 1) << first};
    }
    // A tile of lanes that need not be neighbors: the members whose rank falls in the same tile.
    unsigned tile = 0, rank = 0;
    const unsigned own_tile = parent.thread_rank() / tile_size;
    for (unsigned left = parent.lanes_; left; left &= left - 1, ++rank) {
        if (rank / tile_size == own_tile) tile |= left & -left;
    }
    return {false, tile};
}

SIMT_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned tile_size) {
    const thread_group tile = tiled_partition(static_cast<const thread_group&>(parent), tile_size);
    if (parent.size() <= tile_size) return parent;
    return coalesced_group(tile.lanes(), parent.thread_rank() / tile_size, (parent.size() + tile_size - 1) / tile_size);
}

/// Splits a group in two by a predicate: the second part is where it holds. Every member must call it.
template <typename Group>
SIMT_INLINE coalesced_group binary_partition(const Group& group, bool predicate, SIMT_SITE) {
    const unsigned holds = ::simt::vote(group.lanes(), predicate, site);
    const unsigned present = group.lanes() & ::simt::present_lanes();
    if (holds == 0 || holds == present) return coalesced_group(present);
    return coalesced_group(predicate ? holds : present & ~holds, predicate ? 1 : 0, 2);
}

/// One group per label, in the order of their first lanes.
template <typename Group, typename Label>
SIMT_INLINE coalesced_group labeled_partition(const Group& group, Label label, SIMT_SITE) {
    const unsigned lanes = ::simt::lanes_with_same_value(group.lanes(), label, site), first = lanes & -lanes;
    const unsigned first_lanes = ::simt::vote(group.lanes(), first == 1u << ::simt::lane_in_warp(), site);
    return coalesced_group(lanes, __builtin_popcount(first_lanes & (first - 1)), __builtin_popcount(first_lanes));
}
template <typename Group>
SIMT_INLINE coalesced_group labeled_partition(const Group& group, bool label, SIMT_SITE) {
    return binary_partition(group, label, site);
}

template <typename Group>
SIMT_INLINE void sync(const Group& group, SIMT_SITE) {
    group.sync(site);
}
template <typename Group>
SIMT_INLINE auto thread_rank(const Group& group) {
    return group.thread_rank();
}
template <typename Group>
SIMT_INLINE auto group_size(const Group& group) {
    return group.size();
}
template <typename Group>
SIMT_INLINE auto num_threads(const Group& group) {
    return group.num_threads();
}

/// One thread of the group calls the function; the others do not wait, or (_broadcast) wait and get its result.
template <typename Group, typename Function, typename... Arguments>
SIMT_INLINE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
    if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <typename Group, typename Function, typename... Arguments>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
    decltype(function(static_cast<Arguments&&>(arguments)...)) result = {};
    if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
    return group.shfl(result, 0);
}

}  // namespace SIMT_FLAVOR
}  // namespace cooperative_groups

namespace simt {
using ThreadBlock = ::cooperative_groups::thread_block;  // as rewritten programs name it
}

#include "cooperative_groups/memcpy_async.h"
#undef SIMT_SITE
