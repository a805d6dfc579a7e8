#include "common/simt/check/core/access_log.hpp"

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

WarpLog& WarpLog::of_this_thread() {
    static thread_local std::unique_ptr<WarpLog> log;
    if (!log) log = std::make_unique<WarpLog>();
    return *log;
}

}  // namespace simt::check
