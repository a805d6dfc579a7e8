// Where and when the rows of a run were measured, as their last common columns say.
#pragma once

#include <string>

#include "common/cuda/device_info.hpp"

struct Origin {
    std::string driver_version = "none";  // of the GPU's driver, "580.65.06"; none in the simulator or if unknown
    std::string host_name = "none";       // of the machine
    std::string run_utc;                  // when the program began to measure, "2026-11-22T21:25:30Z"
};

// Every call in one process gives the same time, so that it tells the rows of a run on several devices from others'.
Origin origin_of_rows(const DeviceInfo& device);
