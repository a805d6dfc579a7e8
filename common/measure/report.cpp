#include "common/measure/report.hpp"

#include "common/measure/counter_cells.hpp"
#include "common/io/text.hpp"

// A simulated kernel's time is the simulation's: rates made from it would look like a GPU's, so its table shows none. That
// of a watched launch says nothing at all.
std::vector<Column> common_columns(const DeviceInfo& device) {
    const bool simulated = device.simulated;
    const std::string time_heading = device.checked ? "" : simulated ? "simulated in ms" : "median us";
    const auto gpu_only = [&](const char* heading) { return simulated ? std::string() : std::string(heading); };
    return {
        {"schema"}, {"tool"}, {"kernel", "kernel"}, {"dtype"}, {"n", "n"}, {"bytes"}, {"flop"},
        {"grid", "grid"}, {"block", "block"}, {"smem_bytes"}, {"device"}, {"device_uuid"}, {"timer"}, {"cache"},
        {"warmup"}, {"samples"}, {"min_ns"}, {"p25_ns"},
        {"median_ns", time_heading, simulated ? 1e-6 : 1e-3, 3},
        {"p75_ns"}, {"max_ns"}, {"mean_ns"},
        {"gbyte_per_s", gpu_only("GB/s"), 1, 1}, {"gflop_per_s", gpu_only("GFLOP/s"), 1, 1},
        {"sm_clock_mhz"}, {"throttled"}, {"verify", "verify"},
    };
}

static std::vector<Column> columns_of(const Run& run) {
    const bool simulated = run.device.simulated;
    const bool counts = run.settings.watch.counters;
    std::vector<Column> columns = common_columns(run.device);
    if (!simulated) {
        columns.push_back({"", "+- %", 1, 1});
        columns.push_back({"", "% of peak GB/s", 1, 1});
    }
    for (Column column : run.own_columns) {
        if (counts) column.heading.clear();  // its place is taken by a counter
        columns.push_back(column);
    }
    if (counts) {
        const std::vector<Column> counters = counter_columns();
        columns.insert(columns.end(), counters.begin(), counters.end());
    }
    if (run.settings.ladder && counts) {
        columns.push_back({"gld_lanes_per_element", "loads per element", 1, 2});
        columns.push_back({"sld_lanes_per_element", "shared loads per element", 1, 2, true});
    } else if (run.settings.ladder)
        for (const char* name : {"step", "cumulative", "cpu"})
            columns.push_back({std::string(name) + "_speedup", name == std::string("cpu") ? "over CPU" : name, 1, 2});
    if (!run.settings.versus.empty()) {
        columns.push_back({"versus"});
        columns.push_back({"versus_ratio", "x " + run.settings.versus, 1, 3});
        columns.push_back({"versus_low", "95 % from", 1, 3});
        columns.push_back({"versus_high", "to", 1, 3});
    }
    if (run.settings.raw) columns.push_back({"sample", "sample"});
    return columns;
}

Report::Report(Run& run)
    : run_(run), table_(run.output, run.format(), run.settings.header, columns_of(run)) {
    if (run.settings.by_line || run.settings.annotate) lines_ = std::make_unique<LineReport>(run);
}

Report::~Report() = default;

static double ratio(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0; }

