#include "common/measure/counter_cells.hpp"

#include <iterator>

#include "common/io/text.hpp"

using simt::checking::Counters;
using simt::checking::CounterColumn;
using simt::checking::KernelCounters;
using simt::checking::LineCounters;

namespace {

// What the human table says of the counters it shows.
struct Shown {
    const char* name;
    const char* heading;
    double scale = 1;
    int digits = 0;
};
constexpr Shown shown_counters[] = {
    {"gld_requests", "loads"},
    {"gld_sectors_per_request", "sectors each", 1, 2},
    {"gld_efficiency_distinct", "used %", 100, 1},
    {"gst_requests", "stores"},
    {"gst_sectors_per_request", "sectors each", 1, 2},
    {"gatom_requests", "atomics"},
    {"most_contended_operations", "on one address"},
    {"sld_requests", "shared loads"},
    {"sld_wavefronts_per_request", "wavefronts each", 1, 2},
    {"sst_requests", "shared stores"},
    {"sst_wavefronts_per_request", "wavefronts each", 1, 2},
    {"branch_efficiency", "uniform branches %", 100, 1},
    {"active_lanes", "active lanes", 1, 1},
    {"block_barriers", "barriers"},
    {"exchanges", "shuffles"},
};

Column column_of(const CounterColumn& counter) {
    for (const Shown& shown : shown_counters)
        if (counter.name == shown.name) return {counter.name, shown.heading, shown.scale, shown.digits, true};
    return {counter.name};
}

std::vector<Column> line_columns() {
    std::vector<Column> columns = {{"schema"}, {"tool"}, {"kernel", "kernel"}, {"dtype"}, {"n", "n"}, {"launched"},
                                   {"file", "file"}, {"line", "line"}, {"function"}};
    const std::vector<Column> counters = counter_columns();
    columns.insert(columns.end(), counters.begin(), counters.end());
    return columns;
}

}  // namespace

std::vector<Column> counter_columns() {
    std::vector<Column> columns;
    for (const CounterColumn& counter : simt::checking::counter_columns()) columns.push_back(column_of(counter));
    return columns;
}

void append_counter_cells(const Counters& counters, std::vector<Cell>& row) {
    for (const CounterColumn& counter : simt::checking::counter_columns()) {
        const double value = counter.applies(counters) ? counter.value(counters) : 0;
        if (counter.is_count) row.push_back(static_cast<long long>(value));
        else row.push_back(Fixed{value, 4});
    }
}

LineReport::LineReport(Run& run)
    : run_(run), table_(run.output, run.format(), run.settings.header, line_columns()) {}

void LineReport::add(const Measurement& measurement) {
    const Variant& variant = *measurement.variant;
    const Problem& problem = measurement.problem;
    if (measurement.kernels.empty()) return;  // it ran on the host
    if (run_.settings.annotate && run_.format() == Format::human) {
        const std::string source = annotated_source(measurement.kernels);
        if (source.empty())
            run_.notice(text("{}: its source is not where it was built from; --by-line needs none", variant.name));
        else run_.output.write(text("{}, n = {}\n", variant.name, problem.n) + source);
        return;
    }
    for (const KernelCounters& kernel : measurement.kernels)
        for (const LineCounters& line : kernel.lines) {
            std::vector<Cell> row = {1LL, run_.program_name, variant.name, name_of(problem.dtype),
                                     static_cast<long long>(problem.n), kernel.kernel, line.file.empty() ? "none" : line.file,
                                     static_cast<long long>(line.line), line.function.empty() ? "none" : line.function};
            append_counter_cells(line.counters, row);
            table_.add(std::move(row));
        }
}

void LineReport::end_block(const std::string& title) { table_.flush(title); }
