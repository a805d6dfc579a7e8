// SPDX-License-Identifier: MIT
#include "tools/compare/report.hpp"

#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "common/io/terminal.hpp"
#include "common/io/text.hpp"
#include "tools/compare/conditions.hpp"

namespace compare {
namespace {

using RowColumn = ColumnOf<Row, std::function<Cell(const Row&)>>;

// A cell as it is in the table that was read.
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

Fixed change_cell(double ratio) { return ratio > 0 ? Fixed{100 * (ratio - 1), 3} : absent(3); }
Fixed ratio_cell(double ratio) { return ratio > 0 ? Fixed{ratio, 5} : absent(5); }

std::string verdict_text(const Comparison& of) {
    if (of.verdict == Verdict::unknown && of.samples_needed > 0)
        return text("unknown: takes {} samples", of.samples_needed);
    return of.verdict == Verdict::none ? not_applicable : name_of(of.verdict);
}

// The columns that identify a row.
void append_names(const Session& session, const std::vector<Side>& sides, const Compared& compared,
                  std::vector<RowColumn>& columns) {
    const Settings& settings = session.own<Settings>();
    const bool are_two = sides.size() == 2 && !settings.peers;
    const char* const heading = are_two ? "" : settings.peers ? "kernel" : "table";
    columns.push_back({{"base"}, [](const Row& row) -> Cell { return row.base->name; }});
    columns.push_back({{"other", heading}, [](const Row& row) -> Cell { return row.other->name; }});
    const std::vector<std::string> keys = key_columns(sides, compared, settings);
    for (const std::string& key : keys) {
        const bool is_shown = common_word(compared, key).empty() || (are_two && (key == "kernel" || keys.size() == 1));
        columns.push_back(
            {{key, is_shown ? key : ""}, [key](const Row& row) { return cell_of(*row.base, key, row.base_row); }});
    }
}

// The columns of the comparison: people see changes in percent or, between kernels, which may be far apart, ratios.
void append_figures(const Session& session, const std::vector<Side>& sides, std::vector<RowColumn>& columns) {
    const Settings& settings = session.own<Settings>();
    const std::string value = value_of(settings);
    const bool in_ns = value.ends_with("_ns"), are_two = sides.size() == 2 && !settings.peers;
    const std::string unit = in_ns ? "us" : value, base = sides.front().name;
    const auto heading = [&](bool of_ratio, const char* words) { return of_ratio == settings.peers ? words : ""; };
    using Of = Comparison;
    const std::vector<ColumnOf<Of>> figures = {
        {{"base_" + value, (are_two ? "before" : base) + " " + unit, in_ns ? 1e-3 : 1, 3, 0, 3},
         [](const Of& of) -> Cell {
             return Fixed{of.before, 3};
         }},
        {{"other_" + value, (are_two ? "after " : "") + unit, in_ns ? 1e-3 : 1, 3, 0, 3},
         [](const Of& of) -> Cell {
             return Fixed{of.after, 3};
         }},
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
        {{"p"},
         [](const Of& of) -> Cell {
             return Fixed{of.p, 9};
         }},
        {{"corrected_p", "p", 1, 4, 0, 5},
         [](const Of& of) -> Cell {
             return Fixed{of.corrected_p, 9};
         }},
        {{"verdict"}, [](const Of& of) -> Cell { return name_of(of.verdict); }},
        {{"", "verdict"}, [](const Of& of) -> Cell { return verdict_text(of); }},
        {{"base_samples"}, [](const Of& of) -> Cell { return whole(of.before_samples); }},
        {{"other_samples"}, [](const Of& of) -> Cell { return whole(of.after_samples); }},
        {{"samples_needed"}, [](const Of& of) -> Cell { return whole(of.samples_needed); }},
    };
    for (const ColumnOf<Of>& one : figures)
        columns.push_back({one.column, [take = one.value](const Row& row) { return take(row.comparison); }});
}

struct Summary {
    std::string base, other;
    std::size_t joined = 0, rows = 0, alone = 0;  // rows: those of the joined ones that have a number on both sides
    std::size_t verdicts[5] = {};
    double geometric_mean = 0;  // of the ratios; 0 if there are none

    std::size_t of(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
};

Summary summary_of(const Side& base, const Side& other, const Compared& compared, const Join& join) {
    Summary summary{base.name, other.name, join.rows.size(), 0, join.base_alone.size() + join.other_alone.size(),
                    {},        0};
    std::vector<double> ratios;
    for (const Row& row : compared.rows) {
        if (row.other != &other) continue;
        ++summary.rows;
        ++summary.verdicts[static_cast<std::size_t>(row.comparison.verdict)];
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
    append_names(session, sides, compared, columns);
    append_figures(session, sides, columns);
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
        session.output.write(is_markdown ? "\n" + sentence + "\n" : wrapped(sentence, table.width()) + "\n");
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
        {{"unknown", "unknown"}, count(Verdict::unknown)},
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
