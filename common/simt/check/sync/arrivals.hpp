// synccheck of one block: does every lane come to the barriers, votes and shuffles that name it?
//
// A block barrier is complete when every lane that is still in the kernel has come to one; all of them must have come
// to the same one. A lane that has left by an early return does not count, unless it went past the barrier: by what it
// accessed after its last one, or because the others come round to the very barrier that it passed last. A lane that
// came to the kernel's end went around the barrier. The same holds for grid.sync(), and for the lanes that a vote, a
// shuffle or __syncwarp names.
#pragma once

#include <string>
#include <vector>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/finding.hpp"

namespace simt::check {

class SyncCheck {
public:
    explicit SyncCheck(BlockCheck& check) : check_(check) {}

    void begin_block();
    void accessed(unsigned lane, const void* pc) { lanes_[lane].last_access = pc; }
    void arrive(check::Wait kind, unsigned mask, unsigned source, Site site);
    void meeting_completed(unsigned warp, unsigned lanes);
    void block_barrier_completed() { barrier_completed(); }
    void grid_barrier_completed() { barrier_completed(); }
    void early_return();
    void lane_ended(unsigned lane);
    // A finding has taken the running lane out of the launch: what follows from that is not reported.
    void lane_dropped(unsigned lane);
    // Lanes wait for each other, or for what does not happen. `waiting`: where, one line for each place.
    void deadlocked(const std::string& waiting);
    void timed_out(const std::string& waiting);
    // Which function it is in which this lane waits for others of its warp.
    const char* function_of(unsigned lane) const;
    // Whether it is in a loop that only waits and has let others go first there.
    bool polls_again(unsigned lane) const;
    // The running lane has misused an object of the device language. False: this is not about synchronization.
    bool misused(const char* message, const void* pc);
    void block_ended() {}

private:
    struct Lane {
        check::Wait kind = check::Wait::block_barrier;
        unsigned mask = 0, source = check::no_lane;
        Site site = {nullptr, 0};         // of its last or present wait
        Site barrier = {nullptr, 0};      // the block barrier that it passed last
        const void* last_access = nullptr;  // since then
        bool returns_early = false;         // its last step; what it does afterwards takes that back
        const void* access_before_return = nullptr;
        bool has_ended = false, is_dropped = false;
    };

    void barrier_completed();
    bool has_returned_early(const Lane& lane) const;
    void check_shuffle(unsigned lane, unsigned group);
    void check_named(unsigned lane, unsigned group);
    bool went_past(const Lane& lane, Site barrier) const;
    bool is_running(unsigned lane) const;
    void report_divergence(unsigned lane, Site barrier, bool in_warp, std::string detail);
    void report_waiting(const char* title, const std::string& waiting);
    void report(std::string title, unsigned lane, Place place, std::vector<std::string> details = {});

    BlockCheck& check_;
    std::vector<Lane> lanes_;
};

}  // namespace simt::check
