// SPDX-License-Identifier: MIT
// Which device it is, and which CUDA it runs.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "common/cuda/check.cuh"
#include "common/cuda/device_info.hpp"
#include "common/io/text.hpp"
#include "tools/devquery/table.cuh"

namespace BACKEND {

// A version as CUDA encodes it: 13000 is 13.0.
inline std::string version_text(int version) { return text("{}.{}", version / 1000, version % 1000 / 10); }

inline std::vector<Property> identity_of(const DeviceInfo& device) {
    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    const char* cuda = "CUDA runtime";
    return {
        {"identity", "name", device.name, "none", cuda},
        {"identity", "ordinal", std::to_string(device.ordinal), "none", cuda},
        {"identity", "uuid", device.uuid, "none", cuda},
        {"identity", "pci_bus_id", device.pci_bus_id, "none", cuda},
        {"identity", "simulated", device.simulated ? "1" : "0", "bool", "this build"},
        {"identity", "compute_capability", capability_text(device.compute_capability), "none", cuda},
        {"identity", "driver_cuda_version", version_text(driver), "none", cuda},
        {"identity", "runtime_cuda_version", version_text(runtime), "none", cuda},
    };
}

}  // namespace BACKEND
