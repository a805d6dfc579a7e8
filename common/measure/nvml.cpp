#include "common/measure/nvml.hpp"

#include <dlfcn.h>

#include <array>

// The few constants of NVML's stable C interface that are used here (nvml.h need not be installed).
constexpr int nvml_success = 0;
constexpr int nvml_clock_sm = 1, nvml_clock_memory = 2;
constexpr unsigned long long nvml_throttle_mask = 0x4      // software power cap
                                                  | 0x8    // hardware slowdown
                                                  | 0x20   // software thermal slowdown
                                                  | 0x40   // hardware thermal slowdown
                                                  | 0x80;  // hardware power brake

void* ClockMonitor::symbol(const char* name) const { return library_ ? dlsym(library_, name) : nullptr; }

ClockMonitor::ClockMonitor(const std::string& uuid) {
    if (uuid.empty()) return;
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    const auto init = reinterpret_cast<int (*)()>(symbol("nvmlInit_v2"));
    const auto find = reinterpret_cast<int (*)(const char*, void**)>(symbol("nvmlDeviceGetHandleByUUID"));
    if (!init || !find || init() != nvml_success || find(uuid.c_str(), &device_) != nvml_success) device_ = nullptr;
}

ClockMonitor::~ClockMonitor() {
    if (const auto shutdown = reinterpret_cast<int (*)()>(symbol("nvmlShutdown"))) shutdown();
    if (library_) dlclose(library_);
}

std::string ClockMonitor::driver_version() const {
    const auto read = reinterpret_cast<int (*)(char*, unsigned)>(symbol("nvmlSystemGetDriverVersion"));
    std::array<char, 80> version{};  // the longest that NVML gives
    if (!device_ || !read || read(version.data(), unsigned(version.size())) != nvml_success) return "";
    return version.data();
}

int ClockMonitor::clock(int domain) const {
    const auto read = reinterpret_cast<int (*)(void*, int, unsigned*)>(symbol("nvmlDeviceGetClockInfo"));
    unsigned mhz = 0;
    if (!device_ || !read || read(device_, domain, &mhz) != nvml_success) return 0;
    return static_cast<int>(mhz);
}

int ClockMonitor::sm_clock_mhz() const { return clock(nvml_clock_sm); }
int ClockMonitor::memory_clock_mhz() const { return clock(nvml_clock_memory); }

bool ClockMonitor::throttled() const {
    const auto read =
        reinterpret_cast<int (*)(void*, unsigned long long*)>(symbol("nvmlDeviceGetCurrentClocksThrottleReasons"));
    unsigned long long reasons = 0;
    if (!device_ || !read || read(device_, &reasons) != nvml_success) return false;
    return (reasons & nvml_throttle_mask) != 0;
}
