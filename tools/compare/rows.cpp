// SPDX-License-Identifier: MIT
#include "tools/compare/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string_view>

#include "common/io/text.hpp"
#include "tools/compare/turns.hpp"

namespace compare {

static constexpr const char* median_column = "median_ns";
static constexpr const char* samples_column = "samples_ns";

// By default median_ns, whose samples are read where there are any, or what a command took.
static std::vector<std::string> values_of(const DataTable& table, const Settings& settings) {
    if (!settings.values.empty()) return settings.values;
    return {settings.commands.empty() || !table.find(wall_column) ? median_column : wall_column};
}

bool more_is_faster(const Settings& settings, const std::string& value) {
    return settings.more_is_faster || value.ends_with("_per_s");
}

bool has_values(const DataTable& table, const Settings& settings) {
    const auto has = [&](const std::string& name) { return table.find(name) != nullptr; };
    if (settings.values.empty()) return has(median_column) || has(samples_column);
    return std::all_of(settings.values.begin(), settings.values.end(), has);
}

namespace {

// The simulator's counters, as gridutils-simulator(7) lists them: each run counts the same.
bool is_counter(std::string_view name) {
    for (const char* begin : {"gld_", "gst_", "gatom_", "sld_", "sst_", "satom_", "tex_", "const_", "local_"})
        if (name.starts_with(begin)) return true;
    for (const char* one : {"most_contended_operations", "branches", "divergent_branches", "branch_efficiency",
                            "active_lanes", "block_barriers", "warp_barriers", "exchanges", "child_launches"})
        if (name == one) return true;
    return false;
}

// Reads samples: a cell's list of them, or else one from each row, and finds out which run took them.
//   - A list is that of one run.
//   - Rows with a `sample` are one run's as long as their numbers increase, and their run_utc is the same.
//   - Rows with a `run` are one run's if they agree in it.
//   - Other rows are runs of their own.
class Reader {
public:
    Reader(const Side& side, const std::string& value, const Settings& settings)
        : side_(side), value_(column_of(*side.table, value, settings)), samples_(&value_) {
        if (value == median_column && side.table->find(samples_column)) samples_ = side.table->find(samples_column);
        sample_ = side.table->find("sample");
        const bool joins_by_run = std::find(settings.by.begin(), settings.by.end(), "run") != settings.by.end();
        run_ = side.table->find(sample_ || joins_by_run ? "run_utc" : "run");
    }

    Sampled read(const std::vector<std::size_t>& rows) const {
        Sampled sampled;
        std::size_t last = 0;
        for (const std::size_t row : in_order(rows)) {
            const std::span<const double> list = samples_->list(row);
            const std::size_t before = sampled.samples.size();
            for (const double sample : list) add(sample, sampled);
            if (list.empty()) add(value_.number(row), sampled);
            if (sampled.samples.size() == before) continue;
            if (sampled.ends.empty() || begins_run(last, row, !list.empty())) {
                sampled.ends.push_back(0);
                if (!side_.rounds.empty()) sampled.rounds.push_back(side_.rounds[row]);
            }
            sampled.ends.back() = sampled.samples.size();
            last = row;
        }
        sampled.are_samples = sample_ != nullptr || sampled.samples.size() > 1 || has_list(rows);
        return sampled;
    }

private:
    static const TableColumn& column_of(const DataTable& table, const std::string& value, const Settings& settings) {
        if (value == median_column && settings.values.empty() && !has_values(table, settings))
            fail(Exit::bad_input, "{}: no column {} or {}; --value names the column to compare: {}", table.name,
                 samples_column, median_column, printable(list_text(table.names(), "or"), 400));
        const bool has_samples_alone = value == median_column && !table.find(median_column) && settings.values.empty();
        const TableColumn& column = table.column(has_samples_alone ? samples_column : value);
        if (table.rows() > 0 && !column.is_numeric() && !column.has_lists())
            fail(Exit::bad_input, "{}: {} is not a column of numbers; --value names another one", table.name,
                 column.name());
        return column;
    }

    static void add(double number, Sampled& to) {
        if (std::isfinite(number)) to.samples.push_back(number);
    }

    // The rows of a run follow each other.
    std::vector<std::size_t> in_order(std::vector<std::size_t> rows) const {
        if (!run_ || sample_) return rows;
        std::map<std::uint64_t, std::size_t> first;
        for (const std::size_t row : rows) first.try_emplace(run_->key(row), row);
        std::stable_sort(rows.begin(), rows.end(),
                         [&](std::size_t a, std::size_t b) { return first.at(run_->key(a)) < first.at(run_->key(b)); });
        return rows;
    }

    bool begins_run(std::size_t last, std::size_t row, bool is_list) const {
        if (!side_.rounds.empty()) return side_.rounds[row] != side_.rounds[last];
        if (is_list) return true;
        if (sample_)
            return !(sample_->number(row) > sample_->number(last)) || (run_ && run_->key(row) != run_->key(last));
        return !run_ || run_->name() != "run" || run_->key(row) != run_->key(last);
    }

    bool has_list(const std::vector<std::size_t>& rows) const {
        return samples_->has_lists() &&
               std::any_of(rows.begin(), rows.end(), [this](std::size_t row) { return !samples_->list(row).empty(); });
    }

    const Side& side_;
    const TableColumn& value_;
    const TableColumn *samples_, *sample_ = nullptr, *run_ = nullptr;
};

}  // namespace

static JoinChoice choice_of(const std::vector<std::string>& values, const Settings& settings) {
    JoinChoice choice{settings.by, values};
    if (settings.peers) choice.never.push_back("kernel");
    return choice;
}

// Fails where no rows can be compared, unless --fail-if counts missing ones.
static void refuse_without_rows(const std::vector<Side>& sides, const Join& join, const Settings& settings) {
    const Side &base = sides[0], &other = sides[1];
    for (const Side& side : sides)
        if (side.rows.empty()) fail(Exit::bad_input, "{}: there are no rows to compare", side.name);
    const auto asks_for_missing = [](const FailIf& condition) { return condition.missing; };
    if (std::any_of(settings.fail_if.begin(), settings.fail_if.end(), asks_for_missing)) return;
    fail(Exit::bad_input, "no row of {} is in {}: none agrees in {}; --by names the columns to join by", other.name,
         base.name, join.by.empty() ? "anything" : list_text(join.by, "and"));
}

Compared compare_sides(const std::vector<Side>& sides, const Settings& settings) {
    Compared compared;
    MedianRatio bootstrap;
    compared.values = values_of(*sides.front().table, settings);
    const std::vector<std::string>& values = compared.values;
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const Side &base = sides.front(), &other = sides[i];
        compared.joins.push_back(join(base, other, choice_of(values, settings)));
        std::vector<Reader> of_base, of_other;
        for (const std::string& value : values) {
            of_base.emplace_back(base, value, settings);
            of_other.emplace_back(other, value, settings);
        }
        for (const Partners& partners : compared.joins.back().rows) {
            for (std::size_t value = 0; value < values.size(); ++value) {
                const Sampled before = of_base[value].read(partners.base), after = of_other[value].read(partners.other);
                if (before.samples.empty() || after.samples.empty()) {
                    ++compared.without_value;
                    continue;
                }
                const bool is_count = settings.exact || is_counter(values[value]);
                compared.rows.push_back({&base, &other, partners.base.front(), partners.other.front(), value,
                                         compare_sampled(before, after, is_count, bootstrap)});
            }
        }
    }
    const auto joins_no_rows = [](const Join& join) { return join.rows.empty(); };
    const bool joins_none = std::all_of(compared.joins.begin(), compared.joins.end(), joins_no_rows);
    if (joins_none) refuse_without_rows(sides, compared.joins.front(), settings);
    else if (compared.rows.empty())
        fail(Exit::bad_input, "{}: no row has a number in {} on both sides", sides.front().name,
             list_text(values, "or"));
    std::vector<Comparison> all;
    std::vector<Judgement> judgements;
    for (const Row& row : compared.rows) {
        const bool is_exact = row.comparison.evidence == Evidence::exact;
        const double margin = is_exact && !settings.margin_is_given ? 0 : margin_percent_of(settings) / 100;
        all.push_back(row.comparison);
        judgements.push_back({settings.level, margin, more_is_faster(settings, values[row.value])});
    }
    judge(all, judgements);
    for (std::size_t i = 0; i < all.size(); ++i) compared.rows[i].comparison = all[i];
    return compared;
}

double percent_slower(const Row& row, const Compared& compared, const Settings& settings) {
    const Comparison& comparison = row.comparison;
    if (!(comparison.ratio > 0)) {
        const double infinite = std::numeric_limits<double>::infinity();
        return comparison.verdict == Verdict::slower ? infinite : comparison.verdict == Verdict::faster ? -infinite : 0;
    }
    const bool more = more_is_faster(settings, compared.values[row.value]);
    const double percent = 100 * (more ? 1 - comparison.ratio : comparison.ratio - 1);
    return std::round(percent * 1e9) / 1e9;  // from 5 to 6 is 20 percent, not 19.999999999999996
}

}  // namespace compare
