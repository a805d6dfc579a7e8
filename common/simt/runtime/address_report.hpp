// SPDX-License-Identifier: MIT
// Descriptions of addresses for messages about faults.
#pragma once

#include <string>

namespace simt {

// True if kernels may use the address: it is in a live allocation, in registered host memory or in a device variable.
bool is_device_address(const void* address);

// "4 bytes after the 4096-byte allocation #3 (cudaMalloc)", or "" if no allocation is anywhere near.
std::string describe_address(const void* address);

}  // namespace simt
