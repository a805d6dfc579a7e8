// SPDX-License-Identifier: MIT
// latency: how long dependent operations take: loads from every level of memory, arithmetic, atomics, barriers; and how many
// at once hide that.
// make: -O1 (it simulates too little to be worth the compile time of a higher level)
#include "common/cuda/passes.hpp"
#include "kernels/latency/chains.cuh"
#include "kernels/latency/steps.cuh"

#ifndef __SIMCC__
namespace BACKEND {

#define INSTANTIATE(Load) \
    template __global__ void chase_addresses<Load>(unsigned long long, LatencySteps, LatencyReading*)
INSTANTIATE(CachedLoad);
INSTANTIATE(UncachedLoad);
INSTANTIATE(VolatileLoad);
INSTANTIATE(ConstantLoad);
#undef INSTANTIATE

}  // namespace BACKEND
#endif

#if HOST_PASS

#include <vector>

#include "common/cli/registration.cuh"
#include "tools/latency/figures.cuh"
#include "tools/latency/memories.cuh"
#include "tools/latency/parallelism.cuh"
#include "tools/latency/read_curve.hpp"
#include "tools/latency/table.cuh"

#ifdef __SIMCC__
#define ON_GPU(measure) nullptr
#else
#define ON_GPU(measure) measure
#endif

namespace BACKEND {
namespace {

const LatencyVariant variants[] = {
    {{"register", "a multiply-add that waits for the one before", Needs::gpu}, ON_GPU(measure_register)},
    {{"shuffle", "a lane asks the lane that the last answer named", Needs::gpu}, ON_GPU(measure_shuffle)},
    {{"shared", "a chase through shared memory", Needs::gpu}, ON_GPU(measure_shared)},
    {{"constant", "a chase through constant memory and its caches", Needs::gpu}, ON_GPU(measure_constant)},
    {{"texture", "a chase through a linear texture", Needs::gpu}, ON_GPU(measure_texture)},
    {{"global", "a chase through global memory: L1, L2, DRAM and TLB misses", Needs::gpu}, ON_GPU(measure_global)},
    {{"uncached", "the same, bypassing L1", Needs::gpu}, ON_GPU(measure_uncached)},
    {{"l2-parts", "each line of L2 by itself: in the partition near a multiprocessor or the far one", Needs::gpu},
     ON_GPU(measure_l2_parts)},
    {{"host-memory", "a chase through the host's memory over the bus", Needs::gpu}, ON_GPU(measure_host_memory)},
    {{"atomic-shared", "additions to shared memory, each returning the next one's address", Needs::gpu},
     ON_GPU(measure_shared_atomic)},
    {{"atomic-global", "the same on global memory, in L2", Needs::gpu}, ON_GPU(measure_global_atomic)},
    {{"barrier", "barriers of 1 to 32 warps", Needs::gpu}, ON_GPU(measure_block_barrier)},
    {{"cluster-barrier", "barriers of a cluster of 1 to 16 blocks", Needs::gpu}, ON_GPU(measure_cluster_barrier)},
    {{"distributed-shared", "a chase through the shared memory of a cluster's last block", Needs::gpu},
     ON_GPU(measure_distributed)},
};

const Program program = {
    .name = "latency",
    .summary = "Measures what one load, operation or barrier takes when the next one waits for it.",
    .examples = {"latency", "latency --list"},
    .dtypes = {},
    .unit = "bytes",
    .sizes = "1Ki:64Gi:x2",
    .simulator_sizes = "1Ki",
    .variants = variants_of(variants),
    .lectures = &lectures,
    .options = own_options<LatencyOptions>,
    .columns = columns_of(latency_columns),
    .counts_in_simulator = true,
    .shown_counters = {{"gld_requests", "loads"}},
    .is_predicted = false,
};

void run(Session& session) {
    if (!session.own<LatencyOptions>().curve.empty()) return print_plateaus(session);
    const bool has_chains = !session.own<LatencyOptions>().parallelism.empty();
    const auto selected = has_chains
                              ? std::vector<const LatencyVariant*>{}
                              : session.selected<LatencyVariant>();  // what was typed is refused before the device
    const char* const compares = !session.options.versus.empty() ? "--versus"
                                 : session.options.ladder        ? "--ladder"
                                                                 : "";
    if (*compares)
        fail(Exit::usage, "{} compares times of the same work, and each latency is of different work; leave it out",
             compares);
    if (has_chains) return compare_parallelism(session);
#ifdef __SIMCC__
    fail(Exit::unavailable,
         "the simulator has no caches, clocks or buses whose latency could be measured: run on a GPU (here only "
         "--parallelism runs)");
#else
    Lab lab(session);
    for (const LatencyVariant* variant : selected) variant->measure(lab, *variant);
    lab.finish();
#endif
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
#endif
