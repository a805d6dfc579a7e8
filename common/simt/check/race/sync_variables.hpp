// SPDX-License-Identifier: MIT
// The synchronization variables of global memory, by address: variables in which something was published.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "common/simt/check/race/knowledge.hpp"

namespace simt::check {

// Variables of one stripe share a lock, which makes an atomic operation and its log entry one step.
class SyncVariables {
public:
    class Stripe {
    public:
        void lock();
        void unlock() { locked_.clear(std::memory_order_release); }

        // Call it with the lock held. Null: nothing was published there.
        std::shared_ptr<SyncLog> find(uintptr_t address) const;
        std::shared_ptr<SyncLog> at(uintptr_t address);

    private:
        friend class SyncVariables;
        std::atomic_flag locked_ = ATOMIC_FLAG_INIT;
        std::unordered_map<uintptr_t, std::shared_ptr<SyncLog>> logs_;
    };

    Stripe& stripe(uintptr_t address) { return stripes_[(address >> 3) % stripe_count]; }
    // Call it when no kernel runs.
    void forget();

private:
    static constexpr size_t stripe_count = 256;
    Stripe stripes_[stripe_count];
};

}  // namespace simt::check
