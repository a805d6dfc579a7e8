// What the lanes of a warp have done since they were last looked at: a log of each lane, in the order of its execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/simt/check/core/access.hpp"
#include "common/simt/include/simt/check.hpp"

namespace simt::check {

constexpr unsigned lanes_of_warp = 32;

enum class EventKind : uint8_t {
    block_entered,  // a basic block
    global_load,
    global_store,
    global_atomic,
    shared_load,
    shared_store,
    shared_atomic,
    block_barrier,
    warp_barrier,
    exchange,     // a shuffle, a vote, a match
    kernel_left,  // the lane has ended; the same place for all
};

// Where in the kernel something happens, and what: lanes whose next events have the same place do it together. In one
// word, so that places are compared at once. The bits below are an address of code, which user programs have at most
// 47 bits of; for what a lane waits for, whose address is not known, a mixture of its file and line.
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
    uint32_t bytes() const { return word_ >> 48 & 0xff; }
    unsigned line() const { return word_ >> 32 & 0xffff; }  // of a place where lanes wait
    uintptr_t code() const { return word_ & ((uint64_t{1} << 48) - 1); }
    uint64_t word() const { return word_; }

    bool operator==(const EventPlace& other) const { return word_ == other.word_; }
    bool operator!=(const EventPlace& other) const { return word_ != other.word_; }
    // The order of the code.
    bool operator<(const EventPlace& other) const {
        return code() != other.code() ? code() < other.code() : word_ < other.word_;
    }

private:
    uint64_t word_ = 0;
};

struct Event {
    EventPlace place;
    uintptr_t operand = 0;  // the address in memory; for what a lane waits for, the file's name
};

// The log of one lane.
struct LaneLog {
    Event* begin = nullptr;
    Event* next = nullptr;   // the first event that has not been looked at
    Event* end = nullptr;    // behind the last
    Event* limit = nullptr;  // the end of the room; behind it there is some for the last event of all

    bool is_full() const { return end >= limit; }
    bool has_events() const { return next != end; }
    void append(EventPlace place, uintptr_t operand) { *end++ = {place, operand}; }
    // Makes room of what has been looked at.
    void compact();
};

// The logs of a warp's lanes. A warp leaves nothing in its logs when it lets another one run, so that the warps that
// take turns on one OS thread share one.
class WarpLog {
public:
    static constexpr size_t events_per_lane = 256;

    WarpLog();

    LaneLog& lane(unsigned lane) { return lanes_[lane]; }
    unsigned lanes_with_events() const;
    unsigned full_lanes() const;
    void compact();
    void clear();

    // The one of the calling thread.
    static WarpLog& of_this_thread();

private:
    // Were the logs a power of two apart, the same positions of all of them would fall into one set of the cache.
    static constexpr size_t stride = events_per_lane + 64 / sizeof(Event);

    std::unique_ptr<Event[]> events_;
    LaneLog lanes_[lanes_of_warp];
};

}  // namespace simt::check
