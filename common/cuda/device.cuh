// SPDX-License-Identifier: MIT
// The devices of this backend.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "common/cuda/device_info.hpp"

namespace BACKEND {

// Looks for devices without creating a context on any of them.
Probe probe_devices();

// A device attribute, including those that CUDA 13 removed from cudaDeviceProp; 0 if the driver does not know it.
int attribute(cudaDeviceAttr name, int ordinal);

// Peak memory bandwidth in GB/s: bus width in bytes x memory clock x 2 transfers per cycle. 0 if the clock is unknown.
double peak_bandwidth(int ordinal);

// "9.0" for 90.
std::string capability_text(int compute_capability);

}  // namespace BACKEND
