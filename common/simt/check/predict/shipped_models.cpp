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
clock = 1980               # MHz, under load
threads = 2048
blocks = 32
registers = 65536
shared = 228               # KiB
l1 = 256                   # KiB
l2 = 50                    # MiB
dram_bandwidth = 4300      # GB/s
l2_bandwidth = 5500        # GB/s
wavefronts = 1
l2_requests = 0.33
texels = 4
shared_update = 12
issue = 4
single = 4
double = 2
special = 0.5
l1_latency = 38            # cycles
shared_latency = 30
l2_latency = 260
dram_latency = 700
arithmetic_latency = 4
exchange_latency = 25
barrier_latency = 20
atomic = 1.755             # ns
launch = 2700              # ns
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
