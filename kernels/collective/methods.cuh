// SPDX-License-Identifier: MIT
#pragma once
// The all-reduce kernels as table entries, and the choice among them.
#include "kernels/collective/low_latency.cuh"
#include "kernels/collective/one_shot.cuh"
#include "kernels/collective/two_shot.cuh"

namespace BACKEND {

/// How an all-reduce is launched on each device, and how many epochs a launch uses.
template <typename T>
struct AllReduceMethod {
    const char* name;
    LaunchShape (*launch)(const AllReduceArguments<T>&);
    unsigned (*epochs)(const AllReduceArguments<T>&);
    bool copies;  // it needs the exchange's copies
};

template <typename T>
AllReduceMethod<T> two_shot_method(const AllReduceArguments<T>&) {
    return {"two-shot", launch_two_shot<T>, [](const AllReduceArguments<T>&) { return 1U; }, false};
}

template <typename T>
AllReduceMethod<T> one_shot_method(const AllReduceArguments<T>&) {
    return {"one-shot", launch_one_shot<T>, [](const AllReduceArguments<T>&) { return 1U; }, true};
}

template <typename T>
AllReduceMethod<T> low_latency_method(const AllReduceArguments<T>&) {
    return {"low-latency", launch_low_latency<T>,
            [](const AllReduceArguments<T>& all) { return low_latency_shape(all).rounds; }, false};
}

/// Limits on the bytes that each device would send if it sent its input to every other one. A line is twice its data,
/// so tags pay only while latency dominates; for large inputs two-shot wins, because it moves each element the fewest
/// times. Both limits were measured on two H200s with tests/measure/collective.bash.
constexpr size_t most_low_latency_bytes = size_t{512} << 10;
constexpr size_t most_one_shot_bytes = size_t{4} << 20;

template <typename T>
AllReduceMethod<T> fastest_method(const AllReduceArguments<T>& all) {
    const size_t sent = all.n * sizeof(T) * (all.ranks - 1);
    if (sent <= most_low_latency_bytes) return low_latency_method(all);
    return sent <= most_one_shot_bytes ? one_shot_method(all) : two_shot_method(all);
}

}  // namespace BACKEND
