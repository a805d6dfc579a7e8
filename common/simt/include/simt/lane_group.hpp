// SPDX-License-Identifier: MIT
// Groups of lanes of one warp: the common part of tiles and coalesced groups in cooperative groups.
#pragma once

#include "warp.hpp"

namespace cooperative_groups {
inline namespace SIMT_FLAVOR {

#define SIMT_SITE ::simt::Site site = ::simt::Site::here()

// The value that lane `source` of the warp gives: any trivially copyable type, in pieces of 8 bytes.
template <class T>
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

// The values that the lanes of a group give, by lane.
template <class T>
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

    // The lanes that gave a value.
    SIMT_INLINE unsigned present() const { return present_; }

private:
    static constexpr unsigned pieces = (sizeof(T) + 7) / 8;
    unsigned long long bits_[32][pieces];
    unsigned present_;
};

// Members are ranked by lane. Group provides lanes(), the mask of its members; ranks in the results of votes are bits
// counted from the first member.
template <class Group>
class LaneGroup {
public:
    SIMT_INLINE unsigned thread_rank() const {
        return __builtin_popcount(members() & ((1u << ::simt::lane_in_warp()) - 1));
    }

    SIMT_INLINE void sync(SIMT_SITE) const { ::simt::warp_barrier(members(), site); }
    // A barrier in two halves: here all waiting happens in the second.
    SIMT_INLINE void barrier_arrive() const {}
    SIMT_INLINE void barrier_wait(SIMT_SITE) const { sync(site); }

    template <class T>
    SIMT_INLINE T shfl(T value, int source_rank, SIMT_SITE) const {
        return move_between_lanes(members(), value, lane_of(static_cast<unsigned>(source_rank) % member_count()), site);
    }

    template <class T>
    SIMT_INLINE T shfl_up(T value, unsigned delta, SIMT_SITE) const {
        const unsigned rank = thread_rank();
        return move_between_lanes(members(), value, lane_of(delta > rank ? rank : rank - delta), site);
    }

    template <class T>
    SIMT_INLINE T shfl_down(T value, unsigned delta, SIMT_SITE) const {
        const unsigned rank = thread_rank();
        const unsigned source = delta >= member_count() - rank ? rank : rank + delta;
        return move_between_lanes(members(), value, lane_of(source), site);
    }

    template <class T>
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

    template <class T>
    SIMT_INLINE unsigned match_any(T value, SIMT_SITE) const {
        return by_rank(::simt::lanes_with_same_value(members(), value, site));
    }

    template <class T>
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

}  // namespace SIMT_FLAVOR
}  // namespace cooperative_groups
