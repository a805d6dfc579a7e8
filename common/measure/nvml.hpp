// SPDX-License-Identifier: MIT
// A GPU's clocks and throttling, and its driver's version, from the driver's management library. It is loaded at run
// time, not linked; without it every answer is "unknown".
#pragma once

#include <string>

#include "common/cuda/library.hpp"

class ClockMonitor {
public:
    // For the GPU with this UUID ("GPU-..."). If it is empty, as for a simulated device, no library is loaded, which
    // would start the driver. Never throws.
    explicit ClockMonitor(const std::string& uuid);
    ~ClockMonitor();
    ClockMonitor(const ClockMonitor&) = delete;
    ClockMonitor& operator=(const ClockMonitor&) = delete;

    std::string driver_version() const;  // "580.65.06"; "" if unknown
    int sm_clock_mhz() const;            // 0 if unknown
    int memory_clock_mhz() const;        // 0 if unknown
    // Whether power, heat or an external brake holds the clocks down (not idleness or a user's setting).
    bool throttled() const;

private:
    int clock(int domain) const;

    const Library library_;
    void* device_ = nullptr;
};
