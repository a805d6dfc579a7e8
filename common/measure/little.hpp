// SPDX-License-Identifier: MIT
// Little's law on a GPU: what has to be in flight is latency times throughput. It can be the work of more threads, or of
// each thread more that does not depend on the rest.
#pragma once

#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"

// What the law needs to know of a GPU. 0: unknown.
struct HidingFigures {
    std::string gpu;  // "NVIDIA H200"
    double multiprocessors = 0, clock_mhz = 0;
    double threads = 0;                          // that a multiprocessor has room for
    double arithmetic_latency = 0, lanes = 0;    // cycles; f32 results per cycle and multiprocessor
    double memory_latency = 0, gbyte_per_s = 0;  // cycles; of all multiprocessors
    double gflop_per_s() const { return 2e-3 * lanes * multiprocessors * clock_mhz; }  // of products that are added
    double bytes_per_cycle() const { return gbyte_per_s * 1e3 / clock_mhz; }
    // Of a multiprocessor, each with its share of the lanes: a warp computes in one of them.
    double partitions = 4;
    // In flight on a multiprocessor while all of the latency is hidden.
    double operations_in_flight() const { return arithmetic_latency * lanes; }
    double bytes_in_flight() const { return memory_latency * bytes_per_cycle() / multiprocessors; }
};

// The share of the peak that so many warps on each multiprocessor can reach, from 0 to 1; 0 if it is unknown. Each of their
// threads has so many operations in flight, or bytes if `is_memory`.
double reachable(const HidingFigures& figures, bool is_memory, double warps, double per_thread);

// Those of a model that the simulator predicts times for: its name, or a file; "": the newest. Failure(usage), which names
// the option, if there is no such model.
HidingFigures hiding_figures_of_model(const std::string& model, const char* option);

// Those of a device. Of a GPU that a shipped model describes, its figures; of another one, what the driver and the tables
// say, without latencies. In the simulator, those of the newest model.
HidingFigures hiding_figures_of(const DeviceInfo& device);

// One way to have enough in flight.
struct Hiding {
    bool is_memory = false;
    double latency = 0, per_cycle = 0, in_flight = 0;  // of a multiprocessor: operations, or bytes
    unsigned bytes = 0;                                // that a thread loads at once; 0 for arithmetic
    unsigned per_thread = 1;                           // independent operations or loads
    double threads = 0, warps = 0, occupancy_percent = 0;
    bool is_possible() const { return occupancy_percent <= 100; }
};

// Arithmetic, and loads of 4 and 16 bytes, each with 1, 2, 4 and 8 in flight per thread.
std::vector<Hiding> ways_to_hide(const HidingFigures& figures);
