// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/reconvergence.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace simt::check {

namespace {

// operands[lane]: of the event i steps ahead.
void gather_operands(const Event* const (&next)[lanes_of_warp], size_t i, uint32_t lanes, uintptr_t* operands) {
    if (lanes == ~0u) {  // nearly always
        for (unsigned lane = 0; lane < lanes_of_warp; ++lane) operands[lane] = next[lane][i].operand;
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = std::countr_zero(lanes);
        operands[lane] = next[lane][i].operand;
    }
}

}  // namespace

void Reconvergence::drain(WarpLog& log, uint32_t unfinished, WarpSteps& steps) {
    for (Search& search : searches_) search.place = {};
    for (;;) {
        const uint32_t lanes = log.lanes_with_events();
        // Where the others wait depends on the next step of a lane that has yet to run.
        if (!lanes || (unfinished & ~lanes)) break;
        find_groups(log, lanes);
        run_group(log, group_count_ == 1 ? 0 : choose_group(log, lanes, unfinished), steps);
    }
    log.compact();
}

void Reconvergence::find_groups(WarpLog& log, uint32_t lanes) {
    group_count_ = 0;
    unsigned last = 0;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = std::countr_zero(lanes);
        const EventPlace place = log.lane(lane).next->place;
        if (group_count_ == 0 || groups_[last].place != place) {
            last = 0;
            while (last < group_count_ && groups_[last].place != place) ++last;
            if (last == group_count_) groups_[group_count_++] = {place, 0};
        }
        groups_[last].lanes |= 1u << lane;
    }
}

unsigned Reconvergence::choose_group(WarpLog& log, uint32_t lanes, uint32_t unfinished) {
    unsigned chosen = 0;
    bool chosen_waits = true;
    for (unsigned i = 0; i < group_count_; ++i) {
        Search& search = search_for(groups_[i].place);
        bool waits = false;
        for (uint32_t others = lanes & ~groups_[i].lanes; others && !waits; others &= others - 1) {
            const unsigned other = std::countr_zero(others);
            waits = unfinished >> other & 1 || will_reach(log.lane(other), other, search);
        }
        if (i == 0 || waits < chosen_waits || (waits == chosen_waits && groups_[i].place < groups_[chosen].place)) {
            chosen = i;
            chosen_waits = waits;
        }
    }
    return chosen;
}

Reconvergence::Search& Reconvergence::search_for(EventPlace place) {
    Search& search = searches_[(place.word() ^ place.word() >> 5) % searches_kept];
    if (search.place != place) {
        search.place = place;
        std::fill(std::begin(search.position), std::end(search.position), uint16_t{0});
    }
    return search;
}

// Each lane's log is read once per drain and place: the search goes on where it stopped.
bool Reconvergence::will_reach(const LaneLog& log, unsigned lane, Search& search) const {
    const Event* event = std::max<const Event*>(log.begin + search.position[lane], log.next);
    while (event != log.end && event->place != search.place) ++event;
    search.position[lane] = static_cast<uint16_t>(event - log.begin);
    return event != log.end;
}

bool Reconvergence::is_waiting_at(EventPlace place) const {
    return std::any_of(groups_, groups_ + group_count_, [&](const Group& group) { return group.place == place; });
}

size_t Reconvergence::common_steps(WarpLog& log, unsigned group) const {
    const uint32_t lanes = groups_[group].lanes;
    const LaneLog& first = log.lane(std::countr_zero(lanes));
    size_t steps = first.end - first.next;
    for (size_t i = 1; i < steps && group_count_ > 1; ++i) {
        if (first.next[i].place.kind() == EventKind::block_entered || is_waiting_at(first.next[i].place)) steps = i;
    }
    for (uint32_t others = lanes & (lanes - 1); others; others &= others - 1) {
        const LaneLog& other = log.lane(std::countr_zero(others));
        steps = std::min<size_t>(steps, other.end - other.next);
        size_t same = 1;
        while (same < steps && other.next[same].place == first.next[same].place) ++same;
        steps = same;
    }
    return steps;
}

void Reconvergence::run_group(WarpLog& log, unsigned group, WarpSteps& steps) {
    const uint32_t lanes = groups_[group].lanes;
    const Event* next[lanes_of_warp];
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = std::countr_zero(left);
        next[lane] = log.lane(lane).next;
    }
    const unsigned first = std::countr_zero(lanes);
    const size_t count = common_steps(log, group);
    uintptr_t operands[lanes_of_warp];
    for (size_t i = 0; i < count; ++i) {
        const EventPlace place = next[first][i].place;
        if (place.kind() != EventKind::block_entered) gather_operands(next, i, lanes, operands);
        steps.step(place, lanes, operands);
    }
    for (uint32_t left = lanes; left; left &= left - 1) log.lane(std::countr_zero(left)).next += count;
}

// ---- divergence

void BranchTracker::entered(PlaceTally& block, uint32_t lanes) {
    depart(lanes & started_, block.place.code());
    const unsigned execution = std::countr_zero(~used_);
    executions_[execution] = {&block, lanes, 0};
    used_ |= 1u << execution;
    started_ |= lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        execution_of_[std::countr_zero(left)] = static_cast<uint8_t>(execution);
    }
    ++block.requests;
    block.lanes += std::popcount(lanes);
}

void BranchTracker::left(uint32_t lanes) {
    constexpr uintptr_t outside = 1;  // no basic block has this address
    depart(lanes & started_, outside);
    started_ &= ~lanes;
}

void BranchTracker::depart(uint32_t lanes, uintptr_t next) {
    while (lanes) {
        const unsigned index = execution_of_[std::countr_zero(lanes)];
        Execution& execution = executions_[index];
        const uint32_t going = lanes & execution.staying;
        lanes &= ~going;
        execution.staying &= ~going;
        execution.block->went_to(next);
        ++execution.departed;
        if (execution.staying) continue;
        ++execution.block->departures;
        execution.block->uniform_departures += execution.departed == 1;
        used_ &= ~(1u << index);
    }
}

}  // namespace simt::check
