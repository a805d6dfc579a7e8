// SPDX-License-Identifier: MIT
// Waiting for other processes, by polling.
#pragma once

#include <chrono>
#include <thread>

using WaitClock = std::chrono::steady_clock;

inline double seconds_since(WaitClock::time_point begin) {
    return std::chrono::duration<double>(WaitClock::now() - begin).count();
}

inline void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }
