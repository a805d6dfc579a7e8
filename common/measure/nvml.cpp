// SPDX-License-Identifier: MIT
#include "common/measure/nvml.hpp"

#include <array>
#include <vector>

// The few constants of NVML's stable C interface that are used here (nvml.h need not be installed).
constexpr int nvml_success = 0;
constexpr int nvml_clock_sm = 1, nvml_clock_memory = 2;
constexpr unsigned long long nvml_throttle_mask = 0x4      // software power cap
                                                  | 0x8    // hardware slowdown
                                                  | 0x20   // software thermal slowdown
                                                  | 0x40   // hardware thermal slowdown
                                                  | 0x80;  // hardware power brake

ClockMonitor::ClockMonitor(const std::string& uuid)
    : library_(uuid.empty() ? std::vector<std::string>{} : std::vector<std::string>{"libnvidia-ml.so.1"}) {
    int (*init)() = nullptr;
    int (*find)(const char*, void**) = nullptr;
    if (!library_.find(init, "nvmlInit_v2") || !library_.find(find, "nvmlDeviceGetHandleByUUID") ||
        init() != nvml_success || find(uuid.c_str(), &device_) != nvml_success)
        device_ = nullptr;
}

ClockMonitor::~ClockMonitor() {
    int (*shutdown)() = nullptr;
    if (library_.find(shutdown, "nvmlShutdown")) shutdown();
}

std::string ClockMonitor::driver_version() const {
    int (*read)(char*, unsigned) = nullptr;
    std::array<char, 80> version{};  // the longest from NVML
    if (!device_ || !library_.find(read, "nvmlSystemGetDriverVersion") ||
        read(version.data(), unsigned(version.size())) != nvml_success)
        return "";
    return version.data();
}

int ClockMonitor::clock(int domain) const {
    int (*read)(void*, int, unsigned*) = nullptr;
    unsigned mhz = 0;
    if (!device_ || !library_.find(read, "nvmlDeviceGetClockInfo") || read(device_, domain, &mhz) != nvml_success)
        return 0;
    return static_cast<int>(mhz);
}

int ClockMonitor::sm_clock_mhz() const { return clock(nvml_clock_sm); }
int ClockMonitor::memory_clock_mhz() const { return clock(nvml_clock_memory); }

bool ClockMonitor::throttled() const {
    int (*read)(void*, unsigned long long*) = nullptr;
    unsigned long long reasons = 0;
    if (!device_ || !library_.find(read, "nvmlDeviceGetCurrentClocksThrottleReasons") ||
        read(device_, &reasons) != nvml_success)
        return false;
    return (reasons & nvml_throttle_mask) != 0;
}
