// SPDX-License-Identifier: MIT
// Chains of loads from constant and global memory: cycles per load for each kind of index, measured by one warp on every
// multiprocessor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "common/measure/bench.cuh"
#include "tools/texture/table.cuh"

namespace BACKEND {

// A random cycle through all rows of 32 words, for each word of a row.
inline std::vector<unsigned> make_chains(std::uint64_t seed) {
    constexpr unsigned rows = texture_chain_words / lanes_per_warp;
    std::vector<unsigned> order(rows), chain(texture_chain_words);
    std::iota(order.begin(), order.end(), 0U);
    for (size_t i = rows - 1; i > 0; --i) std::swap(order[i], order[random_bits(seed, i) % (i + 1)]);
    for (unsigned i = 0; i < rows; ++i) {
        for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
            const unsigned next = order[(i + 1) % rows] * lanes_per_warp + lane;
            chain[order[i] * lanes_per_warp + lane] = unsigned(next * sizeof(unsigned));
        }
    }
    return chain;
}

class ChainRuns {
public:
    explicit ChainRuns(const Session& session)
        : simulated_(session.device.simulated),
          steps_(simulated_ ? 64 : 4096),
          blocks_(simulated_ ? 4 : unsigned(session.device.multiprocessors)),
          chain_(make_chains(session.options.seed)),
          d_words_(chain_.size()),
          d_out_(size_t{blocks_} * lanes_per_warp),
          d_cycles_(blocks_) {
        const size_t bytes = chain_.size() * sizeof(unsigned);
        CHECK(cudaMemcpyToSymbol(texture_chain, chain_.data(), bytes));
        CHECK(cudaMemcpy(d_words_.data(), chain_.data(), bytes, cudaMemcpyHostToDevice));
    }

    // The loads of a thread, timed or not.
    unsigned loads() const { return texture_chain_words + steps_; }
    unsigned threads() const { return unsigned(d_out_.size()); }

    LaunchShape launch(const TextureVariant& variant, cudaStream_t stream) const {
        return variant.on_chains({d_words_.data(), d_out_.data(), d_cycles_.data(), blocks_, steps_, stream});
    }
    void poison(cudaStream_t stream) const { CHECK(cudaMemsetAsync(d_out_.data(), 0xa5, d_out_.bytes(), stream)); }

    Verdict check(const TextureVariant& variant) const {
        std::vector<unsigned> h_out(d_out_.size());
        CHECK(cudaMemcpy(h_out.data(), d_out_.data(), d_out_.bytes(), cudaMemcpyDeviceToHost));
        return compare_elements(
            h_out.data(), h_out.size(),
            [&](size_t i) {
                const auto block = unsigned(i / lanes_per_warp), lane = unsigned(i % lanes_per_warp);
                unsigned word = variant.first_word(block, lane);
                for (unsigned step = 0; step < loads(); ++step) word = chain_[word] / unsigned(sizeof(unsigned));
                return static_cast<long double>(word * sizeof(unsigned));
            },
            [](long double) { return 0.0L; });
    }

    // In the last launch, the median over the blocks. The simulator has no cycles.
    double cycles_per_load() const {
        if (simulated_) return 0;
        std::vector<long long> cycles(blocks_);
        CHECK(cudaMemcpy(cycles.data(), d_cycles_.data(), d_cycles_.bytes(), cudaMemcpyDeviceToHost));
        std::nth_element(cycles.begin(), cycles.begin() + blocks_ / 2, cycles.end());
        return double(cycles[blocks_ / 2]) / steps_;
    }

private:
    bool simulated_;
    unsigned steps_, blocks_;
    std::vector<unsigned> chain_;
    DeviceBuffer<unsigned> d_words_, d_out_;
    DeviceBuffer<long long> d_cycles_;
};

class ChainCase final : public Case {
public:
    ChainCase(const TextureVariant& chain, const ChainRuns& runs)
        : Case(chain, {std::nullopt, size_t(loads(runs)), (loads(runs) + runs.threads()) * sizeof(unsigned), 0}),
          variant_(chain),
          runs_(runs) {}

    void poison(cudaStream_t stream) override { runs_.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override { return runs_.launch(variant_, stream); }
    Verdict check() override { return runs_.check(variant_); }
    std::vector<Cell> own_cells(double) override {
        TextureCells cells;
        cells.path = variant_.memory;
        cells.pattern = variant_.index;
        cells.samples = runs_.loads();
        cells.sectors_per_request = variant_.sectors;
        cells.passes_per_request = variant_.passes;
        cells.cycles_per_access = runs_.cycles_per_load();
        return cells_of(texture_table_columns, cells);
    }

private:
    static double loads(const ChainRuns& runs) { return double(runs.threads()) * runs.loads(); }

    const TextureVariant& variant_;
    const ChainRuns& runs_;
};

// `runs` is made if any of them is selected, and must outlive them.
inline Cases chain_cases(const Session& session, std::optional<ChainRuns>& runs) {
    Cases cases;
    for (const TextureVariant* variant : session.selected<TextureVariant>()) {
        if (variant->pattern) continue;
        if (!runs) runs.emplace(session);
        cases.push_back(std::make_unique<ChainCase>(*variant, *runs));
    }
    return cases;
}

}  // namespace BACKEND
