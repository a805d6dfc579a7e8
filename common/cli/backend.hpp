// SPDX-License-Identifier: MIT
// The interface between a program's main(), compiled once, and its CUDA part, compiled once per backend: namespace gpu
// by nvcc, namespace sim by simcc, namespace checked by simcc --check. Each backend's objects export exactly one
// symbol, backend().
#pragma once

#include "common/cli/program.hpp"
#include "common/cuda/device_info.hpp"

class Session;

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
namespace checked {
[[gnu::weak]] const Backend& backend();  // absent from a program that was linked without it
}
