// SPDX-License-Identifier: MIT
// Machine code that was compiled at run time, loaded into the current device by the driver's library.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/cuda/library.hpp"
#include "tools/trapezoid/nvrtc.hpp"

struct KernelExtent {
    unsigned x = 1, y = 1, z = 1;
};

class DeviceModule {
public:
    // `kernels`: what launch() calls the kernels of code.names, in their order. The runtime API must have made its
    // context on the device. Failure(cuda_error) with the driver's message.
    DeviceModule(const DeviceCode& code, const std::vector<std::string>& kernels);
    ~DeviceModule();
    DeviceModule(const DeviceModule&) = delete;
    DeviceModule& operator=(const DeviceModule&) = delete;

    void launch(const std::string& kernel, KernelExtent grid, KernelExtent block, std::size_t shared_bytes,
                void* stream, void** parameters) const;

private:
    void check(int status, const char* call) const;

    const Library library_;
    void* module_ = nullptr;
    std::map<std::string, void*> functions_;
};
