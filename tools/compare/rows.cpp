// SPDX-License-Identifier: MIT
#include "tools/compare/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "common/io/text.hpp"

namespace compare {

static constexpr const char* median_column = "median_ns";
static constexpr const char* samples_column = "samples_ns";

std::string value_of(const Settings& settings) { return settings.value.empty() ? median_column : settings.value; }

bool more_is_faster(const Settings& settings) {
    return settings.more_is_faster || value_of(settings).ends_with("_per_s");
}

namespace {

struct Values {
    std::vector<double> numbers;
    bool are_samples = false;
};

// Reads samples: a cell's list of them, or else one from each row, if there are several rows or rows are known to be
// samples.
class Reader {
public:
    Reader(const DataTable& table, const Settings& settings)
        : value_(column_of(table, settings)),
          samples_(value_.name() == median_column ? table.find(samples_column) : &value_),
          rows_are_samples_(table.find("sample") != nullptr) {}

    Values read(const std::vector<std::size_t>& rows) const {
        Values values;
        for (const std::size_t row : rows) {
            std::span<const double> list;
            if (samples_) list = samples_->list(row);
            values.are_samples |= !list.empty();
            for (const double sample : list) add(sample, values);
            if (list.empty()) add(value_.number(row), values);
        }
        values.are_samples |= rows_are_samples_ || values.numbers.size() > 1;
        return values;
    }

private:
    static const TableColumn& column_of(const DataTable& table, const Settings& settings) {
        if (settings.value.empty() && !table.find(median_column))
            fail(Exit::bad_input, "{}: no column {}; --value names the column to compare: {}", table.name,
                 median_column, printable(list_text(table.names(), "or"), 400));
        const TableColumn& column = table.column(value_of(settings));
        if (table.rows() > 0 && !column.is_numeric() && !column.has_lists())
            fail(Exit::bad_input, "{}: {} is not a column of numbers; --value names another one", table.name,
                 column.name());
        return column;
    }

    static void add(double number, Values& values) {
        if (std::isfinite(number)) values.numbers.push_back(number);
    }

    const TableColumn& value_;
    const TableColumn* samples_;
    bool rows_are_samples_;
};

}  // namespace

static JoinChoice choice_of(const Settings& settings) {
    JoinChoice choice{settings.by, {value_of(settings)}};
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
    const Reader base_reader(*sides.front().table, settings);
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const Side &base = sides.front(), &other = sides[i];
        const Reader other_reader(*other.table, settings);
        compared.joins.push_back(join(base, other, choice_of(settings)));
        const Join& joined = compared.joins.back();
        for (const Partners& partners : joined.rows) {
            const Values before = base_reader.read(partners.base), after = other_reader.read(partners.other);
            if (before.numbers.empty() || after.numbers.empty()) {
                ++compared.without_value;
                continue;
            }
            const bool have_samples = before.are_samples && after.are_samples;
            const Comparison comparison =
                compare_samples(before.numbers, after.numbers, have_samples ? &bootstrap : nullptr);
            compared.rows.push_back({&base, &other, partners.base.front(), partners.other.front(), comparison});
        }
    }
    const auto joins_no_rows = [](const Join& join) { return join.rows.empty(); };
    const bool joins_none = std::all_of(compared.joins.begin(), compared.joins.end(), joins_no_rows);
    if (joins_none) refuse_without_rows(sides, compared.joins.front(), settings);
    else if (compared.rows.empty())
        fail(Exit::bad_input, "{}: no row has a number in {} on both sides", sides.front().name, value_of(settings));
    std::vector<Comparison> all;
    for (const Row& row : compared.rows) all.push_back(row.comparison);
    judge(all, {settings.level, margin_percent_of(settings) / 100, more_is_faster(settings)});
    for (std::size_t i = 0; i < all.size(); ++i) compared.rows[i].comparison = all[i];
    return compared;
}

double percent_slower(const Comparison& comparison, const Settings& settings) {
    if (!(comparison.ratio > 0)) return 0;
    return 100 * (more_is_faster(settings) ? 1 - comparison.ratio : comparison.ratio - 1);
}

}  // namespace compare
