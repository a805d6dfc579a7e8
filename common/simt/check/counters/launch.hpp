// SPDX-License-Identifier: MIT
// The counters of a launch, by place. Each resident block counts in its own table; the tables are added up at the end.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/check/counters/places.hpp"

namespace simt::check {

struct LaunchCheck;

class LaunchCounters {
public:
    // A table that only the caller writes until the launch ends.
    PlaceTable& new_table() {
        const std::lock_guard lock(mutex_);
        tables_.push_back(std::make_unique<PlaceTable>());
        return *tables_.back();
    }

    // Adds up the tables and empties them: a launch in a graph can run again. All blocks have ended.
    PlaceTable take() {
        PlaceTable total;
        for (const auto& table : tables_) {
            total.add(*table);
            *table = {};
        }
        return total;
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<PlaceTable>> tables_;
};

// The launch has ended: take_counters() will include its counts.
void keep_counters(const LaunchCheck& launch);

}  // namespace simt::check