std::vector<Cell> Report::row_of(const Measurement& m, const Summary& times) const {
    const Problem& problem = m.problem;
    const DeviceInfo& device = run_.device;
    const bool on_host = m.variant->needs == Needs::host;
    const double gbyte_per_s = ratio(problem.bytes, times.median);  // bytes per nanosecond are gigabytes per second
    std::vector<Cell> row = {
        1LL, run_.program_name, m.variant->name, name_of(problem.dtype), static_cast<long long>(problem.n),
        Fixed{problem.bytes, 0}, Fixed{problem.flop, 0}, m.grid, m.block, static_cast<long long>(m.shared_bytes),
        on_host ? "host" : device.name, on_host ? "none" : device.uuid, m.timer, m.cache, static_cast<long long>(m.warmup),
        static_cast<long long>(m.samples_ns.size()), Fixed{times.minimum, 1}, Fixed{times.p25, 1}, Fixed{times.median, 1},
        Fixed{times.p75, 1}, Fixed{times.maximum, 1}, Fixed{times.mean, 1}, Fixed{gbyte_per_s, 3},
        Fixed{ratio(problem.flop, times.median), 3}, static_cast<long long>(m.sm_clock_mhz), m.throttled ? 1LL : 0LL, m.verify,
    };
    if (!device.simulated) {
        const Interval interval = times.median_interval;
        row.push_back(Fixed{100 * ratio((interval.high - interval.low) / 2, times.median), 2});
        row.push_back(Fixed{on_host ? 0 : 100 * ratio(gbyte_per_s, device.peak_gbyte_per_s), 1});
    }
    row.insert(row.end(), m.own.begin(), m.own.end());
    if (run_.settings.watch.counters) append_counters(m, row);
    else if (run_.settings.ladder)
        for (double before : {previous_ns_, first_ns_, cpu_ns_})
            row.push_back(Fixed{ratio(before, times.median), 3});
    if (!run_.settings.versus.empty()) {
        const Summary ratios = summarize(m.peer_ratios);
        row.push_back(run_.settings.versus);
        for (double value : {ratios.median, ratios.median_interval.low, ratios.median_interval.high})
            row.push_back(Fixed{value, 4});
    }
    return row;
}

// The launches of all kernels of the variant together.
void Report::append_counters(const Measurement& measurement, std::vector<Cell>& row) const {
    simt::checking::Counters total;
    for (const auto& kernel : measurement.kernels) total += kernel.total;
    append_counter_cells(total, row);
    if (!run_.settings.ladder) return;
    const double elements = measurement.problem.elements > 0 ? measurement.problem.elements : double(measurement.problem.n);
    for (const std::uint64_t lanes : {total.global_loads.lanes, total.shared_loads.lanes})
        row.push_back(Fixed{ratio(double(lanes), elements), 4});
}

void Report::add(const Measurement& measurement) {
    if (lines_) return lines_->add(measurement);
    const Summary times = summarize(measurement.samples_ns);
    const bool on_host = measurement.variant->needs == Needs::host;
    if (on_host && cpu_ns_ == 0) cpu_ns_ = times.median;
    const std::string ladder = measurement.variant->ladder;
    if (!ladder.empty() && ladder != ladder_) {  // another ladder's first step; a variant of no ladder goes on with the one before
        ladder_ = ladder;
        first_ns_ = previous_ns_ = 0;
    }
    if (!on_host && first_ns_ == 0) first_ns_ = previous_ns_ = times.median;
    if (run_.settings.raw) {
        for (std::size_t i = 0; i < measurement.samples_ns.size(); ++i) {
            Measurement single = measurement;
            single.samples_ns = {measurement.samples_ns[i]};
            if (!measurement.peer_ratios.empty()) single.peer_ratios = {measurement.peer_ratios[i]};
            std::vector<Cell> row = row_of(single, summarize(single.samples_ns));
            row.push_back(static_cast<long long>(i));
            table_.add(std::move(row));
        }
    } else {
        table_.add(row_of(measurement, times),
                   {{"samples_ns", measurement.samples_ns},
                    {"median_ci_ns", {times.median_interval.low, times.median_interval.high}}});
    }
    if (!on_host) previous_ns_ = times.median;
}

void Report::end_block(const Problem& problem) {
    const DeviceInfo& device = run_.device;
    const char* remark = device.checked     ? ", watched"
                         : device.simulated ? ": times are the simulation's on this CPU, not a GPU's"
                                            : "";
    const std::string title = text("{}, {} {} elements{}", device.name, problem.n, name_of(problem.dtype), remark);
    if (lines_) return lines_->end_block(title);
    table_.flush(title);
    cpu_ns_ = first_ns_ = previous_ns_ = 0;
    ladder_.clear();
}
