// SPDX-License-Identifier: MIT
// Chooses the lane that goes next in a checked block, for the schedules other than the independent one.
//
// Random: any lane of any warp that can run, and a lane may lose its turn at any access. Lockstep: the lanes of a warp
// advance together, one basic block or access at a time. Where they have diverged, the lanes furthest behind in the
// source go first, and lanes that have left a loop wait for those that only wait in it. GPUs before Volta worked like
// this, since their lanes had no program counters of their own: a lane that loops until another lane of its warp acts
// after the loop waits forever.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/check/core/settings.hpp"

namespace simt::check {

class Turns {
public:
    void begin_block(uint64_t launch, uint64_t block, unsigned lanes);

    Schedule schedule() const { return schedule_; }
    bool are_chosen() const { return schedule_ != Schedule::independent; }
    bool are_in_step() const { return schedule_ == Schedule::lockstep; }

    /// Random: a number below a limit; whether the running lane loses its turn at an access.
    uint32_t below(uint32_t limit);
    bool ends_at_access() { return are_in_step() || below(accesses_per_turn) == 0; }

    /// Lockstep: a lane enters a basic block, or reaches an access in one; its last such place; and which candidates of
    /// a warp are furthest behind.
    void entered(unsigned lane, const void* pc);
    void comes_to(unsigned lane, const void* pc) { places_[lane].pc = pc; }
    const void* place_of(unsigned lane) const { return places_[lane].pc; }
    uint32_t furthest_behind(unsigned warp, uint32_t candidates) const;

private:
    static constexpr uint32_t accesses_per_turn = 32;

    // A basic block: its line and address in its function.
    struct KnownBlock {
        size_t function = 0;
        uint64_t position = 0;
    };
    // The place of a lane. In a function that was not inlined: where the kernel calls it, and where in it the lane is.
    struct Place {
        uint64_t in_kernel = 0, in_function = 0;
        const void* pc = nullptr;
    };

    const KnownBlock& block_at(const void* pc);

    Schedule schedule_ = Schedule::independent;
    uint64_t state_ = 0;  // of the random numbers
    size_t kernel_ = 0;   // the function that the block's first lane entered first
    bool knows_kernel_ = false;
    std::vector<Place> places_;  // by lane
    std::unordered_map<const void*, KnownBlock> known_blocks_;
};

/// The block that runs at position `index`: a permutation chosen by the seed.
uint64_t random_block(uint64_t index, uint64_t count);

}  // namespace simt::check
