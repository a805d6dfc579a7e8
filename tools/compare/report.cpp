// SPDX-License-Identifier: MIT
#include "tools/compare/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "common/io/text.hpp"
#include "tools/compare/conditions.hpp"

namespace compare {

Cell cell_of(const Side& side, const std::string& column, std::size_t row) {
    const TableColumn* const found = side.table->find(column);
    if (!found || found->is_empty(row)) return std::string("none");
    const double number = found->number(row);
    const std::string word = found->word(row);
    if (std::isnan(number)) return word;
    const std::size_t point = word.find('.');
    if (point != word.npos && word.find('e') == word.npos) return Fixed{number, int(word.size() - point - 1)};
    if (std::abs(number) < 9e15 && std::trunc(number) == number) return whole(number);
    return word;
}

namespace {

using RowColumn = ColumnOf<Row, std::function<Cell(const Row&)>>;

// The columns that identify a row: those by which any two sides join, and those that readers always want.
std::vector<std::string> key_columns(const std::vector<Side>& sides, const Compared& compared,
                                     const Settings& settings) {
    std::set<std::string> wanted = {"tool", "kernel", "dtype", "n", "device"};
    for (const Join& join : compared.joins) wanted.insert(join.by.begin(), join.by.end());
    if (settings.peers) wanted.erase("kernel");
    std::vector<std::string> names;
    for (const TableColumn& column : sides.front().table->columns)
        if (wanted.count(column.name()) > 0) names.push_back(column.name());
    return names;
}

// The word that all rows have in a column, apart from those that it does not apply to; "" if they do not agree.
std::string common_word(const Compared& compared, const std::string& column) {
    std::string common = "none";
    for (const Row& row : compared.rows) {
        const std::string word = word_of(*row.base, column.c_str(), row.base_row);
        if (word == "none" || (column == "device" && word == "host")) continue;
        if (common != "none" && word != common) return "";
        common = word;
    }
    return common;
}

// The title above the table for people: what all rows have in common.
std::string title_of(const Session& session, const std::vector<Side>& sides, const Compared& compared) {
    const Settings& settings = session.own<Settings>();
    std::string title = settings.peers ? sides.front().table->name + ": kernels compared with " + sides.front().name
                        : sides.size() == 2 ? sides[1].name + " compared with " + sides[0].name
                                            : "compared with " + sides[0].name;
    for (const std::string& key : key_columns(sides, compared, settings)) {
        const std::string word = common_word(compared, key);
        if (word.empty() || word == "none" || (settings.peers && key == "device")) continue;
        title += (key == "tool" || key == "device" || key == "dtype" ? ", " : ", " + key + " ") + word;
    }
    return title;
}

Fixed change_cell(double ratio) { return ratio > 0 ? computed(100 * (ratio - 1), 3) : absent(3); }
Fixed ratio_cell(double ratio) { return ratio > 0 ? computed(ratio, 5) : absent(5); }

// A number with at least four significant digits, and three after the point.
Fixed figure_cell(double value) {
    const double size = std::abs(value);
    const int zeros = size > 0 && size < 1 ? int(-std::floor(std::log10(size))) : 0;
    return {value, std::min(3 + zeros, 340)};
}

// What another run of the same program may contradict has a question mark.
std::string verdict_word(const Comparison& of) {
    return name_of(of.verdict) + std::string(of.is_of_one_run() && of.verdict != Verdict::unknown ? "?" : "");
}

std::string verdict_text(const Comparison& of) {
    if (of.verdict == Verdict::unknown && of.runs_needed > 0) return text("unknown: takes {} runs", of.runs_needed);
    if (of.verdict == Verdict::unknown && of.is_of_one_run()) return "unknown: one run";
    return of.verdict == Verdict::none ? not_applicable : verdict_word(of);
}

// Columns of the table that was read have the names that they have there, unless the report has a column of that name.
std::string key_heading(const std::string& key, const std::vector<RowColumn>& own) {
    const auto is_taken = [&](const RowColumn& one) { return one.column.name == key; };
    return std::any_of(own.begin(), own.end(), is_taken) ? "key_" + key : key;
}

// The columns that identify a row. `own`: the report's other ones.
void append_names(const Session& session, const std::vector<Side>& sides, const Compared& compared,
                  const std::vector<RowColumn>& own, std::vector<RowColumn>& columns) {
    const Settings& settings = session.own<Settings>();
    const bool are_two = sides.size() == 2 && !settings.peers;
    const char* const heading = are_two ? "" : settings.peers ? "kernel" : "table";
    columns.push_back({{"base"}, [](const Row& row) -> Cell { return row.base->name; }});
    columns.push_back({{"other", heading}, [](const Row& row) -> Cell { return row.other->name; }});
    std::vector<RowColumn> taken = own;
    taken.insert(taken.end(), columns.begin(), columns.end());
    const std::vector<std::string> keys = key_columns(sides, compared, settings);
    for (const std::string& key : keys) {
        const bool is_shown = common_word(compared, key).empty() || (are_two && (key == "kernel" || keys.size() == 1));
        columns.push_back({{key_heading(key, taken), is_shown ? key : ""},
                           [key](const Row& row) { return cell_of(*row.base, key, row.base_row); }});
    }
}

// The columns of the comparison: people see changes in percent or, between kernels, which may be far apart, ratios.
std::vector<RowColumn> figures(const Session& session, const std::vector<Side>& sides, const Compared& compared) {
    const Settings& settings = session.own<Settings>();
    const bool are_several = compared.values.size() > 1;
    const std::string value = are_several ? "value" : compared.values.front();
    const bool in_ns = value.ends_with("_ns"), are_two = sides.size() == 2 && !settings.peers;
    const std::string unit = in_ns ? " us" : are_several ? "" : " " + value, base = sides.front().name;
    const double scale = in_ns ? 1e-3 : 1;
    const int digits = in_ns ? 3 : as_in_csv;
    const auto heading = [&](bool of_ratio, const char* words) { return of_ratio == settings.peers ? words : ""; };
    std::vector<RowColumn> columns;
    if (are_several)
        columns.push_back(
            {{"value", "value"}, [values = compared.values](const Row& row) -> Cell { return values[row.value]; }});
    using Of = Comparison;
    const std::vector<ColumnOf<Of>> all = {
        {{"base_" + value, (are_two ? "before" : base) + unit, scale, digits, 0, 3},
         [](const Of& of) -> Cell { return figure_cell(of.before); }},
        {{"other_" + value, are_two ? "after" + unit : unit.substr(unit.empty() ? 0 : 1), scale, digits, 0, 3},
         [](const Of& of) -> Cell { return figure_cell(of.after); }},
        {{"ratio", settings.peers ? "x " + base : "", 1, 3}, [](const Of& of) -> Cell { return ratio_cell(of.ratio); }},
        {{"ratio_low", heading(true, "95 % from"), 1, 3, 0, 4},
         [](const Of& of) -> Cell { return ratio_cell(of.ratio_interval.low); }},
        {{"ratio_high", heading(true, "to"), 1, 3, 0, 4},
         [](const Of& of) -> Cell { return ratio_cell(of.ratio_interval.high); }},
        {{"", heading(false, "change %"), 1, 1}, [](const Of& of) -> Cell { return change_cell(of.ratio); }},
        {{"", heading(false, "95 % from"), 1, 1, 0, 4},
         [](const Of& of) -> Cell { return change_cell(of.ratio_interval.low); }},
        {{"", heading(false, "to"), 1, 1, 0, 4},
         [](const Of& of) -> Cell { return change_cell(of.ratio_interval.high); }},
        {{"p"}, [](const Of& of) -> Cell { return computed(of.p, 9); }},
        {{"corrected_p", "p", 1, 4, 0, 5}, [](const Of& of) -> Cell { return computed(of.corrected_p, 9); }},
        {{"verdict"}, [](const Of& of) -> Cell { return verdict_word(of); }},
        {{"", "verdict"}, [](const Of& of) -> Cell { return verdict_text(of); }},
        {{"base_samples"}, [](const Of& of) -> Cell { return whole(of.before_samples); }},
        {{"other_samples"}, [](const Of& of) -> Cell { return whole(of.after_samples); }},
        {{"base_runs"}, [](const Of& of) -> Cell { return whole(of.before_runs); }},
        {{"other_runs"}, [](const Of& of) -> Cell { return whole(of.after_runs); }},
        {{"runs_needed"}, [](const Of& of) -> Cell { return whole(of.runs_needed); }},
    };
    for (const ColumnOf<Of>& one : all)
        columns.push_back({one.column, [take = one.value](const Row& row) { return take(row.comparison); }});
    return columns;
}

struct Summary {
    std::string base, other;
    std::size_t joined = 0, rows = 0, alone = 0;  // rows: those of the joined ones that have a number on both sides
    std::size_t verdicts[5] = {}, of_one_run[5] = {};  // those with a question mark, and unknown ones, apart
    double geometric_mean = 0;                         // of the ratios; 0 if there are none

