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
        if (variant->shape == DivergeShape::two_ifs) return diverge_two_ifs_launch(value);
        if (variant->shape == DivergeShape::nested) return diverge_nested_launch(value);
        return variant->launch;
    }
    DivergeWork work(unsigned rounds) const {
        const bool has_length = has_long_sides(variant->shape), is_nested = variant->shape == DivergeShape::nested;
        const bool has_sides = has_length || variant->shape == DivergeShape::exit;
        const unsigned paths = has_sides ? 2 : is_nested ? 1U << value : diverge_paths;
        const unsigned operations = has_length ? unsigned(value) : diverge_body_operations;
        return {variant->shape, variant->places, operations, paths, variant->distance, rounds};
    }
    // "depth 3": for messages.
    std::string value_text() const {
        if (has_long_sides(variant->shape)) return text("{} operations", value);
        return variant->shape == DivergeShape::nested ? text("depth {}", value) : "";
    }
};

std::vector<DivergeRow> rows_of(const Session& session) {
    const auto& options = session.own<DivergeOptions>();
    const std::vector<size_t> no_option = {0}, operations = options.operations.value_or(std::vector<size_t>{4, 64}),
                              depths = options.depths.value_or(std::vector<size_t>{1, 2, 3, 4, 5});
    std::vector<DivergeRow> rows;
    for (const DivergeVariant* variant : session.selected<DivergeVariant>())
        for (size_t value : has_long_sides(variant->shape)           ? operations
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
    expect_one(options.operations.has_value(), "--operations", "the parities, two-ifs, reordered and those above 2",
               has_long_sides);
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
          rounds(session.own<DivergeOptions>().rounds.on(session.device)),
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

class DivergeCase final : public Case {
public:
    DivergeCase(const Lab& lab, const DivergeRow& row)
        : Case(*row.variant,
               {std::nullopt, lab.words.size(), 2.0 * double(lab.words.size()) * sizeof(unsigned), 0, 0, "words"}),
          lab_(lab),
          row_(row),
          work_(row.work(lab.rounds)) {}

    void poison(cudaStream_t stream) override { lab_.words.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override { return launched_ = lab_.launch(row_, stream); }
    Verdict check() override {
        Verdict verdict = lab_.words.check(work_, launched_.block.x);
        const std::string value = row_.value_text();
        if (!verdict.right && !value.empty()) verdict.detail = value + ": " + verdict.detail;
        return verdict;
    }
    std::vector<Cell> own_cells(double median_ns) override {
        const bool is_timed = !lab_.is_simulated && problem.n > 0;
        const double slowdown = is_timed && row_.variant->agreeing ? lab_.slowdown(row_) : 0;
        return cells_of(diverge_columns, DivergeCells{work_, diverge_count(work_, problem.n, launched_.block.x),
                                                      slowdown, is_timed ? median_ns : 0});
    }

private:
    const Lab& lab_;
    const DivergeRow& row_;
    const DivergeWork work_;
    LaunchShape launched_;
};

void run(Session& session) {
    expect_options_of_some_variant(session);
    Bench bench(session);
    const std::vector<DivergeRow> rows = rows_of(session);
    for (size_t n : session.sizes()) {
        const Lab lab(session, n);
        Cases cases;
        for (const DivergeRow& row : rows) cases.push_back(std::make_unique<DivergeCase>(lab, row));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(diverge_program, run)
#endif
