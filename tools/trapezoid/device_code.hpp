// SPDX-License-Identifier: MIT
// CUDA C++ compiled for a GPU while the program runs, by NVIDIA's run-time compiler, and loaded into the current device
// by the driver's library. Both libraries are loaded when they are needed.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/cuda/library.hpp"

struct SourceText {
    const char* name;  // by which others include it
    const char* text;
};

struct DeviceCode {
    std::vector<char> image;         // machine code for that GPU, or PTX that its driver compiles
    std::vector<std::string> names;  // of the wanted kernels in it
};

// Compiles `source`, which may include `headers`, for a GPU of this compute capability: 90 is 9.0. `kernels` are the
// names of instances as C++ writes them. Failure(unavailable) if there is no NVRTC.
DeviceCode compile_for_gpu(const std::string& source, const std::vector<SourceText>& headers,
                           const std::vector<std::string>& kernels, int capability);

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
