// SPDX-License-Identifier: MIT
// Blocks whose lanes run in loops: what simcc's rewriter (rewrite/lane_loops.cpp) makes of a kernel whose barriers all
// stand in control flow that is the same for the whole block. Such a kernel is called once for each block. Between two
// barriers it loops over the lanes, and nothing switches stacks:
//     ::simt::LaneLoops simt_lanes;
//     for (::simt::LaneRows simt_s(simt_lanes); simt_s.more(); simt_s.next())
//         for (unsigned simt_x = simt_s.enter(); simt_x < simt_s.last; ++simt_x) { ... }
//     simt_lanes.barrier();
// A variable that lives across a barrier is kept in a LaneArray. Warp functions become two loops over a warp: the first
// puts each lane's value into a LaneSlot, the second reads the others' values.
//
// The lanes take turns in the order that they have with stacks of their own: by warps, upwards in each, and the warps
// alternately upwards and downwards from barrier to barrier.
#pragma once

#include "simt/builtins.hpp"
#include "simt/launch.hpp"
#include "simt/warp.hpp"

#ifndef SIMT_CHECKED

namespace simt {
inline namespace SIMT_FLAVOR {

/// The lanes of a block that runs in loops. Ends the block when it goes out of scope.
class LaneLoops {
public:
    SIMT_INLINE LaneLoops()
        : dim_x(block_identity.dim_x),
          dim_y(block_identity.dim_y),
          lanes(threads_per_block()),
          live_(begin_lane_loops()) {}
    SIMT_INLINE ~LaneLoops() { lane_identity.detached = 1; }  // so that the loop which called the kernel ends
    LaneLoops(const LaneLoops&) = delete;
    LaneLoops& operator=(const LaneLoops&) = delete;

    SIMT_INLINE unsigned warps() const { return (lanes + 31) / 32; }

    SIMT_INLINE void barrier() {
        upwards = !upwards;
        pass_lane_barrier();
    }

    /// The lane with this rank leaves the kernel.
    SIMT_INLINE void end(size_t rank) { live_[rank / 32] &= ~(1u << rank % 32); }
    SIMT_INLINE bool has_ended(size_t rank) const { return !(live_[rank / 32] >> rank % 32 & 1); }
    SIMT_INLINE unsigned live(size_t warp) const { return live_[warp]; }
    SIMT_INLINE bool any_live() const {
        unsigned any = 0;
        for (unsigned warp = 0; warp < warps(); ++warp) any |= live_[warp];
        return any != 0;
    }

    /// The lanes of a warp that have come to a warp function whose mask names these. Others that it names and that go on
    /// elsewhere may end; if they come to another function, or to a barrier, loops cannot tell who waits for whom.
    SIMT_INLINE void meet(size_t warp, unsigned present, unsigned named) {
        present &= live_[warp];
        const unsigned absent = named & live_[warp] & ~present;
        if (__builtin_expect((absent | (live_[apart + warp] & present)) != 0, 0)) part_lanes(warp, present, absent);
    }

    const unsigned dim_x, dim_y, lanes;
    bool upwards = true;

private:
    static constexpr size_t apart = 32;  // where those begin of which part_lanes() knows
    unsigned* const live_;
};

/// The warps of a block, in their turn.
class LaneWarps {
public:
    SIMT_INLINE explicit LaneWarps(const LaneLoops& loops)
        : index(loops.upwards ? 0 : loops.warps() - 1), step_(loops.upwards ? 1 : ~0u), left_(loops.warps()) {}
    SIMT_INLINE bool more() const { return left_ != 0; }
    SIMT_INLINE void next() {
        index += step_;
        --left_;
    }

    unsigned index;

private:
    const unsigned step_;
    unsigned left_;
};

/// Rows of neighboring lanes of a block, in their turn, or of one warp.
class LaneRows {
public:
    SIMT_INLINE explicit LaneRows(const LaneLoops& loops)
        : loops_(loops), warp_(loops.upwards ? 0 : loops.warps() - 1), rank_(32 * warp_), end_(loops.lanes) {
        find();
    }
    SIMT_INLINE LaneRows(const LaneLoops& loops, const LaneWarps& warp)
        : loops_(loops), warp_(0), rank_(32 * warp.index), end_(rank_ + 32 < loops.lanes ? rank_ + 32 : loops.lanes) {
        find();
    }

    SIMT_INLINE bool more() const { return rank_ < end_; }
    SIMT_INLINE void next() {
        rank_ += last - first_;
        if (warp_ != 0 && (rank_ % 32 == 0 || rank_ == end_)) {
            --warp_;
            rank_ = 32 * warp_;
            if (warp_ == 0) end_ = rank_ + 32;
        }
        if (rank_ < end_) find();
    }

    /// The row's first threadIdx.x; those up to `last` follow.
    SIMT_INLINE unsigned enter() const {
        lane_identity.y = y_;
        lane_identity.z = z_;
        return first_;
    }

    /// To be added to threadIdx.x for the rank in the block.
    size_t base;
    unsigned last;

private:
    SIMT_INLINE void find() {
        unsigned left = end_ - rank_;
        if (!loops_.upwards && left > 32 - rank_ % 32) left = 32 - rank_ % 32;
        if (loops_.dim_x == loops_.lanes) {
            first_ = rank_;
            y_ = z_ = 0;
        } else {
            const unsigned row = rank_ / loops_.dim_x;
            first_ = rank_ - row * loops_.dim_x;
            z_ = row / loops_.dim_y;
            y_ = row - z_ * loops_.dim_y;
        }
        last = first_ + left < loops_.dim_x ? first_ + left : loops_.dim_x;
        base = rank_ - first_;
        if (last > 1024 || base > 1024) __builtin_unreachable();  // tells g++ that nothing wraps around
    }

    const LaneLoops& loops_;
    unsigned warp_;  // downwards: of the whole block
    unsigned rank_, end_;
    unsigned first_, y_, z_;
};

SIMT_INLINE void enter_lane_of_loop(unsigned x) { lane_identity.x = x; }

/// A variable of every lane of the block. Its elements begin as in any uninitialized variable.
template <typename T>
class LaneArray {
    static_assert(__is_trivially_copyable(T), "copies and destructors of this type may have side effects");

public:
    SIMT_INLINE explicit LaneArray(const LaneLoops& loops)
        : values_(static_cast<T*>(take_lane_room(sizeof(T) * loops.lanes))) {}
    SIMT_INLINE ~LaneArray() { return_lane_room(); }
    LaneArray(const LaneArray&) = delete;
    LaneArray& operator=(const LaneArray&) = delete;

    SIMT_INLINE T& operator[](size_t rank) const { return values_[rank]; }

private:
    T* const values_;
};

template <typename T>
SIMT_INLINE void keep_value(const T& place, const T& value) {
    const_cast<T&>(place) = value;
}
template <typename T, size_t n>
SIMT_INLINE void keep_value(const T (&place)[n], const T (&value)[n]) {
    __builtin_memcpy(const_cast<T*>(&place[0]), &value[0], sizeof value);
}

/// Keeps what the constructor has made of a variable without an initializer.
template <typename T, bool is_undefined = __is_trivially_constructible(T)>
struct KeepConstructed {
    static SIMT_INLINE void keep(const T& place, const T& value) { keep_value(place, value); }
};
template <typename T>
struct KeepConstructed<T, true> {
    static SIMT_INLINE void keep(const T&, const T&) {}
};
template <typename T>
SIMT_INLINE void keep_constructed(const T& place, const T& value) {
    KeepConstructed<T>::keep(place, value);
}

/// What the lanes bring to one call of a warp function: a value each.
class LaneSlot {
public:
    SIMT_INLINE explicit LaneSlot(const LaneLoops& loops) : values_(take_lane_room(8 * loops.lanes)) {}
    SIMT_INLINE ~LaneSlot() { return_lane_room(); }
    LaneSlot(const LaneSlot&) = delete;
    LaneSlot& operator=(const LaneSlot&) = delete;

    template <typename T>
    SIMT_INLINE void give(size_t rank, const T& value) const {
        static_assert(sizeof(T) <= 8, "warp functions move values of up to 8 bytes");
        static_cast<T*>(values_)[rank] = value;
    }
    template <typename T>
    SIMT_INLINE const T& value(size_t rank) const {
        return static_cast<const T*>(values_)[rank];
    }

private:
    void* const values_;
};

/// The same for votes, and for barriers that count: one bit each.
class LaneVotes {
public:
    SIMT_INLINE explicit LaneVotes(const LaneLoops&) {}

    SIMT_INLINE void vote(size_t rank, bool predicate) {
        words_[rank / 32] |= static_cast<unsigned>(predicate) << rank % 32;
    }
    SIMT_INLINE unsigned votes(size_t rank) const { return words_[rank / 32]; }
    SIMT_INLINE unsigned all_votes() const {
        unsigned sum = 0;
        for (const unsigned word : words_) sum += __builtin_popcount(word);
        return sum;
    }

private:
    unsigned words_[32] = {};
};

/// The same for functions that must know which lanes came.
class LaneValues : public LaneSlot, public LaneVotes {
public:
    SIMT_INLINE explicit LaneValues(const LaneLoops& loops) : LaneSlot(loops), LaneVotes(loops) {}

    template <typename T>
    SIMT_INLINE void come(size_t rank, const T& value) {
        vote(rank, true);
        give(rank, value);
    }
};

// ---- calls of device functions with barriers or warp functions
//
// The rewriter writes such a function f(float v) twice more: f(LaneGive, float v) keeps a lane's arguments, and
// f(LaneRun, float v) runs the lanes in loops. A call becomes three steps: every lane gives its arguments; all run; every
// lane takes its result.

class LaneFrame;

/// What a function runs on: all lanes of a block, or those of a warp that are in the mask.
struct LanePlace {
    LaneLoops& lanes;
    const LaneWarps* warp;
    unsigned mask;
    const LaneFrame& frame;
};

/// Arguments and results of one call.
class LaneFrame {
public:
    /// (An argument of more than 16 bytes is an error.)
    SIMT_INLINE LaneFrame(LaneLoops& lanes, unsigned parameters)
        : lanes_(lanes), room_(static_cast<char*>(take_lane_room(size_t{16} * lanes.lanes * (parameters + 1)))) {}
    SIMT_INLINE ~LaneFrame() { return_lane_room(); }
    LaneFrame(const LaneFrame&) = delete;
    LaneFrame& operator=(const LaneFrame&) = delete;

    /// Those of all lanes: index 0 is the result, the parameters follow.
    template <typename T>
    SIMT_INLINE T* values(unsigned index) const {
        static_assert(sizeof(T) <= 16 && __is_trivially_copyable(T), "this value does not fit a lane's frame");
        return reinterpret_cast<T*>(room_ + size_t{16} * lanes_.lanes * index);
    }
    template <typename T>
    SIMT_INLINE const T& result(size_t rank) const {
        return values<T>(0)[rank];
    }

    SIMT_INLINE void run(const LaneWarps* warp, unsigned mask) {
        if (body) body({lanes_, warp, mask, *this});
    }

    void (*body)(const LanePlace&) = nullptr;  ///< set by the lanes that call

private:
    LaneLoops& lanes_;
    char* const room_;
};

struct LaneGive {
    const LaneFrame& frame;
    size_t rank;

    template <typename T>
    SIMT_INLINE void give(unsigned index, const T& value) const {
        frame.values<T>(index)[rank] = value;
    }
};

template <typename Result>
struct LaneRun {
    const LanePlace& place;

    template <typename T>
    SIMT_INLINE void give_result(size_t rank, const T& value) const {
        place.frame.values<Result>(0)[rank] = static_cast<Result>(value);
    }
};

/// Some value, where only the type counts.
template <typename T>
SIMT_INLINE typename WithoutReference<T>::type& any_value() {
    alignas(16) static char bytes[sizeof(typename WithoutReference<T>::type)];
    return reinterpret_cast<typename WithoutReference<T>::type&>(bytes);
}

// ---- the second half of each warp function: `rank` is the lane's in its block

namespace loops {

template <typename T>
SIMT_INLINE T value_of(const LaneSlot& slot, size_t rank, unsigned mask, unsigned source) {
    return slot.value<T>(mask >> source & 1 ? (rank & ~size_t{31}) + source : rank);
}

template <typename T>
SIMT_INLINE T shfl(const LaneSlot& slot, size_t rank, unsigned mask, int source, int width = warpSize) {
    return value_of<T>(slot, rank, mask, segment_start(rank % 32, width) + (source & (width - 1)));
}

template <typename T>
SIMT_INLINE T shfl_up(const LaneSlot& slot, size_t rank, unsigned mask, unsigned delta, int width = warpSize) {
    const unsigned lane = rank % 32, position = lane - segment_start(lane, width);
    return value_of<T>(slot, rank, mask, delta > position ? lane : lane - delta);
}

template <typename T>
SIMT_INLINE T shfl_down(const LaneSlot& slot, size_t rank, unsigned mask, unsigned delta, int width = warpSize) {
    const unsigned lane = rank % 32, behind = segment_start(lane, width) + width - 1 - lane;
    return value_of<T>(slot, rank, mask, delta > behind ? lane : lane + delta);
}

template <typename T>
SIMT_INLINE T shfl_xor(const LaneSlot& slot, size_t rank, unsigned mask, int lane_mask, int width = warpSize) {
    const unsigned lane = rank % 32, source = lane ^ static_cast<unsigned>(lane_mask);
    return value_of<T>(slot, rank, mask, source >= segment_start(lane, width) + width ? lane : source);
}

SIMT_INLINE unsigned ballot(const LaneVotes& slot, size_t rank, unsigned mask) { return slot.votes(rank) & mask; }
SIMT_INLINE int any(const LaneVotes& slot, size_t rank, unsigned mask) { return (slot.votes(rank) & mask) != 0; }
/// (The lanes have voted on the opposite.)
SIMT_INLINE int all(const LaneVotes& slot, size_t rank, unsigned mask) { return (slot.votes(rank) & mask) == 0; }

template <typename T>
SIMT_INLINE unsigned match_any(const LaneValues& slot, size_t rank, unsigned mask) {
    const unsigned long long bits = to_bits(slot.value<T>(rank));
    unsigned same = 0;
    for (unsigned left = mask & slot.votes(rank); left; left &= left - 1) {
        const unsigned lane = __builtin_ctz(left);
        if (to_bits(slot.value<T>((rank & ~size_t{31}) + lane)) == bits) same |= 1u << lane;
    }
    return same;
}

template <typename T, typename Operation>
SIMT_INLINE T reduce(const LaneValues& slot, size_t rank, unsigned mask, Operation operation) {
    const size_t first = rank & ~size_t{31};
    unsigned left = mask & slot.votes(rank);
    T result = slot.value<T>(first + __builtin_ctz(left));
    while (left &= left - 1) result = operation(result, slot.value<T>(first + __builtin_ctz(left)));
    return result;
}

#define SIMT_REDUCE(name, expression)                                                            \
    template <typename T>                                                                        \
    SIMT_INLINE T reduce_##name(const LaneValues& slot, size_t rank, unsigned mask) {            \
        return reduce<T>(slot, rank, mask, [](T a, T b) { return static_cast<T>(expression); }); \
    }
SIMT_REDUCE(add, static_cast<unsigned>(a) + static_cast<unsigned>(b))
SIMT_REDUCE(min, b < a ? b : a)
SIMT_REDUCE(max, a < b ? b : a)
SIMT_REDUCE(and, a& b)
SIMT_REDUCE(or, a | b)
SIMT_REDUCE(xor, a ^ b)
#undef SIMT_REDUCE

}  // namespace loops

}  // namespace SIMT_FLAVOR
}  // namespace simt

#endif
