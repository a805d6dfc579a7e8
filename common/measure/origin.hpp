// SPDX-License-Identifier: MIT
// Where, when and by which build the rows of a run were measured: their last common columns.
#pragma once

#include <string>

#include "common/cuda/device_info.hpp"

struct Origin {
    std::string driver_version = "none";  // of the GPU's driver, "580.65.06"; none in the simulator or if unknown
    std::string host_name = "none";       // of the machine
    std::string run_utc;                  // when the program began to measure, "2026-11-22T21:25:30Z"
    std::string version;                  // of the program, with the revision, "0.2.0+fa770ee01234"
    std::string cuda_version = "none";    // of the nvcc that compiled the kernels, "13.0.88"; none in the simulator
    std::string compiler;                 // of the host's code and of simulated kernels, "g++-12.2.0"
};

// Every call in a process returns the same time, so that it identifies the rows of one run, even on several devices.
Origin origin_of_rows(const DeviceInfo& device);
