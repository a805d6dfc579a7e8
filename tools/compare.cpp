// SPDX-License-Identifier: MIT
// compare: whether tables of timings differ, by how much and how certainly: a verdict for each row, and one for all.
//
// In come tables, the kernels of one, or commands that take turns (turns), as sides. Their rows find partners (join),
// whose samples are compared (rows, statistics). Out go a row for each pair and a sentence (report), with what else may
// have made a difference (conditions). Predictions are held against measured times instead (prediction).
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/host_program.hpp"
#include "common/io/text.hpp"
#include "tools/compare/conditions.hpp"
#include "tools/compare/prediction.hpp"
#include "tools/compare/report.hpp"
#include "tools/compare/rows.hpp"
#include "tools/compare/turns.hpp"

using namespace compare;

static const Program program = {
    .name = "compare",
    .summary = "Compares tables of timings with the first, the kernels of one table, or commands: a verdict per row.",
    .operands = "BASE OTHER...",
    .examples = {"compare before.csv after.csv", "compare --run 'sort before.csv' --run 'sort -n before.csv'"},
    .most_operands = 100,
    .has_kernels = false,
    .benchmark = false,
    .options = own_options<Settings>,
};

static std::vector<std::string> files_of(const Session& session) {
    const Settings& settings = session.own<Settings>();
    const std::vector<std::string>& files = session.options.operands;
    if (!settings.commands.empty()) {
        if (settings.commands.size() == 1)
            fail(Exit::usage, "--run: there is nothing to compare with: give it twice, first the command before");
        if (settings.peers || !files.empty())
            fail(Exit::usage, "--run compares commands: leave {} out",
                 settings.peers ? std::string("--peers") : "'" + files.front() + "'");
        return {};
    }
    if (settings.peers && files.size() != 1)
        fail(Exit::usage, "--peers compares the kernels of one table, and {} are named", files.size());
    if (settings.peers && settings.base.empty())
        fail(Exit::usage, "--peers needs --base KERNEL, with which the others are compared");
    if (!settings.peers && !settings.base.empty())
        fail(Exit::usage, "--base names a kernel for --peers; the first of several tables is the base");
    if (!settings.peers && files.size() < 2)
        fail(Exit::usage, "there is nothing to compare with: name two tables, the first before and the second after");
    return files;
}

// A benchmark without a gang ran on one device.
static void number_gangs(std::vector<DataTable>& tables) {
    const auto has_gangs = [](const DataTable& table) { return table.find("gang") != nullptr; };
    if (std::none_of(tables.begin(), tables.end(), has_gangs)) return;
    for (DataTable& table : tables) {
        if (has_gangs(table) || !has_our_schema(table)) continue;
        table.columns.emplace_back("gang");
        for (std::size_t row = 0; row < table.rows(); ++row) table.columns.back().add_number(1);
    }
}

static std::vector<std::size_t> measured_rows(const DataTable& table) {
    const TableColumn* const timer = table.find("timer");
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!timer || timer->word(row) != "model") rows.push_back(row);
    return rows;
}

static void say_what_is_predicted(const Session& session, const std::vector<DataTable>& tables) {
    for (const DataTable& table : tables) {
        const std::size_t predicted = table.rows() - measured_rows(table).size();
        if (predicted > 0)
            session.notice(text("{} {} of {} {} a model's: left out", predicted, predicted == 1 ? "row" : "rows",
                                table.name, predicted == 1 ? "is" : "are"));
    }
}

// `rounds`: of the rows of each table, if these are of commands that took turns.
static std::vector<Side> sides_of_tables(const std::vector<DataTable>& tables,
                                         const std::vector<std::vector<std::size_t>>& rounds) {
    std::vector<Side> sides;
    for (const DataTable& table : tables) {
        sides.push_back({table.name, &table, measured_rows(table)});
        if (!rounds.empty()) sides.back().rounds = rounds[sides.size() - 1];
    }
    return sides;
}

// The base first, then the other kernels as they come.
static std::vector<Side> sides_of_kernels(const DataTable& table, const std::string& base) {
    const TableColumn& kernel = table.column("kernel");
    std::vector<Side> sides = {{base, &table, {}}};
    for (const std::size_t row : measured_rows(table)) {
        const std::string name = kernel.word(row);
        const auto is_it = [&](const Side& side) { return side.name == name; };
        auto side = std::find_if(sides.begin(), sides.end(), is_it);
        if (side == sides.end()) side = sides.insert(sides.end(), {name, &table, {}});
        side->rows.push_back(row);
    }
    std::vector<std::string> names;
    for (const Side& side : sides) names.push_back(side.name);
    names.erase(names.begin());
    if (sides.front().rows.empty())
        fail(Exit::usage, "--base {}: {} has no such kernel; it has {}", base, table.name,
             names.empty() ? "none" : printable(list_text(names, "and"), 400));
    if (sides.size() == 1) fail(Exit::bad_input, "{}: there is no kernel but {} to compare", table.name, base);
    return sides;
}

