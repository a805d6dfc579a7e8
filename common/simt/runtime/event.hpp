// SPDX-License-Identifier: MIT
// Events: the times at which a stream reaches them, by the host's clock.
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
    std::atomic<int64_t> nanoseconds{0};  // of the steady clock, when the stream reached it
};

struct Event {
    explicit Event(unsigned flags_, int device_) : flags(flags_), device(device_) {}

    const unsigned flags;
    const int device;

    std::mutex mutex;                      // guards the members below
    std::shared_ptr<Recording> recording;  // null until recorded
    std::shared_ptr<Capture> capture;      // set when the last recording was captured into a graph
    std::vector<GraphNode*> captured_after;

    bool captured() {
        const std::lock_guard lock(mutex);
        return capture != nullptr;
    }
};

// Work that stores the current time in a recording.
Work stamp(std::shared_ptr<Recording> recording);

}  // namespace simt