    std::size_t of(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
};

Summary summary_of(const Side& base, const Side& other, const Compared& compared, const Join& join) {
    Summary summary{base.name, other.name, join.rows.size() * compared.values.size(), 0,
                    join.base_alone.size() + join.other_alone.size()};
    std::vector<double> ratios;
    for (const Row& row : compared.rows) {
        if (row.other != &other) continue;
        ++summary.rows;
        const auto verdict = static_cast<std::size_t>(row.comparison.verdict);
        ++(row.comparison.is_of_one_run() ? summary.of_one_run : summary.verdicts)[verdict];
        if (row.comparison.ratio > 0) ratios.push_back(row.comparison.ratio);
    }
    summary.geometric_mean = geometric_mean(ratios);
    return summary;
}

std::string sentence_of(const Summary& summary, const Settings& settings, bool names_other) {
    const std::string name = names_other ? summary.other + ": " : "";
    if (summary.joined == 0) return name + "no row has a partner.";
    if (summary.rows == 0) return name + "no row has a number on both sides.";
    std::vector<std::string> parts;
    for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::same, Verdict::unknown})
        if (const std::size_t n = summary.of(verdict); n > 0) parts.push_back(text("{} {}", n, name_of(verdict)));
    for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::same, Verdict::unknown})
        if (const std::size_t n = summary.of_one_run[static_cast<std::size_t>(verdict)]; n > 0)
            parts.push_back(text("{} {} in one run", n, name_of(verdict)));
    if (const std::size_t n = summary.of(Verdict::none); n > 0)
        parts.push_back(text("{} of medians alone, without a verdict", n));
    std::string sentence =
        text("{}{} {}: {}", name, summary.rows, summary.rows == 1 ? "row" : "rows", list_text(parts, "and"));
    if (!(summary.geometric_mean > 0)) return sentence + ".";
    const double ratio = summary.geometric_mean;
    const std::string change = settings.peers ? "" : text(", {:+.1f} %", 100 * (ratio - 1));
    return sentence + text("; the geometric mean of the ratios is {:.4f}{}.", ratio, change);
}

}  // namespace