static bool fails(const Row& row, const FailIf& condition, const Compared& compared, const Settings& settings) {
    if (condition.missing) return false;
    const Comparison& of = row.comparison;
    if (condition.verdict == Verdict::unknown) return of.verdict == Verdict::unknown || of.is_of_one_run();
    if (of.verdict != condition.verdict) return false;
    const double slower = percent_slower(row, compared, settings);
    return (condition.verdict == Verdict::slower ? slower : -slower) >= condition.change_percent.value_or(0);
}

static void apply_fail_if(Session& session, const Compared& compared) {
    const Settings& settings = session.own<Settings>();
    for (const FailIf& condition : settings.fail_if) {
        std::size_t rows = 0;
        for (const Row& row : compared.rows) rows += fails(row, condition, compared, settings);
        for (const Join& join : compared.joins) rows += condition.missing ? join.base_alone.size() : 0;
        if (rows == 0) continue;
        const std::string kind = condition.missing ? "missing" : name_of(condition.verdict);
        const std::string size = condition.change_percent ? text(" by {} % or more", *condition.change_percent) : "";
        session.complain(text("{} {} {}{}", rows, rows == 1 ? "row is" : "rows are", kind, size));
        session.exit_with(Exit::wrong_result);
    }
}

// Without verdicts --fail-if would always pass, and one run a side would fail code that has not changed: better an
// error.
static void refuse_undecidable(const Session& session, const Compared& compared) {
    const Settings& settings = session.own<Settings>();
    const auto asks_for = [&](auto is_so) {
        return std::any_of(settings.fail_if.begin(), settings.fail_if.end(), is_so);
    };
    const bool for_verdict = asks_for([](const FailIf&one) { return !one.missing; }),
               for_change = asks_for([](const FailIf&one) { return !one.missing && one.verdict != Verdict::unknown; });
    for (const Row& row : compared.rows) {
        if (for_verdict && row.comparison.evidence == Evidence::none)
            fail(Exit::bad_input,
                 "--fail-if needs samples, and {} or {} has medians alone: write the tables with --json or --raw, or "
                 "say --exact if these are counts, the same in each run",
                 row.base->name, row.other->name);
        if (for_change && row.comparison.is_of_one_run())
            fail(Exit::bad_input,
                 "--fail-if cannot be decided from one run of {}: the same code differs from run to run, too; "
                 "concatenate the tables of several runs, or use --run",
                 row.comparison.before_runs < 2 ? row.base->name : row.other->name);
    }
}

static void run(Session& session) {
    const Settings& settings = session.own<Settings>();
    if (settings.prediction) return hold_predictions(session);
    for (const FailIf& condition : settings.fail_if)
        if (condition.error) fail(Exit::usage, "--fail-if error: only predictions have one; add --prediction");
    margin_percent_of(settings);  // refused before anything is read
    std::vector<DataTable> tables;
    for (const std::string& file : files_of(session))
        tables.push_back(read_table(file, Lists::keep, &session.begin_step("reading " + file, StepUnit::bytes)));
    Turns turns;
    if (!settings.commands.empty()) {
        turns = take_turns(session);
        tables = std::move(turns.tables);
        if (turns.are_wall_times)
            session.notice("the time that the commands take is compared, since not all of them print rows to compare");
    }
    number_gangs(tables);
    session.begin_step("comparing");
    const std::vector<Side> sides =
        settings.peers ? sides_of_kernels(tables.front(), settings.base) : sides_of_tables(tables, turns.rounds);
    const Compared compared = compare_sides(sides, settings);
    session.end_step();
    refuse_undecidable(session, compared);
    say_what_is_predicted(session, tables);
    for (const std::string& warning : warnings(sides, compared, settings)) session.notice("warning: " + warning);
    for (const std::string& remark : remarks(sides, compared, settings)) session.notice(remark);
    if (settings.summary) print_summary(session, sides, compared);
    else print_rows(session, sides, compared);
    apply_fail_if(session, compared);
}

int main(int argc, char** argv) { return run_host_program(program, run, argc, argv); }
