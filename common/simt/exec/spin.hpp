// SPDX-License-Identifier: MIT
// Waiting for another thread without sleeping: worth it where the answer usually comes within microseconds, for a
// sleeping thread takes that long to wake.
#pragma once

#include <chrono>

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

}  // namespace simt
