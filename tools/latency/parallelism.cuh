// SPDX-License-Identifier: MIT
// --parallelism: the same work in more or fewer chains at once, by more warps or by more chains in each thread. Little's law
// says how much of the peak each can reach.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/device.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/little.hpp"
#include "tools/latency/table.cuh"

namespace BACKEND {

// (They are not among the program's variants: --parallelism chooses them, in the simulator, too, where no latency can be
// measured.)
struct ChainVariant : Variant {
    Chains chains = Chains::arithmetic;
};

inline const ChainVariant chain_variants[] = {
    {{"chains-arithmetic", "products and sums"}, Chains::arithmetic},
    {{"chains-loads", "loads from global memory"}, Chains::loads},
};

// What all rows share.
struct ChainLab {
    const Session& session;
    HidingFigures figures;                         // of the device; of the GPU that it stands for, in the simulator
    DeviceBuffer<unsigned> d_words, d_last_words;  // of loads
    DeviceBuffer<float> d_sums;                    // of arithmetic: where its chains end
};

// One way to do n steps.
struct ChainWork {
    ChainShape shape;
    unsigned warps = 1;  // per multiprocessor
    unsigned steps = 1;  // of each chain

    size_t n() const { return steps * shape.chains(); }
};

// Each multiprocessor gets one block, or two where its warps are too many for one.
inline ChainWork chain_work(size_t n, unsigned multiprocessors, unsigned warps, unsigned chains_per_thread) {
    const unsigned blocks = warps > 32 ? 2 : 1;
    ChainWork work;
    work.shape = {chains_per_thread, multiprocessors * blocks, warps / blocks * lanes_per_warp};
    work.warps = warps;
    work.steps = unsigned(std::max<size_t>(1, n / work.shape.chains()));
    return work;
}

class ChainCase final : public Case {
public:
    ChainCase(ChainLab& lab, const ChainVariant& variant_, ChainWork work)
        : Case(variant_, problem_of(variant_, work)), lab_(lab), kind_(variant_.chains), work_(work) {}

