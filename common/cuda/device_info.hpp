// What is known about a device, and the result of looking for devices: plain data, the same in every backend.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct DeviceInfo {
    int ordinal = 0;
    bool simulated = false;
    bool checked = false;                // simulated, and every load and store is checked
    std::string name, uuid, pci_bus_id;  // "GPU-xxxxxxxx-...", "0000:65:00.0"
    int compute_capability = 0;          // 90 for 9.0
    int multiprocessors = 0;
    std::size_t memory_bytes = 0, l2_bytes = 0;
    double peak_gbyte_per_s = 0;  // from bus width and memory clock; 0 when the driver does not report them
    std::size_t process = 0;      // the one that drives it, of those that a launcher has started
};

// Each reason for having no device needs a remedy of its own.
struct Probe {
    enum Status { found, no_driver, driver_too_old, no_device, no_gpu_code, failed } status = no_device;
    std::string detail;  // for the failures: CUDA's own words
    std::vector<DeviceInfo> devices;
};
