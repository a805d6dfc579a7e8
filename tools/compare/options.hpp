// SPDX-License-Identifier: MIT
// The options of compare.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "tools/compare/statistics.hpp"

namespace compare {

// One condition of --fail-if: rows of this kind fail. `missing`: rows of the base that another side lacks. `error`: of
// --prediction.
struct FailIf {
    Verdict verdict = Verdict::none;
    bool missing = false, error = false;
    std::optional<double> change_percent;  // slower, faster and error: at least
};

// "slower:3%,unknown"; Failure(usage) for another word.
std::vector<FailIf> parse_fail_if(const std::string& list);

struct Settings {
    std::vector<std::string> by;
    std::vector<std::string> values;  // none: the samples where the table has them, or else median_ns
    bool more_is_faster = false, exact = false, peers = false, prediction = false, summary = false;
    std::string base;
    std::vector<std::string> commands;  // of --run; none: the operands are tables
    std::size_t pairs = 10;
    double margin_percent = 1;  // as given by --margin; margin_percent_of() is what counts
    bool margin_is_given = false;
    double level = 0.01;
    std::vector<FailIf> fail_if;

    void add_options(OptionTable& table) {
        table.list("--by", "COLUMNS", "join rows that say the same in these columns; chosen by default", by);
        table.list("--value", "COLUMNS", "compare these columns, by default samples_ns or median_ns", values);
        table.flag("--exact", "the columns are counts, the same in each run: no samples are needed", exact);
        table.flag("--more-is-faster", "the larger of two values is the faster: the default for ..._per_s",
                   more_is_faster);
        table.texts("--run", "COMMAND", "run this shell command in turn with that of another --run, and compare them",
                    commands);
        table.whole("--pairs", "N", "with --run: how many times each command takes its turn", pairs, 1, 100'000);
        table.flag("--prediction", "how far the simulator's predictions, the second table, are from measured times",
                   prediction);
        table.flag("--peers", "compare the kernels of one table with one of them", peers);
        table.text("--base", "KERNEL", "with --peers: the kernel that the others are compared with", base);
        table.number("--margin", "PCT", "changes within this many percent count as none", margin_percent, 0, 99);
        OptionRow margin = table.rows().back();
        margin.take = [this, take = margin.take](const std::string& word) { take(word), margin_is_given = true; };
        table.add(margin);
        table.number("--level", "P", "how likely a verdict on equal rows may be", level, 1e-12, 0.5);
        table.read("--fail-if", "LIST",
                   "exit with 1 if a row is slower:PCT% or more, faster:PCT%, unknown, missing, or error:PCT% off", "",
                   fail_if, parse_fail_if);
        table.flag("--summary", "a row per table instead: how many of each verdict, and the geometric mean", summary);
    }
};

// The margin of verdicts in percent: --margin, or by default 1 or the smallest change that --fail-if names, if that is
// less, since rows within the margin count as the same. (Of counts, 0 by default.) Failure(usage) if --margin is given
// and exceeds that change.
double margin_percent_of(const Settings& settings);

}  // namespace compare
