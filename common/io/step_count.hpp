// How far a step is: counted where the work is done, read by whoever shows it.
#pragma once

#include <atomic>
#include <cstddef>

// What a step counts.
enum class StepUnit { parts, bytes };

struct StepCount {
    std::atomic<std::size_t> done{0}, total{0};  // a total of 0 is not known
    std::atomic<double> most_seconds{0};         // the step ends by then; 0 is not known
};
