// SPDX-License-Identifier: MIT
// shared: what shared memory is for: a flag, arrays with an index, offsets, histograms, queues; and what spills cost.
#include <memory>
#include <optional>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/shared/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <limits>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/shared/groups.cuh"

namespace BACKEND {
namespace {

// The registers that a variant's launch bounds leave to a thread; 0: it has no bounds.
unsigned most_registers(const SharedVariant& variant) {
    constexpr unsigned most = 255;  // of a thread, on every GPU
    if (variant.promised_threads == 0) return 0;
    int device = 0, threads = 0, registers = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    CHECK(cudaDeviceGetAttribute(&registers, cudaDevAttrMaxRegistersPerMultiprocessor, device));
    const bool is_possible = variant.promised_threads <= unsigned(threads);
    return std::min(most, unsigned(registers) / (is_possible ? variant.promised_threads : largest_block));
}

class SharedCase final : public Case {
public:
    SharedCase(const Session& session, const SharedVariant& row, const SharedGroup& group)
        : Case(row, {std::nullopt, group.problem->arguments.n, group.problem->bytes(), 0, 0, "words"}),
          launch_(row.launch_of(group.cells.length)),
          problem_(*group.problem),
          arguments_(group.problem->arguments),
          cells_(group.cells),
          is_simulated_(session.device.simulated) {
        arguments_.block_size = session.options.block;
        arguments_.multiprocessors = unsigned(session.device.multiprocessors);
        cells_.most_registers = most_registers(row);
        if (!row.workspace_bytes) return;
        workspace_ = DeviceBuffer<unsigned char>(row.workspace_bytes(arguments_));
        arguments_.d_workspace = workspace_.data();
        arguments_.workspace_bytes = workspace_.size();
    }

    void poison(cudaStream_t stream) override { problem_.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override {
        arguments_.stream = stream;
        return launched_ = launch_(arguments_);
    }
    Verdict check() override { return problem_.check(launched_.block.x); }
    std::vector<Cell> own_cells(double) override {
        if (!is_simulated_ && launched_.kernel) {
            cudaFuncAttributes attributes;
            CHECK(cudaFuncGetAttributes(&attributes, launched_.kernel));
            cells_.registers = attributes.numRegs;
            cells_.local_bytes = int(attributes.localSizeBytes);
        }
        return cells_of(shared_columns, cells_);
    }

private:
    SharedLaunch* const launch_;
    SharedProblem& problem_;
    SharedArguments arguments_;
    SharedCells cells_;
    const bool is_simulated_;
    DeviceBuffer<unsigned char> workspace_;
    LaunchShape launched_;
};

// Most variants have a block for so many words; counts of words have 32 bits.
void check_size(const Session& session, size_t n) {
    constexpr size_t most_blocks = std::numeric_limits<int>::max(), most_counted = std::numeric_limits<unsigned>::max();
    const unsigned block = session.options.block;
    const size_t most = std::min(most_blocks * block, most_counted);
    if (n > most) fail(Exit::usage, "size {} is too large: up to {} words in blocks of {}", n, most, block);
}

// Without the peers that do not take so many words.
std::vector<const SharedVariant*> variants_for(const Session& session, size_t n) {
    std::vector<const SharedVariant*> variants;
    for (const SharedVariant* variant : session.selected<SharedVariant>()) {
        if (n <= variant->most_words) variants.push_back(variant);
        else session.leave_out(variant->name, text("{} words are too many for it: up to {}", n, variant->most_words));
    }
    return variants;
}

void run(Session& session) {
    for (size_t n : session.sizes()) check_size(session, n);
    Bench bench(session);
    for (size_t n : session.sizes()) {
        SharedProblems problems(session, n);
        const std::vector<const SharedVariant*> variants = variants_for(session, n);
        size_t values = 0;
        for (const SharedVariant* variant : variants) values = std::max(values, problems.of(*variant).size());
        // A block of the table for each value of an option, so that the steps of a ladder do the same work. The peer of
        // --versus is in all of them.
        for (size_t value = 0; value < values; ++value) {
            Cases cases;
            for (const SharedVariant* variant : variants) {
                const SharedGroups& groups = problems.of(*variant);
                if (value < groups.size() || variant->name == session.options.versus)
                    cases.push_back(
                        std::make_unique<SharedCase>(session, *variant, groups[std::min(value, groups.size() - 1)]));
            }
            bench.run(cases);
        }
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(shared_program, run)
#endif
