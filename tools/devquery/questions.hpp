// SPDX-License-Identifier: MIT
// The questions that devquery answers by calculating: each is a list of figures by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/measure/little.hpp"

// "gpu=h200,latency=20": what is said of a GPU, and what it is asked.
struct Question {
    std::string gpu;                                     // a model's name or file; "" for the device
    std::map<std::string, std::vector<double>> numbers;  // by name

    // The last number of that name, or the other one.
    double number(const std::string& name, double otherwise) const;
    bool has(const std::string& name) const { return numbers.count(name) > 0; }
};

// Failure(usage) if a figure is no number above 0, or its name is unknown.
Question parse_little(const std::string& list);
Question parse_roofline(const std::string& list);

// The figures of the GPU that the question is about, with those that it gives. Failure(unavailable) if one is unknown.
HidingFigures figures_for_little(const Question& question, const DeviceInfo& device);

// How many operations a GPU can do that loads so many bytes for each of them.
struct RooflinePoint {
    std::string gpu;
    double bytes_per_flop = 0, gbyte_per_s = 0, gflop_per_s = 0;  // the GPU's peaks

    double needed_gbyte_per_s() const { return bytes_per_flop * gflop_per_s; }
    bool is_bound_by_memory() const { return needed_gbyte_per_s() > gbyte_per_s; }
    double attainable_gflop_per_s() const { return is_bound_by_memory() ? gbyte_per_s / bytes_per_flop : gflop_per_s; }
};

// A point for each bytes_per_flop of the question. Failure(unavailable) if a peak is unknown.
std::vector<RooflinePoint> roofline(const Question& question, const DeviceInfo& device);