void print_rows(Session& session, const std::vector<Side>& sides, const Compared& compared) {
    std::vector<RowColumn> columns;
    const std::vector<RowColumn> own = figures(session, sides, compared);
    append_names(session, sides, compared, own, columns);
    columns.insert(columns.end(), own.begin(), own.end());
    Table table(session.output, session.format(), session.options.header, columns_of(columns));
    const bool is_markdown = session.format() == Format::markdown;
    const std::string title = title_of(session, sides, compared);
    if (is_markdown) session.output.write(title + "\n\n");  // its tables have no titles
    for (const Row& row : compared.rows) table.add(cells_of(columns, row));
    table.flush(title);
    if (session.format() != Format::human && !is_markdown) return;
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const Summary summary = summary_of(sides[0], sides[i], compared, compared.joins[i - 1]);
        const std::string sentence = sentence_of(summary, session.own<Settings>(), sides.size() > 2);
        if (is_markdown) session.output.write("\n" + sentence + "\n");
        else session.output.write_wrapped(sentence);
    }
}

void print_summary(Session& session, const std::vector<Side>& sides, const Compared& compared) {
    const auto count = [](Verdict verdict) {
        return [verdict](const Summary& of) -> Cell { return whole(of.of(verdict)); };
    };
    using Of = Summary;
    const std::vector<ColumnOf<Of, std::function<Cell(const Of&)>>> columns = {
        {{"base", "base"}, [](const Of& of) { return of.base; }},
        {{"other", "other"}, [](const Of& of) { return of.other; }},
        {{"rows", "rows"}, [](const Of& of) { return whole(of.rows); }},
        {{"faster", "faster"}, count(Verdict::faster)},
        {{"slower", "slower"}, count(Verdict::slower)},
        {{"same", "same"}, count(Verdict::same)},
        {{"unknown", "unknown"},
         [](const Of& of) -> Cell {
             return whole(std::accumulate(of.of_one_run, std::end(of.of_one_run), of.of(Verdict::unknown)));
         }},
        {{"without_verdict", "without"}, count(Verdict::none)},
        {{"without_partner", "alone"}, [](const Of& of) { return whole(of.alone); }},
        {{"geometric_mean", "geometric mean", 1, 4}, [](const Of& of) { return ratio_cell(of.geometric_mean); }},
    };
    Table table(session.output, session.format(), session.options.header, columns_of(columns));
    for (std::size_t i = 1; i < sides.size(); ++i)
        table.add(cells_of(columns, summary_of(sides[0], sides[i], compared, compared.joins[i - 1])));
    table.flush();
}

}  // namespace compare
