// SPDX-License-Identifier: MIT
#include "common/measure/origin.hpp"

#include <unistd.h>

#include <array>
#include <ctime>

#include "common/measure/nvml.hpp"
#include "common/measure/version.hpp"

// gethostname() may not terminate a name that fills the buffer, so it gets one byte less.
static std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 && name.front() != '\0' ? name.data() : "none";
}

static std::string utc_text(std::time_t time) {
    std::tm utc{};
    std::array<char, 32> written{};
    gmtime_r(&time, &utc);
    std::strftime(written.data(), written.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return written.data();
}

static std::string compiler() {
    const auto with_version = [](const char* name, int major, int minor, int patch) {
        return std::string(name) + '-' + std::to_string(major) + '.' + std::to_string(minor) + '.' +
               std::to_string(patch);
    };
#ifdef __clang__
    return with_version("clang++", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return with_version("g++", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

Origin origin_of_rows(const DeviceInfo& device) {
    static const std::string run_utc = utc_text(std::time(nullptr));
    const std::string driver = device.simulated ? "" : ClockMonitor(device.uuid).driver_version();
    return {driver.empty() ? "none" : driver, host_name(), run_utc, version_of_rows, device.cuda_version, compiler()};
}
