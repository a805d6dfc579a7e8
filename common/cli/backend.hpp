// The door between a program's main(), compiled once, and its CUDA part, compiled once per backend:
// namespace gpu by nvcc, namespace sim by simcc, namespace simck by simcc --check. Each backend's objects export exactly
// one symbol, backend().
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/program.hpp"

class Session;

struct DeviceInfo {
    int ordinal = 0;
    bool simulated = false;
    bool checked = false;  // simulated, and every load and store is watched
    std::string name, uuid, pci_bus_id;  // "GPU-xxxxxxxx-...", "0000:65:00.0"
    int compute_capability = 0;          // 90 for 9.0
    int multiprocessors = 0;
    std::size_t memory_bytes = 0, l2_bytes = 0;
    double peak_gbyte_per_s = 0;  // from bus width and memory clock; 0 when the driver does not tell
};

// What a look for devices found; the ways to have none call for different remedies.
struct Probe {
    enum Status { found, no_driver, driver_too_old, no_device, no_gpu_code, failed } status = no_device;
    std::string detail;  // for the failures: CUDA's own words
    std::vector<DeviceInfo> devices;
};

struct Backend {
    const Program* program;
    Probe (*probe)();
    void (*run)(Session&);  // on the device of the session
};

namespace gpu {
[[gnu::weak]] const Backend& backend();  // absent from a build without nvcc
}
namespace sim {
const Backend& backend();
}
namespace simck {
[[gnu::weak]] const Backend& backend();  // absent from a program that was linked without it
}
