// SPDX-License-Identifier: MIT
// Finds a warp's steps, which its lanes take together, from the logs of the lanes.
//
// A diverged warp on a GPU runs one group of lanes at a time and joins groups where their paths meet again. Here the
// lanes have run one after the other, each on its own. The logs show where each lane went next, so the reconvergence
// points need not be guessed: a group waits if another group will still reach its place, or may do so after the end of
// its logs. If that holds for every group (in a loop, each is at a place that the others will return to) or for none,
// the group at the lowest code address goes first.
#pragma once

#include <cstdint>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/counters/places.hpp"

namespace simt::check {

/// Receives the steps.
class WarpSteps {
public:
    /// The lanes of this mask do this together, each with operands[lane].
    virtual void step(EventPlace place, uint32_t lanes, const uintptr_t* operands) = 0;

protected:
    ~WarpSteps() = default;
};

class Reconvergence {
public:
    /// Takes from the logs, in order, every step that can be decided. `unfinished`: the lanes that will log more when
    /// they go on. A decision that depends on those later events is left to the next call.
    void drain(WarpLog& log, uint32_t unfinished, WarpSteps& steps);

private:
    // Lanes at the same place.
    struct Group {
        EventPlace place;
        uint32_t lanes;
    };

    // Where in their logs the lanes next reach a place, as far as the search has gone.
    struct Search {
        EventPlace place;
        uint16_t position[lanes_of_warp];
    };

    void find_groups(WarpLog& log, uint32_t lanes);
    unsigned choose_group(WarpLog& log, uint32_t lanes, uint32_t unfinished);
    bool is_waiting_at(EventPlace place) const;
    // How many steps all lanes of the group take together before they part. If the warp has diverged, this ends at the
    // next basic block, where the group may have to wait.
    size_t common_steps(WarpLog& log, unsigned group) const;
    void run_group(WarpLog& log, unsigned group, WarpSteps& steps);
    bool will_reach(const LaneLog& log, unsigned lane, Search& search) const;
    Search& search_for(EventPlace place);

    Group groups_[lanes_of_warp];
    unsigned group_count_ = 0;
    static constexpr unsigned searches_kept = 32;
    Search searches_[searches_kept] = {};
};

// ---- divergence

/// Where the lanes of a warp diverge: which basic block each lane went to after one that they executed together.
class BranchTracker {
public:
    void begin_block() { *this = {}; }
    /// These lanes have entered the basic block of this tally together.
    void entered(PlaceTally& block, uint32_t lanes);
    /// These lanes have left the kernel.
    void left(uint32_t lanes);

private:
    // One execution of a basic block by a group of lanes, until all of them have gone on.
    struct Execution {
        PlaceTally* block;
        uint32_t staying;   // lanes that have not gone on yet
        uint32_t departed;  // groups that have
    };

    void depart(uint32_t lanes, uintptr_t next);

    Execution executions_[lanes_of_warp];
    uint8_t execution_of_[lanes_of_warp];
    uint32_t used_ = 0;     // executions
    uint32_t started_ = 0;  // lanes that are in one
};

}  // namespace simt::check
