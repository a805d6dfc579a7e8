// SPDX-License-Identifier: MIT
// What the checks of one block have reported about a launch. A finding that an earlier thread already had at the same
// place is only counted: a faulty kernel usually fails in every thread, and writing a text for each would take long.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>

#include "common/simt/check/core/finding.hpp"

namespace simt::check {

class RepeatedFindings {
public:
    // Called when a block begins. The first thread of the lowest-numbered block stands for a finding.
    void begin_block(uint64_t launch, uint64_t block) {
        if (launch != launch_) known_.clear();
        launch_ = launch;
        block_ = block;
    }

    // Reports the finding that `make` returns, or only counts it once more. `what`: a number for the finding's tool and
    // title; `lane`: the thread in the block.
    template <class Make>
    void report(uint64_t what, const Place& place, unsigned lane, Make make) {
        const std::pair<uint64_t, unsigned> thread(block_, lane);
        const auto [position, is_new] = known_.try_emplace({what, place.pc, place.file, place.line});
        Known& known = position->second;
        if (!is_new && known.thread <= thread) return report_again(known.finding);
        known = {check::report(make()), thread};
    }

private:
    struct Key {
        uint64_t what;
        const void* pc;
        const char* file;
        unsigned line;
        auto operator<=>(const Key& other) const = default;
    };
    struct Known {
        Collected* finding = nullptr;
        std::pair<uint64_t, unsigned> thread;  // the first one, as far as this object knows
    };

    uint64_t launch_ = 0, block_ = 0;
    std::map<Key, Known> known_;
};

}  // namespace simt::check
