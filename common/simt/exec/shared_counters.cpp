// SPDX-License-Identifier: MIT
// Counters that all workers increment, and whose values they use: `out[atomicAdd(&count, 1)] = x`. Each addition would
// fetch the counter's cache line from another processor. So a worker that finds itself interrupted again and again takes
// a turn, in which it adds some hundred times, until its block pauses or ends, while those that wait for theirs do
// nothing. A turn is a courtesy: nothing is wrong if two workers have one at once, so one that has waited for long takes
// over.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>

#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt {

namespace {

constexpr unsigned additions_per_turn = 512;
constexpr auto longest_turn = std::chrono::microseconds(5);  // longer than so many additions take without contention

/// Whose turn it is; words with the same place share their turns.
struct alignas(128) TurnHolder {
    std::atomic<const SharedCounter*> holder = nullptr;
};

TurnHolder& holder_for(const void* address) {
    static TurnHolder holders[64];
    return holders[reinterpret_cast<std::uintptr_t>(address) / 4 % std::size(holders)];
}

}  // namespace

void begin_turn(SharedCounter& counter) {
    using Clock = std::chrono::steady_clock;
    std::atomic<const SharedCounter*>& holder = holder_for(counter.address).holder;
    const SharedCounter* seen = holder;
    auto last_change = Clock::now();
    while (seen != &counter) {
        if ((seen == nullptr || Clock::now() - last_change > longest_turn) &&
            holder.compare_exchange_weak(seen, &counter, std::memory_order_relaxed))
            break;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
        const SharedCounter* const now = holder.load(std::memory_order_relaxed);
        if (now != seen) last_change = Clock::now();
        seen = now;
    }
    counter.interruptions = 0;
    counter.turns = additions_per_turn;
}

void end_turn(SharedCounter& counter) {
    const SharedCounter* mine = &counter;
    holder_for(counter.address).holder.compare_exchange_strong(mine, nullptr, std::memory_order_relaxed);
    counter.turns = 0;
    counter.interruptions = SharedCounter::patience - 1;
}

}  // namespace simt
