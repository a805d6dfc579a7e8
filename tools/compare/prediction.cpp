// SPDX-License-Identifier: MIT
#include "tools/compare/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/io/table.hpp"
#include "common/io/text.hpp"
#include "common/measure/statistics.hpp"
#include "tools/compare/conditions.hpp"
#include "tools/compare/join.hpp"
#include "tools/compare/options.hpp"
#include "tools/compare/report.hpp"

namespace compare {
namespace {

struct Held {
    std::size_t measured_row, predicted_row;  // the first of each
    double measured = 0, predicted = 0, low = 0, high = 0;

    bool is_within() const { return low <= measured && measured <= high; }
    // The larger time over the smaller, less one.
    double error_percent() const {
        const double ratio = predicted > measured ? predicted / measured : measured / predicted;
        return 100 * (ratio - 1);
    }
    const char* direction() const {
        return predicted < measured ? "too fast" : predicted > measured ? "too slow" : "exact";
    }
};

// Refuses what means nothing here.
void refuse_ignored(const Session& session) {
    const Settings& settings = session.own<Settings>();
    const std::pair<bool, const char*> ignored[] = {
        {settings.peers, "--peers"},
        {!settings.commands.empty(), "--run"},
        {!settings.values.empty(), "--value"},
        {settings.exact, "--exact"},
        {settings.more_is_faster, "--more-is-faster"},
        {!settings.base.empty(), "--base"},
        {settings.margin_is_given, "--margin"},
    };
    for (const auto& [is_given, name] : ignored)
        if (is_given) fail(Exit::usage, "{} means nothing to --prediction: leave it out", name);
    for (const FailIf& condition : settings.fail_if)
        if (!condition.missing && !condition.error)
            fail(Exit::usage, "--fail-if: of --prediction only error:PCT% and missing can fail");
    if (session.options.operands.size() != 2)
        fail(Exit::usage,
             "--prediction takes two tables, first the measured one, then the simulator's, and {} {} named",
             session.options.operands.size(), session.options.operands.size() == 1 ? "is" : "are");
}

std::vector<std::size_t> rows_with(const DataTable& table, const std::function<bool(const std::string&)>& has_timer) {
    const TableColumn* const timer = table.find("timer");
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (has_timer(timer ? timer->word(row) : "")) rows.push_back(row);
    return rows;
}

Side measured_side(const DataTable& table) {
    if (!table.find("median_ns") && !table.find("samples_ns"))
        fail(Exit::bad_input, "{}: no column median_ns or samples_ns, which predictions are held against", table.name);
    Side side{table.name, &table, rows_with(table, [](const std::string& timer) {
                  return timer != "host" && timer != "sim" && timer != "model";
              })};
    if (side.rows.empty())
        fail(Exit::bad_input, "{}: no row was timed on a GPU{}", table.name,
             table.find("p_predicted_ns") ? "; the measured table comes first, then that of the simulator" : "");
    return side;
}

// `table`: its sizes become those that are predicted. The side's rows are those with a prediction.
Side predicted_side(const Session& session, DataTable& table) {
    const TableColumn *const ns = table.find("p_predicted_ns"), *const n = table.find("p_predicted_n");
    if (!ns || !n)
        fail(
            Exit::bad_input,
            "{}: no column p_predicted_ns: it is no table of the simulator, or --no-predict or SIMCC_PREDICT=0 made it",
            table.name);
    Side side{table.name, &table, {}};
    std::set<std::string> without;
    std::size_t missing = 0;
    for (const std::size_t row : rows_with(table, [](const std::string& timer) { return timer == "sim"; })) {
        if (ns->number(row) > 0) side.rows.push_back(row);
        else ++missing, without.insert(word_of(side, "kernel", row));
    }
    if (missing > 0)
        session.notice(text("{} {} of {} {} no prediction: {}", missing, missing == 1 ? "row" : "rows", table.name,
                            missing == 1 ? "has" : "have",
                            printable(list_text({without.begin(), without.end()}, "and"), 200)));
    if (side.rows.empty()) fail(Exit::bad_input, "{}: no row has a prediction", table.name);
    TableColumn sizes("n");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (n->is_empty(row)) sizes.add_empty();
        else sizes.add_number(n->number(row));
    }
    for (TableColumn& column : table.columns)
        if (column.name() == "n") column = std::move(sizes);
    return side;
}

double median_of(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers.empty() ? 0 : quantile(numbers, 0.5);
}

// Of all samples, or of the medians where the table has no samples.
double median_time(const Side& side, const std::vector<std::size_t>& rows) {
    const TableColumn *const medians = side.table->find("median_ns"), *const lists = side.table->find("samples_ns");
    std::vector<double> times;
    for (const std::size_t row : rows) {
        std::vector<double> samples;
        if (lists)
            for (const double sample : lists->list(row)) samples.push_back(sample);
        const double time = samples.empty() && medians ? medians->number(row) : median_of(samples);
        if (time > 0) times.push_back(time);
    }
    return median_of(times);
}

// Says in which columns the sides have no value in common, and what they have there.
[[noreturn]] void fail_without_rows(const Side& measured, const Side& predicted, const Join& join) {
    const auto words_of = [](const Side& side, const std::string& column) {
        std::set<std::string> words;
        for (const std::size_t row : side.rows) words.insert(word_of(side, column.c_str(), row));
        return words;
    };
    const auto shown = [](const std::set<std::string>& words) {
        std::vector<std::string> some(words.begin(), words.end());
        if (some.size() > 4) some = {some[0], some[1], some[2], text("{} more", some.size() - 3)};
        return printable(list_text(some, "and"), 120);
    };
    std::string differs;
    for (const std::string& column : join.by) {
        const std::set<std::string> of_measured = words_of(measured, column),
                                    of_predicted = words_of(predicted, column);
        const auto is_common = [&](const std::string& word) { return of_predicted.count(word) > 0; };
        if (std::none_of(of_measured.begin(), of_measured.end(), is_common))
            differs += text("; {} is {} in {}, {} in {}", column, shown(of_measured), measured.name,
                            shown(of_predicted), predicted.name);
    }
    if (differs.empty()) differs = "; none agrees in " + list_text(join.by, "and");
    fail(Exit::bad_input, "no prediction of {} is for a row of {}{}", predicted.name, measured.name, differs);
}

void warn_of_gpus(const Session& session, const Side& measured, const Side& predicted, const std::vector<Held>& rows) {
    std::set<std::pair<std::string, std::string>> others;
    for (const Held& row : rows) {
        const std::string device = word_of(measured, "device", row.measured_row),
                          gpu = word_of(predicted, "p_predicted_gpu", row.predicted_row);
        // (A remark on the model may follow the name: "NVIDIA TITAN V (published figures)".)
        const bool is_same = gpu == device || gpu.starts_with(device + " (");
        if (device != "none" && !is_same) others.insert({device, gpu});
    }
    for (const auto& [device, gpu] : others)
        session.notice(text("warning: {} was measured on {}, and {} predicts {}: --predict chooses the GPU",
                            measured.name, device, predicted.name, gpu));
}

std::vector<Held> held_rows(const Session& session, const Side& measured, const Side& predicted, const Join& join) {
    const TableColumn &ns = predicted.table->column("p_predicted_ns"),
                      &low = predicted.table->column("p_predicted_low_ns"),
                      &high = predicted.table->column("p_predicted_high_ns");
    std::vector<Held> rows;
    std::size_t ambiguous = 0, without_time = 0;
    for (const Partners& partners : join.rows) {
        const auto of = [&](const TableColumn& column) {
            std::vector<double> numbers;
            for (const std::size_t row : partners.other) numbers.push_back(column.number(row));
            return median_of(numbers);
        };
        const bool is_one = std::all_of(partners.other.begin(), partners.other.end(), [&](std::size_t row) {
            return ns.number(row) == ns.number(partners.other.front());
        });
        ambiguous += !is_one;
        Held row{partners.base.front(),
                 partners.other.front(),
                 median_time(measured, partners.base),
                 of(ns),
                 of(low),
                 of(high)};
        if (row.measured > 0) rows.push_back(row);
        else ++without_time;
    }
    if (ambiguous > 0)
        session.notice(
            text("warning: {} {} several predictions, and their median counts: --by names the columns that "
                 "tell them apart",
                 ambiguous, ambiguous == 1 ? "row has" : "rows have"));
    if (without_time > 0)
        session.notice(
            text("{} {} of {} without a time", without_time, without_time == 1 ? "row is" : "rows are", measured.name));
    if (rows.empty()) fail(Exit::bad_input, "{}: no row with a prediction has a time above 0", measured.name);
    return rows;
}

// ---- how good the predictions are

struct Quality {
    std::string tool;
    std::size_t rows = 0;
    double median_error = 0, ninth_error = 0, within = 0;  // in percent
    double tau = 0;                                        // nan: no two rows differ enough
};

// Kendall's tau of the variants of one program, type and size. Times that differ by less than 5 % have no order.
double tau_of(const Side& measured, const std::vector<Held>& rows) {
    constexpr double apart = 1.05;
    std::map<std::vector<std::string>, std::vector<const Held*>> blocks;
    for (const Held& row : rows)
        blocks[{word_of(measured, "tool", row.measured_row), word_of(measured, "dtype", row.measured_row),
                word_of(measured, "n", row.measured_row)}]
            .push_back(&row);
    double same = 0, other = 0;
    for (const auto& [name, block] : blocks)
        for (std::size_t i = 0; i < block.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Held &a = *block[i], &b = *block[j];
                if (std::max(a.measured, b.measured) < apart * std::min(a.measured, b.measured)) continue;
                const double agree = (a.measured - b.measured) * (a.predicted - b.predicted);
                same += agree > 0, other += agree < 0;
            }
    return same + other > 0 ? (same - other) / (same + other) : std::nan("");
}

Quality quality_of(const std::string& tool, const Side& measured, const std::vector<Held>& rows) {
    std::vector<double> errors;
    double within = 0;
    for (const Held& row : rows) errors.push_back(row.error_percent()), within += row.is_within();
    std::sort(errors.begin(), errors.end());
    const double count = static_cast<double>(errors.size());
    const auto ninth = std::min(errors.size() - 1, static_cast<std::size_t>(0.9 * count));
    return {tool, rows.size(), quantile(errors, 0.5), errors[ninth], 100 * within / count, tau_of(measured, rows)};
}

void print_quality(Session& session, const Side& measured, const std::vector<Held>& rows) {
    std::vector<std::string> tools;
    std::map<std::string, std::vector<Held>> of_tool;
    for (const Held& row : rows) {
        const std::string tool = word_of(measured, "tool", row.measured_row);
        if (of_tool.count(tool) == 0) tools.push_back(tool);
        of_tool[tool].push_back(row);
    }
    using Of = Quality;
    const std::vector<ColumnOf<Of, std::function<Cell(const Of&)>>> columns = {
        {{"tool", "program"}, [](const Of& of) { return of.tool; }},
        {{"rows", "rows"}, [](const Of& of) { return whole(of.rows); }},
        {{"median_error_percent", "median error %", 1, 1}, [](const Of& of) { return computed(of.median_error, 2); }},
        {{"p90_error_percent", "nine of ten %", 1, 1}, [](const Of& of) { return computed(of.ninth_error, 2); }},
        {{"within_percent", "in interval %", 1, 0}, [](const Of& of) { return computed(of.within, 2); }},
        {{"tau", "tau", 1, 2}, [](const Of& of) { return std::isnan(of.tau) ? absent(4) : computed(of.tau, 4); }},
    };
    Table table(session.output, session.format(), session.options.header, columns_of(columns));
    for (const std::string& tool : tools) table.add(cells_of(columns, quality_of(tool, measured, of_tool[tool])));
    if (tools.size() > 1) table.add(cells_of(columns, quality_of("all", measured, rows)));
    table.flush();
}

void print_held(Session& session, const Side& measured, const Side& predicted, const Join& join,
                const std::vector<Held>& rows) {
    const bool is_markdown = session.format() == Format::markdown;
    std::vector<ColumnOf<Held, std::function<Cell(const Held&)>>> columns;
    std::string title = predicted.name + " held against " + measured.name;
    std::set<std::string> keys = {"tool", "kernel", "dtype", "n", "device"};
    keys.insert(join.by.begin(), join.by.end());
    for (const TableColumn& column : measured.table->columns) {
        const std::string key = column.name();
        if (keys.count(key) == 0) continue;
        std::set<std::string> words;
        for (const Held& row : rows) words.insert(word_of(measured, key.c_str(), row.measured_row));
        const bool is_shown = words.size() > 1 || key == "kernel";
        if (!is_shown && *words.begin() != "none" && *words.begin() != "0")
            title += (key == "tool" || key == "device" || key == "dtype" ? ", " : ", " + key + " ") + *words.begin();
        columns.push_back({{key, is_shown ? key : ""},
                           [&measured, key](const Held& row) { return cell_of(measured, key, row.measured_row); }});
    }
    const auto in_ns = [](double Held::*time) { return [=](const Held& row) -> Cell { return Fixed{row.*time, 1}; }; };
    columns.insert(
        columns.end(),
        {
            {{"measured_ns", "measured us", 1e-3, 2}, in_ns(&Held::measured)},
            {{"predicted_ns", "predicted us", 1e-3, 2}, in_ns(&Held::predicted)},
            {{"predicted_low_ns", "80 % from", 1e-3, 2, 0, 3}, in_ns(&Held::low)},
            {{"predicted_high_ns", "to", 1e-3, 2, 0, 3}, in_ns(&Held::high)},
            {{"error_percent", "error %", 1, 1},
             [](const Held& row) -> Cell { return computed(row.error_percent(), 2); }},
            {{"direction", "predicted"}, [](const Held& row) -> Cell { return std::string(row.direction()); }},
            {{"within", "in interval"},
             [](const Held& row) -> Cell { return std::string(row.is_within() ? "yes" : "no"); }},
            {{"limiter", "limited by", 1, 0, 0, 2},
             [&predicted](const Held& row) -> Cell { return word_of(predicted, "p_limiter", row.predicted_row); }},
        });
    Table table(session.output, session.format(), session.options.header, columns_of(columns));
    if (is_markdown) session.output.write(title + "\n\n");  // its tables have no titles
    for (const Held& row : rows) table.add(cells_of(columns, row));
    table.flush(title);
    if (session.format() != Format::human && !is_markdown) return;
    const Quality all = quality_of("", measured, rows);
    const std::string order = std::isnan(all.tau) ? "" : text("; Kendall's tau is {:.2f}", all.tau);
    const std::string sentence = text(
        "{} {}: the median error is {:.1f} %, nine of ten are within {:.1f} %, and {:.0f} "
        "% of the measured times are in the interval{}.",
        all.rows, all.rows == 1 ? "row" : "rows", all.median_error, all.ninth_error, all.within, order);
    if (is_markdown) session.output.write("\n" + sentence + "\n");
    else session.output.write_wrapped(sentence);
}

void apply_fail_if(Session& session, const Join& join, const std::vector<Held>& rows) {
    for (const FailIf& condition : session.own<Settings>().fail_if) {
        const auto is_off = [&](const Held& row) { return row.error_percent() >= *condition.change_percent; };
        const auto failing =
            condition.missing ? std::ssize(join.base_alone) : std::count_if(rows.begin(), rows.end(), is_off);
        if (failing == 0) continue;
        session.complain(text("{} {} {}", failing, failing == 1 ? "row is" : "rows are",
                              condition.missing
                                  ? "without a prediction"
                                  : text("predicted with an error of {} % or more", *condition.change_percent)));
        session.exit_with(Exit::wrong_result);
    }
}

}  // namespace

void hold_predictions(Session& session) {
    refuse_ignored(session);
    const Settings& settings = session.own<Settings>();
    std::vector<DataTable> tables;
    for (const std::string& file : session.options.operands)
        tables.push_back(read_table(file, Lists::keep, &session.begin_step("reading " + file, StepUnit::bytes)));
    session.begin_step("comparing");
    const std::vector<Side> sides = {measured_side(tables[0]), predicted_side(session, tables[1])};
    const Side &measured = sides[0], &predicted = sides[1];
    Compared compared;
    compared.joins.push_back(join(measured, predicted, {settings.by, {"device", "cache"}, true}));
    const Join& join = compared.joins.front();
    if (join.rows.empty()) fail_without_rows(measured, predicted, join);
    const std::vector<Held> rows = held_rows(session, measured, predicted, join);
    session.end_step();
    warn_of_gpus(session, measured, predicted, rows);
    for (const std::string& remark : remarks(sides, compared, settings)) session.notice(remark);
    if (settings.summary) print_quality(session, measured, rows);
    else print_held(session, measured, predicted, join, rows);
    apply_fail_if(session, join, rows);
}

}  // namespace compare