    // (The simulator's predictions do not follow dependences: these steps are all that counts here.)
    bool is_all_kernels() const override { return false; }
    void poison(cudaStream_t stream) override {
        if (kind_ == Chains::loads)
            CHECK(cudaMemsetAsync(lab_.d_last_words.data(), 0xff, lab_.d_last_words.bytes(), stream));
        else CHECK(cudaMemsetAsync(lab_.d_sums.data(), 0xff, lab_.d_sums.bytes(), stream));
    }
    LaunchShape launch(cudaStream_t stream) override {
        if (kind_ == Chains::loads)
            launch_load_chains(work_.shape, work_.steps, lab_.d_words.data(), lab_.d_last_words.data(), stream);
        else launch_multiply_add_chains(work_.shape, work_.steps, lab_.d_sums.data(), stream);
        return {dim3(work_.shape.grid), dim3(work_.shape.block), 0};
    }
    Verdict check() override {
        const size_t chains = work_.shape.chains();
        if (kind_ == Chains::loads)
            return check_ends(lab_.d_last_words, [&](size_t chain) { return chain + work_.steps * chains; });
        std::vector<float> expected;  // by start
        for (unsigned start = 0; start < 8; ++start) {
            float x = chain_start(start);
            for (unsigned step = 0; step < work_.steps; ++step) x = std::fma(x, chain_factor, chain_summand);
            expected.push_back(x);
        }
        return check_ends(lab_.d_sums, [&](size_t chain) { return expected[chain % 8]; });
    }
    std::vector<Cell> own_cells(double median_ns) override {
        const bool is_load = kind_ == Chains::loads;
        const HidingFigures& gpu = lab_.figures;
        const double peak = is_load ? gpu.gbyte_per_s : gpu.gflop_per_s();
        LatencyCells cells;
        cells.level = is_load ? "memory" : "arithmetic";
        cells.bytes = is_load ? work_.n() * sizeof(unsigned) : 0;
        cells.participants = work_.warps;
        cells.chains = work_.shape.chains_per_thread;
        cells.in_flight = size_t{work_.warps} * lanes_per_warp * cells.chains * (is_load ? sizeof(unsigned) : 1);
        cells.little_percent =
            100 * reachable(gpu, is_load, work_.warps, double(cells.chains) * (is_load ? sizeof(unsigned) : 1));
        if (!lab_.session.device.simulated) {
            if (peak > 0) cells.peak_percent = 100 * (is_load ? problem.bytes : problem.flop) / median_ns / peak;
            cells.cycles = median_ns * 1e-3 * gpu.clock_mhz / work_.steps;
        }
        return cells_of(latency_columns, cells);
    }

private:
    // The ends of the chains are exactly these.
    template <typename T, typename Expected>
    Verdict check_ends(const DeviceBuffer<T>& d_ends, Expected expected) const {
        std::vector<T> ends(work_.shape.chains());
        CHECK(cudaMemcpy(ends.data(), d_ends.data(), ends.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return compare_elements(
            ends.data(), ends.size(), [&](size_t chain) { return static_cast<long double>(expected(chain)); },
            [](long double) { return 0.0L; });
    }

    static Problem problem_of(const ChainVariant& variant, const ChainWork& work) {
        const double n = double(work.n());
        if (variant.chains == Chains::loads) return {std::nullopt, work.n(), n * sizeof(unsigned), 0};
        return {DType::f32, work.n(), 0, 2 * n};
    }

    ChainLab& lab_;
    const Chains kind_;
    const ChainWork work_;
};

// A row for each number of warps and chains, as many warps as there is room for.
inline void compare_parallelism(Session& session) {
    const auto& asked = session.own<LatencyOptions>();
    if (asked.sweep || !session.options.kernels.empty())
        fail(Exit::usage, "{} is for what --parallelism leaves out: latencies; leave one of them out",
             asked.sweep ? "--sweep" : "--kernel");
    const HidingFigures figures = session.device.simulated
                                      ? hiding_figures_of_model(session.options.gpu_model, "--predict")
                                      : hiding_figures_of(session.device);
    const auto multiprocessors = unsigned(session.device.multiprocessors);
    const unsigned most_warps =
        unsigned(attribute(cudaDevAttrMaxThreadsPerMultiProcessor, session.device.ordinal)) / lanes_per_warp;
    constexpr unsigned most_chains = 8;
    const size_t most = size_t{multiprocessors} * most_warps * lanes_per_warp * most_chains;
    Bench bench(session);
    for (const ChainVariant& variant : chain_variants) {
        if (std::find(asked.parallelism.begin(), asked.parallelism.end(), variant.chains) == asked.parallelism.end())
            continue;
        const bool is_load = variant.chains == Chains::loads;
        const size_t usual = session.device.simulated ? size_t{64} << 10 : size_t{is_load ? 64u : 1024u} << 20;
        for (const size_t n : session.options.sizes.given ? session.sizes() : std::vector<size_t>{usual}) {
            if (n > size_t{1} << 31) fail(Exit::usage, "--size {} with --parallelism: 2Gi steps are the most", n);
            ChainLab lab{session, figures, DeviceBuffer<unsigned>(is_load ? std::max(n, most) : 0),
                         DeviceBuffer<unsigned>(is_load ? most : 0), DeviceBuffer<float>(is_load ? 0 : most)};
            if (is_load) number_words<<<4 * multiprocessors, 256>>>(lab.d_words.data(), lab.d_words.size());
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            Cases cases;
            for (unsigned chains = 1; chains <= most_chains; chains *= 2)
                for (unsigned warps = 1; warps <= most_warps; warps *= 2)
                    cases.push_back(
                        std::make_unique<ChainCase>(lab, variant, chain_work(n, multiprocessors, warps, chains)));
            bench.run(cases);
        }
    }
}

}  // namespace BACKEND
