// SPDX-License-Identifier: MIT
// The models of GPUs that come with the simulator. `make gpu-model` measures one.
#include "common/simt/check/predict/gpu_model.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
clock = 1979.9             # measured: MHz, under load
threads = 2048
blocks = 32
registers = 65536
shared = 228
l1 = 256
l2 = 60
dram_bandwidth = 4388.5    # measured: GB/s, a gibibyte read once
l2_bandwidth = 8793.1      # measured: GB/s, 32 MiB read again and again
partial_stores = 0.28926    # measured: per cycle, a word per lane and line
wavefronts = 1.0009        # measured: per cycle, loads from shared memory
texels = 3.9762            # measured: per cycle
issue = 3.4067             # measured: instructions of a warp per cycle, of two kinds
single = 3.8119            # measured: the same, products and sums of floats
double = 1.9892            # measured: the same, of doubles
special = 0.5              # measured: the same, reciprocal roots
l1_latency = 39.598        # measured: cycles, a chain in 16 KiB
shared_latency = 29.058    # measured: cycles
l2_latency = 287.22        # measured: cycles, a chain in 4 MiB
dram_latency = 646.28      # measured: cycles, a chain in 512 MiB
l1_requests = 0.58923       # measured: per cycle, loads that hit L1
shared_update_latency = 89.547   # measured: cycles, additions of a block to one float
arithmetic_latency = 4.4792 # measured: cycles, a product and a sum
exchange_latency = 36.989  # measured: cycles, a shuffle whose lane depends on the last one
barrier_latency = 28.691   # measured: cycles, 256 threads
atomic = 1.7536            # measured: ns between operations on one address
launch = 2656            # measured: ns, an empty kernel between events
next_launch = 1261.7       # measured: ns, each of seven more
block = 0.60066             # measured: ns, the start of a block of 64 threads
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
