// SPDX-License-Identifier: MIT
// One load, store or atomic operation of a lane, as the checkers and counters see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/simt/include/simt/check.hpp"

namespace simt::check {

struct AddressRange {
    uintptr_t begin = 0;
    size_t bytes = 0;
    bool contains(uintptr_t address) const { return address - begin < bytes; }
};

enum class Space : uint8_t {
    global,  ///< inside the simulator's reserved range of device memory
    shared,  ///< inside the worker thread's thread-local storage, where __shared__ variables live
    local,   ///< on the stack of a lane of this block
    other,   ///< anywhere else: variables of the executable, host memory, null
};

/// How a texel is accessed: through a texture on linear memory, or through a texture or surface on an array.
enum class Texture : uint8_t { none, linear, array };

inline bool updates(check::AtomicKind kind) {
    return kind == check::AtomicKind::update || kind == check::AtomicKind::floating_update ||
           kind == check::AtomicKind::compare_and_swap;
}

struct Access {
    uintptr_t address;
    uint32_t bytes;
    uint32_t lane;  ///< index in the block, x fastest
    Space space;
    bool is_write;
    bool is_volatile = false;
    bool is_atomic = false;
    bool is_unaligned = false;  ///< the compiler assumes no alignment: a packed structure or a byte copy
    bool is_vector = false;     ///< one of CUDA's vector types
    Texture texture = Texture::none;
    check::AtomicKind kind = check::AtomicKind::load;  ///< for atomic operations: the kind,
    check::Order order = check::Order::relaxed;        ///< the memory order
    check::Reach reach = check::Reach::device;         ///< and the scope
    const void* pc = nullptr;                          ///< the place in the kernel: the return address of a hook
    const char* file = nullptr;                        ///< the source line, known only for atomic operations
    unsigned line = 0;
};

// ---- what the lanes of a warp have done since the logs were last read: one log per lane, in execution order

constexpr unsigned lanes_of_warp = 32;

enum class EventKind : uint8_t {
    block_entered,  ///< entered a basic block
    global_load,
    global_store,
    global_atomic,
    shared_load,
    shared_store,
    shared_atomic,
    linear_fetch,  ///< through a texture on linear memory
    array_fetch,   ///< through a texture or surface on an array
    constant_load,
    local_load,  ///< of an array in local memory, known by its number in the lane and the place in it
    local_store,
    block_barrier,
    warp_barrier,
    exchange,      ///< a shuffle, a vote, a match
    copy_started,  ///< an asynchronous copy, known by its target; only where times are predicted,
    copy_arrived,  ///< as is this: it is waited for, and made now
    kernel_left,   ///< the lane has ended; the same place for all lanes
};

/// What happens and where in the kernel. Lanes whose next events have equal places act together. A place fits in one
/// word, so comparing two is cheap. The low bits hold a code address, which has at most 47 bits in user programs. Where
/// a lane waits, the address is unknown; the bits then hold a mix of file and line.
class EventPlace {
public:
    EventPlace() = default;
    EventPlace(EventKind kind, uint32_t bytes, const void* pc)
        : word_(static_cast<uint64_t>(kind) << 56 | static_cast<uint64_t>(bytes) << 48 |
                reinterpret_cast<uintptr_t>(pc)) {}
    EventPlace(EventKind kind, Site site)
        : word_(static_cast<uint64_t>(kind) << 56 | static_cast<uint64_t>(site.line & 0xffff) << 32 |
                static_cast<uint32_t>(reinterpret_cast<uintptr_t>(site.file))) {}

    EventKind kind() const { return static_cast<EventKind>(word_ >> 56); }
    uint32_t bytes() const { return word_ >> 48 & 0x7f; }
    bool is_floating() const { return word_ >> 55 & 1; }  ///< of an atomic update
    EventPlace of_floating() const {
        EventPlace place = *this;
        place.word_ |= uint64_t{1} << 55;
        return place;
    }
    unsigned line() const { return word_ >> 32 & 0xffff; }  // only for places where lanes wait
    uintptr_t code() const { return word_ & ((uint64_t{1} << 48) - 1); }
    uint64_t word() const { return word_; }

    bool operator==(const EventPlace& other) const { return word_ == other.word_; }
    bool operator!=(const EventPlace& other) const { return word_ != other.word_; }
    /// In code order.
    bool operator<(const EventPlace& other) const {
        return code() != other.code() ? code() < other.code() : word_ < other.word_;
    }

private:
    uint64_t word_ = 0;
};

struct Event {
    EventPlace place;
    uintptr_t operand = 0;  ///< the memory address, or the file's name where a lane waits
};

/// The log of one lane.
struct LaneLog {
    Event* begin = nullptr;
    Event* next = nullptr;   ///< the first unread event
    Event* end = nullptr;    ///< one past the last event
    Event* limit = nullptr;  ///< the end of the buffer, after which one slot is left for the final event

    bool is_full() const { return end >= limit; }
    bool has_events() const { return next != end; }
    void append(EventPlace place, uintptr_t operand) { *end++ = {place, operand}; }
    /// Reclaims the space of the events already read.
    void compact();
};

/// The logs of a warp's lanes. A warp empties its logs before another warp runs, so all warps that take turns on one OS
/// thread share one object.
class WarpLog {
public:
    static constexpr size_t events_per_lane = 256;

    WarpLog();

    LaneLog& lane(unsigned lane) { return lanes_[lane]; }
    unsigned lanes_with_events() const;
    unsigned full_lanes() const;
    void compact();
    void clear();

    /// The logs of the calling thread.
    static WarpLog& of_this_thread();

private:
    // If the logs were a power of two apart, equal positions in them would fall into the same cache set.
    static constexpr size_t stride = events_per_lane + 64 / sizeof(Event);

    std::unique_ptr<Event[]> events_;
    LaneLog lanes_[lanes_of_warp];
};

}  // namespace simt::check
