// The devices of this backend.
#pragma once

#include <cuda_runtime.h>

#include "common/cuda/device_info.hpp"

namespace BACKEND {

// Looks for devices without creating a context on any of them.
Probe probe_devices();

// A property by its attribute: also those that CUDA 13 removed from cudaDeviceProp.
int attribute(cudaDeviceAttr name, int ordinal);

// Peak memory bandwidth in GB/s: bus width in bytes x memory clock x 2 transfers a cycle. 0 if the clock is unknown.
double peak_bandwidth(int ordinal);

// "9.0" for 90.
std::string capability_text(int compute_capability);

}  // namespace BACKEND
