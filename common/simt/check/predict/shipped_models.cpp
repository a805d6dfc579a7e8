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
l1_keeps_loads = 1
l2 = 60
dram_bandwidth = 4388.5    # measured: GB/s, a gibibyte read once
l2_bandwidth = 8793.1      # measured: GB/s, 32 MiB read again and again
partial_stores = 0.28926    # measured: per cycle, a word per lane and line
wavefronts = 1.0009        # measured: per cycle, loads from shared memory
texels = 3.9762            # measured: per cycle
texture_sectors = 0.99994  # measured: per cycle, one for each lane
issue = 3.4067             # measured: instructions of a warp per cycle, of two kinds
single = 3.8119            # measured: the same, products and sums of floats
double = 1.9892            # measured: the same, of doubles
special = 0.5              # measured: the same, reciprocal roots
l1_latency = 39.598        # measured: cycles, a chain in 16 KiB
shared_latency = 29.058    # measured: cycles
l2_latency = 287.22        # measured: cycles, a chain in 4 MiB
dram_latency = 646.28      # measured: cycles, a chain in 512 MiB
l1_requests = 0.58923       # measured: per cycle, loads that hit L1
l1_lines = 3.9985          # measured: per cycle, one for each lane
shared_update_latency = 89.547   # measured: cycles, additions of a block to one float
arithmetic_latency = 4.4792 # measured: cycles, a product and a sum
exchange_latency = 36.989  # measured: cycles, a shuffle whose lane depends on the last one
barrier_latency = 28.691   # measured: cycles, 256 threads
atomic = 1.7536            # measured: ns between additions to one float
integer_atomic = 0.73248   # measured: the same, to one integer
launch = 2656            # measured: ns, an empty kernel between events
next_launch = 1261.7       # measured: ns, each of seven more
block = 0.60066             # measured: ns, the start of a block of 64 threads
)"},
    // What nobody has published is the H200's, in cycles. Sources:
    //   guide   NVIDIA, CUDA C++ Programming Guide, table of technical specifications per compute capability
    //   maker   NVIDIA's specification of the product, and its whitepaper of the architecture
    //   volta   Jia et al. 2018, Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, arXiv:1804.06826
    //   turing  Jia et al. 2019, Dissecting the NVIDIA Turing T4 GPU via Microbenchmarking, arXiv:1903.07486
    //   ampere  Abdelkhalik et al. 2022, Demystifying the Nvidia Ampere Architecture, arXiv:2208.11174
    //   sim     Khairy et al. 2020, Accel-Sim: its tested configurations of these GPUs
    {"h100", R"(
like = h200
name = NVIDIA H100 SXM
source = published
l2 = 50                    # maker
dram_bandwidth = 3064      # maker: 3352 at most; 91 % of it as the H200 reaches
)"},
    {"a100", R"(
like = h200
name = NVIDIA A100 SXM 80GB
source = published
multiprocessors = 108      # maker
clock = 1410               # maker: boost
shared = 164               # guide
l1 = 192                   # guide
l2 = 40                    # maker
dram_bandwidth = 1855      # maker: 2039 at most; 91 % of it as the H200 reaches
l2_bandwidth = 5486        # maker: 5120 bytes per cycle at most; 76 % of it as volta measures
single = 2                 # maker: 64 lanes
double = 1                 # maker: 32 lanes
l1_latency = 33            # ampere
shared_latency = 23        # ampere
l2_latency = 200           # ampere
dram_latency = 290         # ampere
arithmetic_latency = 4     # ampere
integer_atomic = 1.029    # the H200's 1.45 cycles
atomic = 2.46              # the H200's 3.47 cycles
block = 0.843              # the H200's 1.19 cycles
)"},
    {"rtx2080ti", R"(
like = h200
name = NVIDIA GeForce RTX 2080 Ti
source = published
multiprocessors = 68       # maker
clock = 1545               # maker: boost
threads = 1024             # guide
blocks = 16                # guide
shared = 64                # guide
l1 = 96                    # guide
l2 = 5.5                   # maker
dram_bandwidth = 511       # maker: 616 at most; 83 % of it as volta measures
l2_bandwidth = 1654        # sim: 22 slices of 64 bytes per cycle; 76 % of it as volta measures
single = 2                 # maker: 64 lanes
double = 0.0625            # maker: 2 lanes
l1_latency = 32            # turing
shared_latency = 19        # turing
l2_latency = 188           # turing
dram_latency = 375         # volta
arithmetic_latency = 4     # turing
integer_atomic = 0.939    # the H200's 1.45 cycles
atomic = 2.25              # the H200's 3.47 cycles
block = 0.77               # the H200's 1.19 cycles
)"},
    {"titanv", R"(
like = h200
name = NVIDIA TITAN V
source = published
multiprocessors = 80       # maker
clock = 1455               # maker: boost
shared = 96                # guide
l1 = 128                   # guide
l2 = 4.5                   # maker
dram_bandwidth = 542       # maker: 652.8 at most; 83 % of it as volta measures
l2_bandwidth = 1616        # volta: 2155 on a V100, of whose 32 slices a TITAN V has 24
single = 2                 # maker: 64 lanes
double = 1                 # maker: 32 lanes
l1_latency = 28            # volta
shared_latency = 19        # volta
l2_latency = 193           # volta
dram_latency = 375         # volta
arithmetic_latency = 4     # volta
integer_atomic = 0.997    # the H200's 1.45 cycles
atomic = 2.386             # the H200's 3.47 cycles
block = 0.82               # the H200's 1.19 cycles
)"},
    {"gtx1080ti", R"(
like = h200
name = NVIDIA GeForce GTX 1080 Ti
source = published
multiprocessors = 28       # maker
clock = 1582               # maker: boost
shared = 96                # guide
l1 = 144                   # guide: 48 for textures beside shared memory
l1_keeps_loads = 0         # guide: loads of global memory are cached in L2 only
l2 = 2.75                  # maker
dram_bandwidth = 402       # maker: 484.4 at most; 83 % of it as volta measures
l2_bandwidth = 846         # sim: 22 slices of 32 bytes per cycle; 76 % of it as volta measures
texels = 8                 # maker: 8 texture units
single = 4                 # maker: 128 lanes
double = 0.125             # maker: 4 lanes
special = 1                # maker: 32 lanes
l1_latency = 82            # volta: its P100
shared_latency = 24        # volta: its P100
l2_latency = 216           # volta: its P100
dram_latency = 375         # volta
arithmetic_latency = 6     # volta: its P100
integer_atomic = 0.917    # the H200's 1.45 cycles
atomic = 2.19              # the H200's 3.47 cycles
block = 0.752              # the H200's 1.19 cycles
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
