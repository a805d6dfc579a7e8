// SPDX-License-Identifier: MIT
// The models of GPUs that come with the simulator. `make gpu-model` measures one.
#include "common/simt/check/predict/gpu_model.hpp"

namespace simt::check {
namespace {

struct Shipped {
    const char* name;
    const char* text;
};

constexpr Shipped shipped[] = {
    {"h200", R"(
name = NVIDIA H200
source = measured
multiprocessors = 132
clock = 1979
threads = 2048
blocks = 32
registers = 65536
shared = 228
l1 = 256
l2 = 60
dram_bandwidth = 4309
l2_bandwidth = 5500
l1_requests = 0.53
partial_stores = 0.26
wavefronts = 0.993
texels = 3.97
issue = 3.41
single = 3.82
double = 1.99
special = 0.5
l1_latency = 39.6
shared_latency = 29.1
l2_latency = 296
dram_latency = 656
shared_update_latency = 85
arithmetic_latency = 4.48
exchange_latency = 37
barrier_latency = 28.7
atomic = 1.755
launch = 5750
next_launch = 2000
block = 0.603
)"},
};

}  // namespace

const std::vector<std::string>& shipped_gpu_models() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Shipped& one : shipped) all.push_back(one.name);
        return all;
    }();
    return names;
}

std::optional<std::string_view> shipped_gpu_model(std::string_view name) {
    for (const Shipped& one : shipped)
        if (name == one.name) return one.text;
    return std::nullopt;
}

}  // namespace simt::check
