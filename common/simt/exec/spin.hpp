// SPDX-License-Identifier: MIT
// Waiting for another thread without sleeping: worth it where the answer usually comes within microseconds, for a
// sleeping thread takes that long to wake.
#pragma once

#include <chrono>
#include <mutex>

namespace simt {

/// Spins until the condition holds, but only for some microseconds: longer than a small kernel takes, shorter than a
/// wake-up and a time slice. Returns whether it holds.
template <typename Condition>
bool spin_until(Condition condition) {
    constexpr auto spin_time = std::chrono::microseconds(10);
    const auto deadline = std::chrono::steady_clock::now() + spin_time;
    do {
        for (int i = 0; i < 16; ++i) {
            if (condition()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            asm volatile("yield");
#endif
        }
    } while (std::chrono::steady_clock::now() < deadline);
    return false;
}

/// Locks. The others hold these mutexes only for as long as they need to change a list, and std::mutex would sleep.
template <typename Lock>
void lock_soon(Lock& lock) {
    if (!spin_until([&] { return lock.try_lock(); })) lock.lock();
}

/// The same as a guard: `std::unique_lock lock = locked_soon(mutex);`
template <typename Mutex>
std::unique_lock<Mutex> locked_soon(Mutex& mutex) {
    std::unique_lock lock(mutex, std::defer_lock);
    lock_soon(lock);
    return lock;
}

}  // namespace simt
