// SPDX-License-Identifier: MIT
#include "common/simt/check/core/access.hpp"

#include <algorithm>

namespace simt::check {

void LaneLog::compact() {
    end = std::copy(next, end, begin);
    next = begin;
}

WarpLog::WarpLog() : events_(new Event[lanes_of_warp * stride]) {
    for (unsigned lane = 0; lane < lanes_of_warp; ++lane) {
        Event* const begin = &events_[lane * stride];
        lanes_[lane] = {begin, begin, begin, begin + events_per_lane - 1};
    }
}

unsigned WarpLog::lanes_with_events() const {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < lanes_of_warp; ++lane) lanes |= unsigned{lanes_[lane].has_events()} << lane;
    return lanes;
}

unsigned WarpLog::full_lanes() const {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < lanes_of_warp; ++lane) lanes |= unsigned{lanes_[lane].is_full()} << lane;
    return lanes;
}

void WarpLog::compact() {
    for (LaneLog& lane : lanes_) lane.compact();
}

void WarpLog::clear() {
    for (LaneLog& lane : lanes_) lane.next = lane.end = lane.begin;
}

namespace {

thread_local WarpLog* log_of_thread = nullptr;

struct ForgetLog {
    void operator()(WarpLog* log) const {
        log_of_thread = nullptr;
        delete log;
    }
};

}  // namespace

// (A thread that runs kernels after the end of its own variables, see current_operations(), gets a new log.)
WarpLog& WarpLog::of_this_thread() {
    if (!log_of_thread) {
        log_of_thread = new WarpLog;
        static thread_local const std::unique_ptr<WarpLog, ForgetLog> owner(log_of_thread);
    }
    return *log_of_thread;
}

}  // namespace simt::check
