// SPDX-License-Identifier: MIT
// Reports the races found in one block: two accesses become a race of the launch, with a severity and a count.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

class RaceReporter {
public:
    void begin_block(std::shared_ptr<RaceLaunch> launch, const char* kernel);
    void block_ended();

    /// Nothing orders the two, and one of them is a store or an atomic operation. `unless_flag`: they are a race unless
    /// this variable turns out to be a flag; without an address they are one in any case.
    void report_race(const ShadowRecord& earlier, bool earlier_is_store, const CheckedAccess& current,
                     const PossibleFlag& unless_flag);

    /// A store may have stored the value that was already there. This is known when the lane has reached its next
    /// event.
    bool has_doubts() const { return !doubtful_.empty(); }
    void settle_doubts();

    /// At this place the lane has read the value that it now updates with an atomic operation.
    void note_trying_read(uint64_t place);

    /// Something other than a kernel uses the memory, and nothing orders the two. `owner`: the block's number.
    void report_foreign(const ForeignRange& range, const Access& access, uint32_t owner);

private:
    struct Counted {
        uint64_t count = 0;
        Severity severity = Severity::info;
        bool is_known = false;  // to the launch
    };
    using CountedRace = std::pair<const RaceKey, Counted>;

    struct Doubtful {
        uintptr_t address;
        uint32_t bytes;
        unsigned char before[16];
        CountedRace* race;
        Severity severity;
    };

    void forget_counted();
    CountedRace& note(const RaceKey& key, Severity severity, const Clash& clash);

    std::shared_ptr<RaceLaunch> launch_;
    const char* kernel_ = "";
    std::vector<Doubtful> doubtful_;
    std::map<RaceKey, Counted> counted_;
    std::array<CountedRace*, 64> recent_ = {};  // some of them, by a mix of the key
    std::set<uint64_t> trying_reads_;           // places of plain reads that are followed by an atomic operation
};

}  // namespace simt::check
