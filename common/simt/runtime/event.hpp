// Events: moments in a stream, read from the host's clock when the stream reaches them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/runtime/stream.hpp"

namespace simt {

struct GraphNode;

// One recording of an event. Recording again makes a new one; waits for the old one are unaffected.
struct Recording {
    Ticket ticket;
    std::atomic<int64_t> nanoseconds{0};  // steady clock, when the stream got there
};

struct Event {
    explicit Event(unsigned flags_, int device_) : flags(flags_), device(device_) {}

    const unsigned flags;
    const int device;

    std::mutex mutex;                      // guards what follows
    std::shared_ptr<Recording> recording;  // null until recorded
    std::shared_ptr<Capture> capture;      // set when the last recording was captured into a graph
    std::vector<GraphNode*> captured_after;

    bool captured() {
        const std::lock_guard lock(mutex);
        return capture != nullptr;
    }
};

// Work that puts the time into a recording.
Work stamp(std::shared_ptr<Recording> recording);

}  // namespace simt
