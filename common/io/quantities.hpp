// SPDX-License-Identifier: MIT
// Amounts as people read them, and the progress of a step: counted where the work is done, and read where it is shown.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

// "16.0 GiB", "512 B": for messages and human tables.
std::string human_bytes(double bytes);

// "7 s", "12 min", "2.5 h".
std::string human_duration(double seconds);

// What a step counts.
enum class StepUnit { parts, bytes };

struct StepCount {
    std::atomic<std::size_t> done{0}, total{0};  // a total of 0 is unknown
    std::atomic<double> most_seconds{0};         // the step ends by then; 0 is unknown
};
