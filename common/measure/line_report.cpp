// SPDX-License-Identifier: MIT
#include "common/measure/line_report.hpp"

#include "common/io/text.hpp"
#include "common/measure/counter_columns.hpp"
#include "common/measure/origin.hpp"

using simt::check::KernelCounters;
using simt::check::LineCounters;

static std::string or_none(const std::string& word) { return word.empty() ? "none" : word; }

static auto line_columns(const DeviceInfo& device) {
    using Of = CountedLine;
    const Origin origin = origin_of_rows(device);
    std::vector<ColumnOf<Of, std::function<Cell(const Of&)>>> columns = {
        {{"schema"}, [](const Of&) { return table_schema; }},
        {{"tool"}, [](const Of& of) { return of.run.program_name; }},
        {{"kernel", "kernel", 1, 0, 0, 8}, [](const Of& of) { return of.measurement.variant->name; }},
        {{"dtype"}, [](const Of& of) { return of.measurement.problem.dtype_name(); }},
        {{"n", "n", 1, 0, 0, 9}, [](const Of& of) { return whole(of.measurement.problem.n); }},
        {{"launched"}, [](const Of& of) { return of.kernel; }},
        {{"file", "file"}, [](const Of& of) { return or_none(of.line.file); }},
        {{"line", "line"}, [](const Of& of) { return whole(of.line.line); }},
        {{"function"}, [](const Of& of) { return or_none(of.line.function); }},
        {{"version"}, [origin](const Of&) { return origin.version; }},
        {{"cuda_version"}, [origin](const Of&) { return origin.cuda_version; }},
        {{"compiler"}, [origin](const Of&) { return origin.compiler; }},
    };
    append_counter_columns(columns);
    return columns;
}

LineReport::LineReport(Run& run)
    : run_(run),
      columns_(line_columns(run.device)),
      table_(run.output, run.format(), run.settings.header, columns_of(columns_)) {}

void LineReport::add(const Measurement& measurement, const std::string& title) {
    const char* variant = measurement.variant->name;
    if (measurement.kernels.empty()) return;  // it ran on the host
    for (const KernelCounters& kernel : measurement.kernels) {
        const std::string note = note_on_lines(kernel);
        if (!note.empty()) run_.notice(note);
    }
    if (run_.settings.annotate && run_.format() == Format::human) {
        const std::string source = annotated_source(measurement.kernels);
        if (source.empty())
            run_.notice(text("{}: its source is not where it was at build time; --by-line needs none", variant));
        else run_.output.write(text("{}, n = {}\n", variant, measurement.problem.n) + source);
        return;
    }
    for (const KernelCounters& kernel : measurement.kernels)
        for (const LineCounters& line : kernel.lines)
            table_.add(cells_of(columns_, CountedLine{run_, measurement, kernel.kernel, line, line.counters}));
    table_.flush(text("{}: {}", variant, title));
}
