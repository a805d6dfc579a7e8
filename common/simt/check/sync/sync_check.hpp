// SPDX-License-Identifier: MIT
// synccheck of one block: does every lane reach the barriers, votes and shuffles that name it? In come the arrivals of
// the lanes, out go findings.
//
// A block barrier is complete when every lane still in the kernel has reached one; all must have reached the same one.
// A lane that left by an early return is no error, unless it skipped the barrier: it accessed memory after its last
// barrier, or the others return to the very barrier that it passed last. A lane that reached the end of the kernel has
// skipped the barrier. The same holds for grid.sync() and for the lanes that a vote, a shuffle or __syncwarp names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/core/finding.hpp"

namespace simt::check {

class SyncCheck final : public Checker {
public:
    explicit SyncCheck(BlockCheck& check) : check_(check) {}

    void begin_block() override;
    void accessed(unsigned lane, const void* pc) { lanes_[lane].last_access = pc; }
    void arrive(check::Wait kind, unsigned mask, unsigned source, Site site) override;
    void meeting_completed(unsigned warp, unsigned lanes) override;
    void block_barrier_completed() override { barrier_completed(); }
    void grid_barrier_completed() override { barrier_completed(); }
    void early_return();
    void lane_ended(unsigned lane) override;
    void leave() override;
    void lane_dropped(unsigned lane) override;
    bool deadlocked(const std::string& waiting) override;
    bool timed_out(const std::string& waiting, bool in_lockstep) override;
    const void* last_access(unsigned lane) const override { return lanes_[lane].last_access; }
    const char* function_of(unsigned lane) const override;
    bool polls_again(unsigned lane) const override;
    /// False if it is not a synchronization object.
    bool misused(const char* message, const void* pc) override;

private:
    struct Lane {
        check::Wait kind = check::Wait::block_barrier;
        unsigned mask = 0, source = check::no_lane;
        Site site = {nullptr, 0};           // of its last or present wait
        Site barrier = {nullptr, 0};        // the block barrier that it passed last
        const void* last_access = nullptr;  // since then
        bool returns_early = false;         // by its last step; any later step revokes that
        const void* access_before_return = nullptr;
        bool has_ended = false, is_dropped = false;
    };

    // Lanes that have missed a barrier: in a loop they may do so again and again. Only the first is named.
    struct Divergence {
        Site barrier, others;  // others.file is null: the lane has left the kernel
        bool in_warp = false;
        unsigned first = 0;
        uint64_t times = 0;
    };

    void barrier_completed();
    void count_divergence(unsigned lane, Site barrier, Site others, bool in_warp);
    bool has_returned_early(const Lane& lane) const;
    void check_shuffle(unsigned lane, unsigned group);
    void check_named(unsigned lane, unsigned group);
    bool went_past(const Lane& lane, Site barrier) const;
    bool is_running(unsigned lane) const;
    void report_divergence(unsigned lane, Site barrier, bool in_warp, std::string detail, uint64_t times = 1);
    void report_waiting(const char* title, const std::string& waiting);
    void report(std::string title, unsigned lane, Place place, std::vector<std::string> details = {},
                uint64_t times = 1);
    Finding finding(std::string title, unsigned lane, Place place, std::vector<std::string> details,
                    uint64_t times = 1) const;

    BlockCheck& check_;
    std::vector<Lane> lanes_;
    RepeatedFindings repeated_;
    std::vector<Divergence> divergences_;
};

}  // namespace simt::check
