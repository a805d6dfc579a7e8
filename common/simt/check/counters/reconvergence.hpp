// Which lanes of a warp do what together: the warp's steps, found from the logs of its lanes.
//
// A GPU's warp that has diverged runs one group of lanes at a time, and joins groups where their ways meet again. Here
// the lanes have run one after the other, each on its own; but since the logs tell where each lane went next, the
// meeting points need not be guessed: a group waits if another one will still come to the place where it stands. If
// that is so for each of them (in a loop they stand at different places, to all of which the others will return), or
// for none, the group at the lowest address of the code goes first.
#pragma once

#include <cstdint>

#include "common/simt/check/core/access_log.hpp"

namespace simt::check {

// Who is told the steps.
class WarpSteps {
public:
    // The lanes of this mask do this together; operands[lane]: of each of them.
    virtual void step(EventPlace place, uint32_t lanes, const uintptr_t* operands) = 0;

protected:
    ~WarpSteps() = default;
};

class Reconvergence {
public:
    // Takes from the logs what can be decided, in order. `unfinished`: the lanes that will log more when they go on; a
    // decision that depends on what they do then is left to the next call.
    void drain(WarpLog& log, uint32_t unfinished, WarpSteps& steps);

private:
    // Lanes that stand at the same place.
    struct Group {
        EventPlace place;
        uint32_t lanes;
    };

    // Where in their logs the lanes come to a place next, as far as that has been looked for.
    struct Search {
        EventPlace place;
        uint16_t position[lanes_of_warp];
    };

    void find_groups(WarpLog& log, uint32_t lanes);
    unsigned choose_group(WarpLog& log, uint32_t lanes, uint32_t unfinished);
    bool is_waiting_at(EventPlace place) const;
    // How many steps all lanes of the group do together before they part. If the warp has diverged, only as far as the
    // next basic block: there they may have to wait in their turn.
    size_t common_steps(WarpLog& log, unsigned group) const;
    void run_group(WarpLog& log, unsigned group, WarpSteps& steps);
    bool will_reach(const LaneLog& log, unsigned lane, Search& search) const;
    Search& search_for(EventPlace place);

    Group groups_[lanes_of_warp];
    unsigned group_count_ = 0;
    static constexpr unsigned searches_kept = 32;
    Search searches_[searches_kept] = {};
};

}  // namespace simt::check
