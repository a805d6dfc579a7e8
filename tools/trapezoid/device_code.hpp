// SPDX-License-Identifier: MIT
// CUDA C++ compiled for a GPU while the program runs, by NVIDIA's run-time compiler, which is loaded when it is needed.
#pragma once

#include <string>
#include <vector>

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
