// SPDX-License-Identifier: MIT
// Constant memory: cycles per access for each kind of index, measured by one warp on every multiprocessor.
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

// A random cycle through all words of the chain.
inline std::vector<unsigned> make_chain(std::uint64_t seed) {
    std::vector<unsigned> order(texture_chain_words), chain(texture_chain_words);
    std::iota(order.begin(), order.end(), 0U);
    for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random_bits(seed, i) % (i + 1)]);
    for (size_t i = 0; i < order.size(); ++i)
        chain[order[i]] = unsigned(order[(i + 1) % order.size()] * sizeof(unsigned));
    return chain;
}

class ConstantRuns {
public:
    explicit ConstantRuns(const Session& session)
        : simulated_(session.device.simulated),
          steps_(simulated_ ? 64 : 4096),
          blocks_(simulated_ ? 4 : unsigned(session.device.multiprocessors)),
          chain_(make_chain(session.options.seed)),
          d_out_(size_t{blocks_} * lanes_per_warp),
          d_cycles_(blocks_) {
        CHECK(cudaMemcpyToSymbol(texture_chain, chain_.data(), chain_.size() * sizeof(unsigned)));
    }

    // The accesses that a thread makes, timed or not.
    unsigned accesses() const { return texture_chain_words + steps_; }
    unsigned threads() const { return unsigned(d_out_.size()); }

    LaunchShape launch(const TextureVariant& variant, cudaStream_t stream) const {
        return variant.on_constants({d_out_.data(), d_cycles_.data(), blocks_, steps_, stream});
    }
    void poison(cudaStream_t stream) const { CHECK(cudaMemsetAsync(d_out_.data(), 0xa5, d_out_.bytes(), stream)); }

    Verdict check(const TextureVariant& variant) const {
        std::vector<unsigned> h_out(d_out_.size());
        CHECK(cudaMemcpy(h_out.data(), d_out_.data(), d_out_.bytes(), cudaMemcpyDeviceToHost));
        return compare_elements(
            h_out.data(), h_out.size(),
            [&](size_t i) {
                const auto block = unsigned(i / lanes_per_warp), lane = unsigned(i % lanes_per_warp);
                unsigned word = variant.first_constant(block, lane);
                for (unsigned step = 0; step < accesses(); ++step) word = chain_[word] / unsigned(sizeof(unsigned));
                return static_cast<long double>(word * sizeof(unsigned));
            },
            [](long double) { return 0.0L; });
    }

    // In the last launch, the median over the blocks. The simulator has no cycles.
    double cycles_per_access() const {
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
    DeviceBuffer<unsigned> d_out_;
    DeviceBuffer<long long> d_cycles_;
};

class ConstantCase final : public Case {
public:
    ConstantCase(const TextureVariant& constant, const ConstantRuns& runs)
        : Case(constant,
               {std::nullopt, size_t(accesses(runs)), (accesses(runs) + runs.threads()) * sizeof(unsigned), 0}),
          variant_(constant),
          runs_(runs) {}

    void poison(cudaStream_t stream) override { runs_.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override { return runs_.launch(variant_, stream); }
    Verdict check() override { return runs_.check(variant_); }
    std::vector<Cell> own_cells(double) override {
        TextureCells cells;
        cells.pattern = variant_.name + sizeof("constant-") - 1;
        cells.samples = runs_.accesses();
        cells.passes_per_request = variant_.passes;
        cells.cycles_per_access = runs_.cycles_per_access();
        return cells_of(texture_table_columns, cells);
    }

private:
    static double accesses(const ConstantRuns& runs) { return double(runs.threads()) * runs.accesses(); }

    const TextureVariant& variant_;
    const ConstantRuns& runs_;
};

// `runs` is made if any of them is selected, and must outlive them.
inline Cases constant_cases(const Session& session, std::optional<ConstantRuns>& runs) {
    Cases cases;
    for (const TextureVariant* variant : session.selected<TextureVariant>()) {
        if (variant->pattern) continue;
        if (!runs) runs.emplace(session);
        cases.push_back(std::make_unique<ConstantCase>(*variant, *runs));
    }
    return cases;
}

}  // namespace BACKEND
