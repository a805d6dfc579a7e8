// SPDX-License-Identifier: MIT
// The counts at the places of a kernel, before places become source lines.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/counters/results.hpp"

namespace simt::check {

/// How often each address was operated on. Exact for up to a million addresses; beyond that the least used are
/// forgotten.
class AddressCounts {
public:
    void add(uintptr_t address, uint64_t operations);
    template <typename Visit>
    void for_each(Visit visit) const {
        for (const Count& count : counts_) {
            if (count.operations > 0) visit(count.address, count.operations);
        }
    }

private:
    struct Count {
        uintptr_t address = 0;
        uint64_t operations = 0;
    };
    static constexpr size_t most_slots = size_t{1} << 21;

    Count& slot_of(uintptr_t address);
    void make_room();

    std::vector<Count> counts_;
    size_t used_ = 0;
};

/// A place and what warps have done there; the meaning of a member depends on the kind of place.
struct PlaceTally {
    EventPlace place;
    uintptr_t file = 0;           ///< the file's name, where lanes wait
    uint64_t requests = 0;        ///< how often a group of lanes came here
    uint64_t lanes = 0;           ///< lanes that came
    uint64_t distinct_bytes = 0;  ///< of global memory
    uint64_t moved = 0;           ///< sectors, or wavefronts
    uint64_t ideal = 0;           ///< wavefronts without conflicts
    /// For a basic block: the place it led to. If there are several, it ends in a branch.
    uintptr_t successor = 0;
    bool has_several_successors = false;
    uint64_t departures = 0;                   ///< how often a group of lanes left here,
    uint64_t uniform_departures = 0;           ///< and how often all of it to the same place
    std::unique_ptr<AddressCounts> addresses;  ///< of atomic operations

    void went_to(uintptr_t next);
    void add(const PlaceTally& other);
};

/// The tallies of the places of a kernel, found by place: a hash table whose tallies stay where they are.
class PlaceTable {
public:
    PlaceTable() : slots_(64) {}

    PlaceTally& operator[](EventPlace place) {
        for (size_t slot = first_slot(place);; slot = (slot + 1) % slots_.size()) {
            PlaceTally* const tally = slots_[slot];
            if (!tally) return insert(place);
            if (tally->place == place) return *tally;
        }
    }
    template <typename Visit>
    void for_each(Visit visit) const {
        for (const auto& tally : tallies_) visit(*tally);
    }
    void add(const PlaceTable& other);

private:
    size_t first_slot(EventPlace place) const {
        return (place.word() * 0x9e3779b97f4a7c15u >> 32) % slots_.size();  // (Fibonacci hashing)
    }
    PlaceTally& insert(EventPlace place);
    void put(PlaceTally* tally);

    std::vector<std::unique_ptr<PlaceTally>> tallies_;
    std::vector<PlaceTally*> slots_;  // a power of two of them, at most half of them used
};

struct LaunchCheck;

/// The counters of a launch, by place. Each resident block counts in its own table; the tables are added up at the end.
class LaunchCounters {
public:
    /// A table that only the caller writes until the launch ends.
    PlaceTable& new_table() {
        const std::lock_guard lock(mutex_);
        tables_.push_back(std::make_unique<PlaceTable>());
        return *tables_.back();
    }

    /// Adds up the tables and empties them: a launch in a graph can run again. All blocks have ended.
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

/// The source line of a place, without counts; line 0 if it is not known. `file`: the file's name, where lanes wait.
LineCounters line_of(EventPlace place, uintptr_t file);

/// The launch has ended: take_counters() will include its counts.
void keep_counters(const LaunchCheck& launch);

}  // namespace simt::check
