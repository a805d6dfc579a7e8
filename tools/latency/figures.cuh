// SPDX-License-Identifier: MIT
// Measurements that have one latency, or one per number of participants: operations, barriers, the partitions of L2.
#pragma once

#ifndef __SIMCC__

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/latency/steps.cuh"
#include "tools/latency/lab.cuh"

namespace BACKEND {

inline void measure_figure(Lab& lab, const Variant& variant, const LatencyRun& run, const LatencyCells& cells) {
    lab.session().begin_step(text("timing {}", cells.level));
    lab.add_row(variant, lab.measure(variant, run, latency_unroll), cells);
}

inline void measure_register(Lab& lab, const LatencyVariant& variant) {
    LatencyRun run;
    run.launch = [](LatencySteps steps, LatencyReading* d_reading) -> LaunchShape {
        chain_multiply_adds<<<1, 32>>>(latency_factor, latency_summand, steps, d_reading);
        return {dim3(1), dim3(32), 0};
    };
    run.expected_end = [](LatencySteps steps) {
        unsigned x = 0;
        for (unsigned i = 0; i < steps.warm + steps.timed; ++i) x = latency_factor * x + latency_summand;
        return static_cast<unsigned long long>(x);
    };
    measure_figure(lab, variant, run, {"register"});
}

inline void measure_shuffle(Lab& lab, const LatencyVariant& variant) {
    LatencyRun run;
    run.launch = [](LatencySteps steps, LatencyReading* d_reading) -> LaunchShape {
        chain_shuffles<<<1, 32>>>(steps, d_reading);
        return {dim3(1), dim3(32), 0};
    };
    run.expected_end = [](LatencySteps steps) { return (steps.warm + steps.timed) % 32ull; };
    measure_figure(lab, variant, run, {"shuffle"});
}

inline void measure_shared_atomic(Lab& lab, const LatencyVariant& variant) {
    LatencyRun run;
    run.launch = [](LatencySteps steps, LatencyReading* d_reading) -> LaunchShape {
        chain_shared_atomics<<<1, 32>>>(0, steps, d_reading);
        return {dim3(1), dim3(32), 0};
    };
    run.expected_end = [](LatencySteps) { return 0ull; };
    measure_figure(lab, variant, run, {"atomic-shared"});
}

inline void measure_global_atomic(Lab& lab, const LatencyVariant& variant) {
    const DeviceBuffer<unsigned long long> d_word(1);
    LatencyRun run;
    run.launch = [&](LatencySteps steps, LatencyReading* d_reading) -> LaunchShape {
        chain_global_atomics<<<1, 32>>>(d_word.data(), 0, steps, d_reading);
        return {dim3(1), dim3(32), 0};
    };
    run.expected_end = [](LatencySteps) { return 0ull; };
    measure_figure(lab, variant, run, {"atomic-global"});
}

inline void measure_block_barrier(Lab& lab, const LatencyVariant& variant) {
    for (unsigned warps = 1; warps <= 32; warps *= 2) {
        LatencyRun run;
        run.launch = [=](LatencySteps steps, LatencyReading* d_reading) -> LaunchShape {
            chain_block_barriers<<<1, warps * lanes_per_warp>>>(steps, d_reading);
            return {dim3(1), dim3(warps * lanes_per_warp), 0};
        };
        run.expected_end = [](LatencySteps steps) { return 0ull + steps.warm + steps.timed; };
        measure_figure(lab, variant, run, {"barrier", 0, 0, warps});
    }
}

// ---- clusters

inline bool has_clusters(Lab& lab, const Variant& variant) {
    if (lab.session().device.compute_capability >= 90) return true;
    const std::string why = text("clusters need compute capability 9.0, and this GPU has {}",
                                 capability_text(lab.session().device.compute_capability));
    lab.session().leave_out(variant.name, why);
    return false;
}

// One cluster of `blocks` blocks of 32 threads.
struct ClusterLaunch {
    explicit ClusterLaunch(unsigned blocks) {
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = blocks;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        configuration.gridDim = dim3(blocks);
        configuration.blockDim = dim3(lanes_per_warp);
        configuration.attrs = &cluster;
        configuration.numAttrs = 1;
    }
    ClusterLaunch(const ClusterLaunch&) = delete;
    ClusterLaunch& operator=(const ClusterLaunch&) = delete;

    // Clusters of more than 8 blocks are not portable: a kernel must opt in, and a GPU may not have room for them.
    template <typename... Parameters>
    bool fits(void (*kernel)(Parameters...)) const {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        int clusters = 0;
        const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &configuration);
        if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
        return error == cudaSuccess && clusters > 0;
    }

