// SPDX-License-Identifier: MIT
// Records the actions of one block's lanes. A hook is called before its access, so a store's value is read when
// anything else happens in the block: until then no other lane has run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/trace/actions.hpp"

namespace simt::check {

class BlockTrace final : public Checker {
public:
    explicit BlockTrace(BlockCheck& check) : check_(check) {}

    void begin_block() override;
    void access(const Access& access);
    void arrive(check::Wait kind, unsigned mask, unsigned source, Site site) override;
    void meeting_completed(unsigned warp, unsigned lanes) override;
    void lane_ended(unsigned lane) override;
    void block_ended() override;

private:
    struct Lane {
        uint32_t epoch = 0;
        std::optional<uint32_t> shuffle;  // the lane that it reads from, while it waits
    };

    void settle();

    BlockCheck& check_;
    std::vector<Lane> lanes_;
    std::vector<LaneAction> actions_;
    uintptr_t unsettled_ = 0;  // where the last action is about to write; 0: it is not
};

}  // namespace simt::check
