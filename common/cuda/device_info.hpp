// SPDX-License-Identifier: MIT
// What is known about a device, and the result of looking for devices: plain data, the same in every backend.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct DeviceInfo {
    int ordinal = 0;
    bool simulated = false;
    bool checked = false;                // simulated, and every load and store is checked
    bool is_model = false;               // simulated, with the figures and the sizes of a GPU, to predict times
    std::string name, uuid, pci_bus_id;  // "GPU-xxxxxxxx-...", "0000:65:00.0"
    int compute_capability = 0;          // 90 for 9.0
    int multiprocessors = 0;
    int clock_khz = 0;  // their maximum; 0 if the driver does not report it
    std::size_t memory_bytes = 0, l2_bytes = 0;
    std::string cuda_version = "none";  // of the nvcc that compiled its kernels, "13.0.88"; none in the simulator
    double peak_gbyte_per_s = 0;        // from bus width and memory clock; 0 if the driver does not report them
    std::size_t process = 0;            // which of a launcher's processes drives it
};

// The sum of a rate over `count` devices that work together; 0 if the rate of one is unknown. Devices beyond those in
// `gang` are assumed to have their average rate.
template <typename RateOf>
double sum_of_rates(const std::vector<DeviceInfo>& gang, std::size_t count, RateOf rate_of) {
    const std::size_t known = count < gang.size() ? count : gang.size();
    double sum = 0;
    for (std::size_t rank = 0; rank < known; ++rank) {
        const double rate = rate_of(gang[rank]);
        if (!(rate > 0)) return 0;
        sum += rate;
    }
    return known > 0 ? sum * double(count) / double(known) : 0;
}

// A device in a table: "0" is the first GPU, "sim" and "sim1" are the first two simulated devices.
inline std::string device_label(const DeviceInfo& device) {
    if (device.simulated && device.ordinal == 0) return "sim";
    return (device.simulated ? "sim" : "") + std::to_string(device.ordinal);
}

// Each reason for having no device needs its own remedy.
struct Probe {
    enum Status { found, no_driver, driver_too_old, no_device, no_gpu_code, failed } status = no_device;
    std::string detail;  // more about a failure
    std::vector<DeviceInfo> devices;
};
