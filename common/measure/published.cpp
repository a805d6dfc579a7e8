// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/measure/columns.hpp"
#include "common/measure/lectures.hpp"

// The cell of a row by its column's name, for what published figures are about.
static std::optional<std::string> cell_of(const Measured& of, std::string_view column) {
    if (column == "block") return of.measurement.block;
    for (std::size_t i = 0; i < of.run.own_columns.size(); ++i)
        if (of.run.own_columns[i].name == column) return text_of(of.measurement.own[i]);
    return std::nullopt;
}

std::vector<const LectureRow*> published_of(const Measured& of) {
    const Variant& variant = *of.measurement.variant;
    return published_rows(*of.run.lectures, {variant.name, *of.run.settings.published, variant.needs == Needs::host,
                                             [&of](std::string_view column) { return cell_of(of, column); }});
}

static ReportColumn word_column(const char* name, const char* heading, const char* LectureRow::*word) {
    return {{name, heading, 1, 0, 8, 3}, [=](const Measured& of) -> Cell {
                const std::vector<const LectureRow*> rows = published_of(of);
                return rows.empty() || !*(rows.front()->*word) ? "none" : rows.front()->*word;
            }};
}

// Times in nanoseconds, as ours are.
static ReportColumn time_column() {
    return {{"published_ns", "published us", 1e-3, 1, 9}, [](const Measured& of) {
                const PublishedFigure* const figure = published_figure(published_of(of), "ms");
                return figure ? Fixed{1e6 * figure->fixed().value, 1} : absent(1);
            }};
}

// Others as they are published. On a narrow terminal they go early, unless ours stand beside them.
static ReportColumn figure_column(const std::string& metric, bool has_ours) {
    std::string heading = "published " + metric;
    std::replace(heading.begin(), heading.end(), '_', ' ');
    return {{"published_" + metric, heading, 1, as_in_csv, 0, has_ours ? 1 : 3}, [=](const Measured& of) {
                const PublishedFigure* const figure = published_figure(published_of(of), metric);
                return figure ? figure->fixed() : absent();
            }};
}

std::vector<ReportColumn> published_columns(const Run& run) {
    std::vector<ReportColumn> columns = {
        word_column("published_by", "published by", &LectureRow::ladder),
        word_column("published_gpu", "on", &LectureRow::gpu),
        {{"published_n"},
         [](const Measured& of) {
             const std::vector<const LectureRow*> rows = published_of(of);
             return rows.empty() ? absent() : whole_if_any(static_cast<long long>(rows.front()->n));
         }},
    };
    for (const std::string& metric : published_metrics(*run.lectures)) {
        const bool is_speedup = metric.find("speedup") != metric.npos;
        columns.push_back(metric == "ms" ? time_column() : figure_column(metric, is_speedup && run.settings.ladder));
    }
    return columns;
}
