// SPDX-License-Identifier: MIT
#include "common/measure/report.hpp"

#include <cstddef>

#include "common/io/text.hpp"
#include "common/measure/columns.hpp"
#include "common/measure/origin.hpp"

// ---- the counters of the checked simulator by source line

using simt::check::KernelCounters;
using simt::check::LineCounters;

// A row of --by-line: a variant, kernel and source line.
struct CountedLine {
    const Run& run;
    const Measurement& measurement;
    const KernelCounters& kernel;
    const LineCounters& line;
    const simt::check::Counters& counters;

    bool is_counted() const { return true; }
};

using LineColumn = ColumnOf<CountedLine, std::function<Cell(const CountedLine&)>>;

// With --by-line: a row per variant, kernel and source line. With --annotate, in the human format: the source.
class LineReport {
public:
    explicit LineReport(Run& run);

    // Adds a variant's rows or source; in the human format they are a block of their own.
    void add(const Measurement& measurement, const std::string& title);

private:
    Run& run_;
    std::vector<LineColumn> columns_;
    Table table_;
};

static std::string or_none(const std::string& word) { return word.empty() ? "none" : word; }

// What a line adds to the time of its kernel on a GPU.
static std::vector<LineColumn> cost_columns() {
    using Of = CountedLine;
    return {
        {{"p_predicted_ns"},
         [](const Of& of) {
             return of.kernel.predicted ? Fixed{of.line.predicted_ns, 1} : absent(1);
         }},
        {{"p_predicted_percent", "cost %", 1, 1},
         [](const Of& of) {
             return of.kernel.predicted ? Fixed{of.kernel.cost_percent(of.line), 2} : absent(2);
         }},
        {{"p_limiter"},
         [](const Of& of) { return of.kernel.predicted ? of.kernel.predicted->limiter : std::string("none"); }},
    };
}

static auto line_columns(const Run& run) {
    using Of = CountedLine;
    const Origin origin = origin_of_rows(run.device);
    std::vector<LineColumn> columns = {
        {{"schema"}, [](const Of&) { return table_schema; }},
        {{"tool"}, [](const Of& of) { return of.run.program_name; }},
        {{"kernel", "kernel", 1, 0, 0, 8}, [](const Of& of) { return of.measurement.variant->name; }},
        {{"dtype"}, [](const Of& of) { return of.measurement.problem.dtype_name(); }},
        {{"n", "n", 1, 0, 0, 9}, [](const Of& of) { return whole(of.measurement.problem.n); }},
        {{"launched"}, [](const Of& of) { return of.kernel.kernel; }},
        {{"file", "file"}, [](const Of& of) { return or_none(of.line.file); }},
        {{"line", "line"}, [](const Of& of) { return whole(of.line.line); }},
        {{"function"}, [](const Of& of) { return or_none(of.line.function); }},
        {{"version"}, [origin](const Of&) { return origin.version; }},
        {{"cuda_version"}, [origin](const Of&) { return origin.cuda_version; }},
        {{"compiler"}, [origin](const Of&) { return origin.compiler; }},
    };
    if (run.settings.predicted_times || run.settings.checks.predict) {
        const std::vector<LineColumn> costs = cost_columns();
        columns.insert(columns.end(), costs.begin(), costs.end());
    }
    append_counter_columns(columns);
    return columns;
}

LineReport::LineReport(Run& run)
    : run_(run),
      columns_(line_columns(run)),
      table_(run.output, run.format(), run.settings.header, columns_of(columns_), run.settings.columns) {}

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
            table_.add(cells_of(columns_, CountedLine{run_, measurement, kernel, line, line.counters}));
    table_.flush(text("{}: {}", variant, title));
}

// ---- the rows of measurements

// --by-line and --columns choose among the columns of lines.
static std::vector<std::string> chosen_columns(const MeasureSettings& settings) {
    return settings.by_line || settings.annotate ? std::vector<std::string>() : settings.columns;
}

Report::Report(Run& run)
    : run_(run),
      columns_(report_columns(run)),
      table_(run.output, run.format(), run.settings.header, columns_of(columns_), chosen_columns(run.settings)) {
    if (run.settings.by_line || run.settings.annotate) lines_ = std::make_unique<LineReport>(run);
}

Report::~Report() = default;

// The counters of all kernels of a variant together.
static simt::check::Counters total_of(const std::vector<simt::check::KernelCounters>& kernels) {
    simt::check::Counters total;
    for (const auto& kernel : kernels) total += kernel.total;
    return total;
}

// Where a published figure is from: "tutorial (TITAN V, 268435456 elements)".
static std::string source_of(const LectureRow& row, const char* unit) {
    const std::string size = row.n > 0 && *unit ? text("{:.0f} {}", row.n, unit) : "";
    const std::string details = row.gpu + std::string(*row.gpu && !size.empty() ? ", " : "") + size;
    return row.ladder + (details.empty() ? "" : " (" + details + ")");
}