    template <typename... Parameters, typename... Arguments>
    LaunchShape launch(void (*kernel)(Parameters...), Arguments... arguments) const {
        CHECK(cudaLaunchKernelEx(&configuration, kernel, Parameters(arguments)...));
        return {configuration.gridDim, configuration.blockDim, 0};
    }

    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t configuration = {};
};

// Calls measure(blocks, launch) for each cluster size that fits.
template <typename Kernel, typename Measure>
void for_each_cluster(const Lab& lab, const Variant& variant, Kernel kernel, Measure measure) {
    for (unsigned blocks = 1; blocks <= 16; blocks *= 2) {
        const ClusterLaunch cluster(blocks);
        if (cluster.fits(kernel)) measure(blocks, cluster);
        else lab.session().detail(text("{}: clusters of {} blocks do not fit", variant.name, blocks));
    }
}

inline void measure_cluster_barrier(Lab& lab, const LatencyVariant& variant) {
    if (!has_clusters(lab, variant)) return;
    for_each_cluster(lab, variant, chain_cluster_barriers, [&](unsigned blocks, const ClusterLaunch& cluster) {
        LatencyRun run;
        run.launch = [&](LatencySteps steps, LatencyReading* d_reading) {
            return cluster.launch(chain_cluster_barriers, steps, d_reading);
        };
        run.expected_end = [](LatencySteps steps) { return 0ull + steps.warm + steps.timed; };
        measure_figure(lab, variant, run, {"cluster-barrier", 0, 0, blocks});
    });
}

inline void measure_distributed(Lab& lab, const LatencyVariant& variant) {
    if (!has_clusters(lab, variant)) return;
    constexpr std::size_t word_bytes = sizeof(unsigned long long);
    for_each_cluster(lab, variant, chase_distributed, [&](unsigned blocks, const ClusterLaunch& cluster) {
        LatencyRun run;
        run.launch = [&](LatencySteps steps, LatencyReading* d_reading) {
            return cluster.launch(chase_distributed, 0u, steps, d_reading);
        };
        run.expected_end = [](LatencySteps steps) { return 97ull * (steps.warm + steps.timed) % distributed_words; };
        measure_figure(lab, variant, run, {"distributed-shared", distributed_words * word_bytes, word_bytes, blocks});
    });
}

// ---- the parts of L2

// Times each line by itself: lines in the L2 partition near the multiprocessor answer sooner than those in the far one.
inline void measure_l2_parts(Lab& lab, const LatencyVariant& variant) {
    constexpr unsigned lines = 2048, timed = 64;
    constexpr std::size_t stride = 128;
    Session& session = lab.session();
    session.begin_step(text("timing {} lines of L2", lines));
    const DeviceBuffer<unsigned char> d_memory(lines * stride);
    const DeviceBuffer<LatencyReading> d_readings(lines);
    link_addresses<<<lines / 256, 256>>>(d_memory.data(), stride, ChaseCycle{lines, 1, 0});
    CHECK(cudaGetLastError());
    time_each_line<<<1, 1>>>(d_memory.data(), stride, lines, timed, d_readings.data());
    CHECK(cudaGetLastError());
    std::vector<LatencyReading> readings(lines);
    CHECK(cudaMemcpy(readings.data(), d_readings.data(), d_readings.bytes(), cudaMemcpyDeviceToHost));
    std::vector<double> cycles;
    double all_cycles = 0, all_ns = 0;
    for (unsigned i = 0; i < lines; ++i) {
        const auto expected = reinterpret_cast<unsigned long long>(d_memory.data() + i * stride);
        if (session.options.verify && readings[i].end != expected) {
            session.complain(
                text("{}: wrong result: line {} holds {}, expected {}", variant.name, i, readings[i].end, expected));
            return session.found_wrong_result();
        }
        cycles.push_back(double(readings[i].cycles) / timed);
        all_cycles += double(readings[i].cycles);
        all_ns += double(readings[i].ns);
    }
    // One line takes too little time for the resolution of the device's timer; all of them together do not.
    const double ns_per_cycle = all_cycles > 0 ? all_ns / all_cycles : 0;
    const TwoLevels levels = split_in_two(cycles);
    const double boundary = (levels.low + levels.high) / 2;
    const auto add = [&](const char* level, bool far) {
        LatencySeries series;
        series.shape = {dim3(1), dim3(1), 0};
        for (double of_line : cycles) {
            if (!levels.is_one() && (of_line > boundary) != far) continue;
            series.cycles.push_back(of_line);
            series.ns.push_back(of_line * ns_per_cycle);
        }
        lab.add_row(variant, series, {level, lines * stride, stride, series.cycles.size()});
    };
    add(levels.is_one() ? "l2" : "l2-near", false);
    if (!levels.is_one()) add("l2-far", true);
}

}  // namespace BACKEND

#endif
