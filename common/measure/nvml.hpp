// Clocks and throttle reasons of a GPU, and its driver's version, through the driver's management library, loaded at run time:
// nothing is linked, and where the library is missing every answer is "unknown".
#pragma once

#include <string>

#include "common/cuda/library.hpp"

class ClockMonitor {
public:
    // For the GPU of that UUID ("GPU-..."). Without one, for a simulated device, no library is loaded: it would start
    // the driver. Never throws.
    explicit ClockMonitor(const std::string& uuid);
    ~ClockMonitor();
    ClockMonitor(const ClockMonitor&) = delete;
    ClockMonitor& operator=(const ClockMonitor&) = delete;

    std::string driver_version() const;  // "580.65.06"; "" if unknown
    int sm_clock_mhz() const;            // 0 if unknown
    int memory_clock_mhz() const;        // 0 if unknown
    // True while the clocks are held down by power, heat or an external brake (not by idleness or a user's setting).
    bool throttled() const;

private:
    int clock(int domain) const;

    const Library library_;
    void* device_ = nullptr;
};
