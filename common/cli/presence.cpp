// SPDX-License-Identifier: MIT
#include "common/cli/presence.hpp"

#include <unistd.h>

#include <cstdlib>

#include "common/cli/backend.hpp"

// The device nodes of the drivers for PCs, WSL and Jetson.
bool seems_without_gpu() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!gpu::backend || (visible && !*visible)) return true;
    for (const char* node : {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvgpu"})
        if (access(node, F_OK) == 0) return false;
    return true;
}