void Report::add(const Measurement& measurement) {
    const bool is_forecast = run_.settings.checks.sample_only;  // whose rows are followed by those of their lines
    if (lines_ && !is_forecast) return lines_->add(measurement, title_);
    const Summary times = summarize(measurement.samples_ns);
    const bool on_host = measurement.variant->needs == Needs::host;
    // In the simulator, kernels are compared by their predicted times, if those are known.
    const bool predicts = run_.settings.predicted_times;
    const std::optional<PredictedTime>& predicted = measurement.predicted;
    const bool is_same_size = !predicts || (predicted && predicted->n == measurement.problem.n);
    const double ns = !predicts || on_host ? times.median : predicted ? predicted->ns : 0;
    if (on_host && cpu_ns_ == 0) cpu_ns_ = times.median;
    if (*measurement.variant->ladder)
        ladder_ = measurement.variant->ladder;  // a variant without one continues the last
    LadderTimes& ladder = ladders_[ladder_];
    ladder.cpu_ns = is_same_size || on_host ? cpu_ns_ : 0;
    if (!on_host && ladder.first_ns == 0) ladder.first_ns = ladder.previous_ns = ns;
    double& alone_ns = alone_ns_[measurement.variant->name];
    if (measurement.problem.gang == 1) alone_ns = times.median;
    const simt::check::Counters counters = total_of(measurement.kernels);
    const auto measured = [&](const Measurement& of, std::size_t sample) {
        return Measured{run_, of,      ladder, alone_ns, sample, summarize(of.samples_ns), summarize(of.peer_ratios),
                        ns,   counters};
    };
    if (run_.settings.raw) {
        for (std::size_t i = 0; i < measurement.samples_ns.size(); ++i) {
            Measurement single = measurement;
            single.samples_ns = {measurement.samples_ns[i]};
            if (!measurement.peer_ratios.empty()) single.peer_ratios = {measurement.peer_ratios[i]};
            table_.add(cells_of(columns_, measured(single, i)));
        }
    } else {
        std::vector<JsonExtra> extras = {{"samples_ns", measurement.samples_ns},
                                         {"median_ci_ns", {times.median_interval.low, times.median_interval.high}}};
        if (measurement.prediction) extras.clear();
        if (on_host) table_.add_unusual(cells_of(columns_, measured(measurement, 0)), extras);
        else table_.add(cells_of(columns_, measured(measurement, 0)), extras);
    }
    if (run_.settings.published)
        if (const std::vector<const LectureRow*> rows = published_of(measured(measurement, 0)); !rows.empty())
            add_once(published_, source_of(*rows.front(), measurement.problem.unit));
    if (lines_) lines_->add(measurement, title_);
    if (!on_host && ns > 0) ladder.previous_ns = ns;
    Summary compared = times;
    if (predicts && !on_host) {
        if (!predicted) return;
        compared = summarize({ns});
    }
    timed_.push_back({measurement.variant, measurement.problem.bytes, measurement.problem.flop, compared,
                      predicts ? Summary{} : summarize(measurement.peer_ratios)});  // those are the simulation's
}

void Report::begin_block(const Problem& problem, std::size_t longest_name, const char* what, std::size_t predicted_n) {
    const DeviceInfo& device = run_.device;
    const char* remark = device.checked     ? ", checked"
                         : device.simulated ? ": times are the simulation's on this CPU, not a GPU's"
                                            : "";
    const std::string dtype = problem.dtype ? text("{} ", problem.dtype_name()) : "";
    const std::string of_n = *problem.unit ? text(", {} {}{}", problem.n, dtype, problem.unit) : "";
    const std::string others = problem.gang > 1 ? text(" and {} more", problem.gang - 1) : "";
    title_ = text("{}{}{}{}{}", device.name, others, of_n, what, remark);
    const std::string size = *problem.unit ? text(", {} {}{}", predicted_n, dtype, problem.unit) : "";
    if (predicted_n > 0 && lines_) {
        title_ += text("; costs: predicted for {}{}", run_.settings.predicted_times->gpu(), size);
    } else if (predicted_n > 0) {
        const std::string own = *problem.unit ? text(" with {}", problem.n) : "";
        title_ = text("{}{}: predicted, not measured; the simulator verified the results{}",
                      run_.settings.predicted_times->gpu(), size, own);
    }
    // Which counters tell variants apart, and so belong into a narrow table, is known once all are there.
    if (lines_ || !run_.settings.checks.counters) table_.begin(title_, longest_name);
}

void Report::end_block(bool rivals) {
    table_.flush(title_);
    const bool predicts = run_.settings.predicted_times;
    if (rivals && run_.format() == Format::human && (predicts || !run_.device.checked)) {
        const Times times = predicts ? Times::predicted : run_.device.simulated ? Times::simulated : Times::measured;
        const std::string sentence = verdict(timed_, run_.settings.versus, times);
        if (!sentence.empty()) run_.output.write_wrapped(sentence);
        run_.output.flush();
    }
    if (!published_.empty() && run_.format() == Format::human)
        run_.output.write_wrapped("Published by: " + list_text(published_, "and") + ".");
    published_.clear();
    timed_.clear();
    ladders_.clear();
    ladder_.clear();
    cpu_ns_ = 0;
}
