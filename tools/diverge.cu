// SPDX-License-Identifier: MIT
// diverge: what it costs when the lanes of a warp go different ways, and what happens when they wait for each other.
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/diverge/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/diverge/words.cuh"

namespace BACKEND {
namespace {

// A row of the table: a variant with the value of its option, if it has one.
struct DivergeRow {
    const DivergeVariant* variant;
    size_t value;

    DivergeLaunch* launch() const {
        if (variant->shape == DivergeShape::branch) return diverge_branch_launch(value);
        if (variant->shape == DivergeShape::nested) return diverge_nested_launch(value);
        return variant->launch;
    }
    DivergeWork work(unsigned rounds) const {
        const bool is_branch = variant->shape == DivergeShape::branch,
                   is_nested = variant->shape == DivergeShape::nested;
        const bool has_sides = is_branch || variant->shape == DivergeShape::exit;
        const unsigned paths = has_sides ? 2 : is_nested ? 1U << value : diverge_paths;
        const unsigned operations = is_branch ? unsigned(value) : diverge_body_operations;
        return {variant->shape, variant->places, operations, paths, variant->distance, rounds};
    }
    // "depth 3": for messages.
    std::string value_text() const {
        if (variant->shape == DivergeShape::branch) return text("{} operations", value);
        return variant->shape == DivergeShape::nested ? text("depth {}", value) : "";
    }
};

std::vector<DivergeRow> rows_of(const Session& session) {
    const auto& options = session.own<DivergeOptions>();
    const std::vector<size_t> no_option = {0}, operations = options.operations.value_or(std::vector<size_t>{4, 64}),
                              depths = options.depths.value_or(std::vector<size_t>{1, 2, 3, 4, 5});
    std::vector<DivergeRow> rows;
    for (const DivergeVariant* variant : session.selected<DivergeVariant>())
        for (size_t value : variant->shape == DivergeShape::branch   ? operations
                            : variant->shape == DivergeShape::nested ? depths
                                                                     : no_option)
            rows.push_back({variant, value});
    return rows;
}

// Refuses an option that applies to none of the selected variants.
void expect_options_of_some_variant(const Session& session) {
    const auto& options = session.own<DivergeOptions>();
    const auto variants = session.selected<DivergeVariant>();
    const auto expect_one = [&](bool given, const char* option, const char* those, auto takes) {
        const auto is_taken = [&](const DivergeVariant* variant) { return takes(variant->shape); };
        if (given && std::none_of(variants.begin(), variants.end(), is_taken))
            fail(Exit::usage, "{} is for {}: add one of these to -k, or leave {} out", option, those, option);
    };
    expect_one(options.operations.has_value(), "--operations", "the parities, reordered and those above 2",
               [](DivergeShape shape) { return shape == DivergeShape::branch; });
    expect_one(options.depths.has_value(), "--depth", "nested and nested-warps",
               [](DivergeShape shape) { return shape == DivergeShape::nested; });
    expect_one(options.rounds.given, "--rounds", "all variants but lock and lock-inside",
               [](DivergeShape shape) { return shape != DivergeShape::lock; });
}

// The row that does the same amount of work with warps that agree.
DivergeRow agreeing(const DivergeRow& row) {
    if (!row.variant->agreeing) return row;
    const auto is_named = [&](const DivergeVariant& variant) {
        return variant.name == std::string(row.variant->agreeing);
    };
    return {std::find_if(std::begin(diverge_variants), std::end(diverge_variants), is_named), row.value};
}

// What all rows of one size share.
struct Lab {
    Lab(const Session& session, size_t n)
        : words(n, session.options.seed),
          rounds(session.own<DivergeOptions>().rounds.on(session.device.simulated)),
          block_size(session.options.block),
          is_simulated(session.device.simulated) {}

    LaunchShape launch(const DivergeRow& row, cudaStream_t stream) const {
        return row.launch()(
            {words.d_in(), words.d_out(), words.size(), rounds, row.variant->places, block_size, stream});
    }
    // How many times as long the row takes as the one whose warps agree: the median ratio of alternating samples.
    double slowdown(const DivergeRow& row) const {
        constexpr int pairs = 11;
        Stopwatch stopwatch(false, 0);
        const auto time = [&](const DivergeRow& one) {
            return stopwatch.time({}, [&](cudaStream_t stream) { launch(one, stream); });
        };
        const DivergeRow other = agreeing(row);
        time(other);
        std::vector<double> ratios;
        for (int i = 0; i < pairs; ++i) {
            const double own_ns = time(row);
            ratios.push_back(own_ns / time(other));
        }
        return summarize(ratios).median;
    }

    const DivergeWords words;
    const unsigned rounds, block_size;
    const bool is_simulated;
};

Case case_of(const std::shared_ptr<Lab>& lab, const DivergeRow& row) {
    const auto shape = std::make_shared<LaunchShape>();
    const DivergeWork work = row.work(lab->rounds);
    const size_t n = lab->words.size();
    Case one;
    one.variant = row.variant;
    one.problem = {std::nullopt, n, 2.0 * double(n) * sizeof(unsigned), 0, 0, "words"};
    one.poison = [=](cudaStream_t stream) { lab->words.poison(stream); };
    one.launch = [=](cudaStream_t stream) { return *shape = lab->launch(row, stream); };
    one.check = [=] {
        Verdict verdict = lab->words.check(work, shape->block.x);
        const std::string value = row.value_text();
        if (!verdict.right && !value.empty()) verdict.detail = value + ": " + verdict.detail;
        return verdict;
    };
    one.own_cells = [=](double median_ns) {
        const bool is_timed = !lab->is_simulated && n > 0;
        const double slowdown = is_timed && row.variant->agreeing ? lab->slowdown(row) : 0;
        return cells_of(diverge_columns,
                        DivergeCells{work, diverge_count(work, n, shape->block.x), slowdown, is_timed ? median_ns : 0});
    };
    return one;
}

void run(Session& session) {
    expect_options_of_some_variant(session);
    Bench bench(session);
    const std::vector<DivergeRow> rows = rows_of(session);
    for (size_t n : session.sizes()) {
        const auto lab = std::make_shared<Lab>(session, n);
        std::vector<Case> cases;
        for (const DivergeRow& row : rows) cases.push_back(case_of(lab, row));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(diverge_program, run)
#endif
