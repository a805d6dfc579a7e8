// SPDX-License-Identifier: MIT
// What racecheck remembers of memory that outlives a block: device memory and the variables of the program.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/shadow.hpp"

// ---- the synchronization variables of global memory, by address: variables in which something was published

namespace simt::check {

/// Variables of one stripe share a lock, which makes an atomic operation and its log entry one step.
class SyncVariables {
public:
    class Stripe {
    public:
        void lock();
        void unlock() { locked_.clear(std::memory_order_release); }

        /// Call it with the lock held. Null: nothing was published there.
        std::shared_ptr<SyncLog> find(uintptr_t address) const;
        std::shared_ptr<SyncLog> at(uintptr_t address);

    private:
        friend class SyncVariables;
        std::atomic_flag locked_ = ATOMIC_FLAG_INIT;
        std::unordered_map<uintptr_t, std::shared_ptr<SyncLog>> logs_;
    };

    Stripe& stripe(uintptr_t address) { return stripes_[(address >> 3) % stripe_count]; }
    /// Call it when no kernel runs.
    void forget();

private:
    static constexpr size_t stripe_count = 256;
    Stripe stripes_[stripe_count];
};

/// The bytes that lanes have polled in a loop: flags and locks. Thread-safe.
class PolledVariables {
public:
    void insert(uintptr_t address, uint32_t bytes) {
        const std::lock_guard lock(mutex_);
        for (uint32_t i = 0; i < bytes; ++i) addresses_.insert(address + i);
    }
    bool contains(uintptr_t address) const {
        const std::lock_guard lock(mutex_);
        return addresses_.count(address) != 0;
    }
    /// The memory belongs to another allocation from now on.
    void forget(uintptr_t begin, size_t bytes) {
        const std::lock_guard lock(mutex_);
        std::erase_if(addresses_, [=](uintptr_t address) { return address - begin < bytes; });
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        addresses_.clear();
    }

private:
    mutable std::mutex mutex_;
    std::unordered_set<uintptr_t> addresses_;
};

class RaceMemory {
public:
    RaceMemory();

    /// By word. `variables`: the data of each module with kernels, where __device__ variables are.
    ShadowMap device;
    std::deque<ShadowMap> variables;
    ShadowMap* variables_at(uintptr_t address);  ///< null if there are none
    SyncVariables sync_variables;
    PolledVariables polled_variables;

    /// By byte, for words whose bytes belong to different lanes; created for the first such word.
    ShadowMap& bytes_of(const ShadowMap& words);

    /// The program has been given this memory: earlier accesses belong to an earlier allocation.
    void forget(uintptr_t begin, size_t bytes);
    void forget();

private:
    std::once_flag device_once_, variables_once_;
    ShadowMap device_bytes_;
    std::deque<ShadowMap> variable_bytes_;
};

RaceMemory& race_memory();

/// Called when device memory is allocated.
void memory_was_allocated(uintptr_t begin, size_t bytes);

}  // namespace simt::check
