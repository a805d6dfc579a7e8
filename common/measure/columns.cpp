// SPDX-License-Identifier: MIT
#include "common/measure/columns.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "common/measure/origin.hpp"

namespace {

using Of = Measured;

// The human table: what ran, the program's own columns, what was measured.
enum Place { place_of_launch = -2, place_of_own = -1 };  // figures: 0

bool on_host(const Of& of) { return of.measurement.variant->needs == Needs::host; }

// Absent if there is nothing to divide by.
double ratio(double numerator, double denominator) {
    return denominator > 0 ? numerator / denominator : absent().value;
}

// Absent if there is no work or no time: a kernel that computes nothing has no rate.
double rate(double work, const Of& of) { return work > 0 ? ratio(work, of.times.median) : absent().value; }

// Bytes per nanosecond are gigabytes per second.
double gbyte_per_s(const Of& of) { return rate(of.measurement.problem.bytes, of); }

double peak_gbyte_per_s(const Of& of) {
    return sum_of_rates(of.run.gang, of.measurement.problem.gang,
                        [](const DeviceInfo& device) { return device.peak_gbyte_per_s; });
}

double per_element(std::uint64_t lanes, const Of& of) {
    const Problem& problem = of.measurement.problem;
    return ratio(double(lanes), problem.elements > 0 ? problem.elements : double(problem.n));
}

double speedup(double before_ns, const Of& of) {
    return before_ns > 0 ? ratio(before_ns, of.ladder_ns) : absent().value;
}

// A peer with a wrong result has no ratios.
Fixed of_ratios(const Of& of, double value) {
    return of.measurement.peer_ratios.empty() ? absent(4) : computed(value, 4);
}

// The schema. A simulated kernel's time is the simulation's: rates computed from it would look like a GPU's, so the
// human table shows none. The time of a checked launch is meaningless.
std::vector<ReportColumn> schema_columns(const Run& run) {
    const DeviceInfo& device = run.device;
    const bool simulated = device.simulated, is_shown = !device.checked && !run.settings.predicted_times;
    const char* time_heading = !is_shown ? "" : simulated ? "simulated in ms" : "median us";
    const double time_scale = simulated ? 1e-6 : 1e-3;
    const Origin origin = origin_of_rows(device);
    const auto gpu_only = [&](const char* heading) { return simulated ? "" : heading; };
    // clang-format off
    return {
        {{"schema"}, [](const Of&) { return table_schema; }},
        {{"tool"}, [](const Of& of) { return of.run.program_name; }},
        {{"kernel", "kernel", 1, 0, 0, 0, place_of_launch},
         [](const Of& of) { return of.measurement.variant->name; }},
        {{"dtype"}, [](const Of& of) { return of.measurement.problem.dtype_name(); }},
        {{"n", "n", 1, 0, 0, 9, place_of_launch}, [](const Of& of) { return whole(of.measurement.problem.n); }},
        {{"bytes"}, [](const Of& of) { return Fixed{of.measurement.problem.bytes, 0}; }},
        {{"flop"}, [](const Of& of) { return Fixed{of.measurement.problem.flop, 0}; }},
        {{"grid", "grid", 1, 0, 7, 6, place_of_launch}, [](const Of& of) { return of.measurement.grid; }},
        {{"block", "block", 1, 0, 5, 5, place_of_launch}, [](const Of& of) { return of.measurement.block; }},
        {{"smem_bytes"},
         [](const Of& of) -> Cell { return on_host(of) ? absent() : Cell(whole(of.measurement.shared_bytes)); }},
        {{"device"}, [](const Of& of) { return on_host(of) ? "host" : of.run.device.name; }},
        {{"device_uuid"}, [](const Of& of) { return on_host(of) ? "none" : of.run.device.uuid; }},
        {{"timer"}, [](const Of& of) { return of.measurement.timer; }},
        {{"cache"}, [](const Of& of) { return of.measurement.cache; }},
        {{"warmup"}, [](const Of& of) { return whole(of.measurement.warmup); }},
        {{"samples"}, [](const Of& of) { return whole(of.measurement.prediction ? 0 : of.measurement.samples_ns.size()); }},
        {{"min_ns"}, [](const Of& of) { return Fixed{of.times.minimum, 1}; }},
        {{"p25_ns"}, [](const Of& of) { return Fixed{of.times.p25, 1}; }},
        {{"median_ns", time_heading, time_scale, 3, 10}, [](const Of& of) { return Fixed{of.times.median, 1}; }},
        {{"p75_ns"}, [](const Of& of) { return Fixed{of.times.p75, 1}; }},
        {{"max_ns"}, [](const Of& of) { return Fixed{of.times.maximum, 1}; }},
        {{"mean_ns"}, [](const Of& of) { return Fixed{of.times.mean, 1}; }},
        {{"gbyte_per_s", gpu_only("GB/s"), 1, 1, 6, 1}, [](const Of& of) { return computed(gbyte_per_s(of), 3); }},
        {{"gflop_per_s", gpu_only("GFLOP/s"), 1, 1, 8, 3},
         [](const Of& of) { return computed(rate(of.measurement.problem.flop, of), 3); }},
        {{"sm_clock_mhz"}, [](const Of& of) { return whole_if_any(of.measurement.sm_clock_mhz); }},
        {{"throttled"}, [](const Of& of) { return whole(of.measurement.throttled); }},
        {{"verify", "verify", 1, 0, 0, 1}, [](const Of& of) { return of.measurement.verify; }},
        {{"driver_version"}, [origin](const Of& of) { return on_host(of) ? "none" : origin.driver_version; }},
        {{"host_name"}, [origin](const Of&) { return origin.host_name; }},
        {{"run_utc"}, [origin](const Of&) { return origin.run_utc; }},
        {{"version"}, [origin](const Of&) { return origin.version; }},
        {{"cuda_version"}, [origin](const Of& of) { return on_host(of) ? "none" : origin.cuda_version; }},
        {{"compiler"}, [origin](const Of&) { return origin.compiler; }},
    };
    // clang-format on
}

// Columns of the human table alone, on a GPU.
std::vector<ReportColumn> gpu_columns() {
    return {
        {{"", "+- %", 1, 1, 5, 4},
         [](const Of& of) {
             const Interval& interval = of.times.median_interval;
             return computed(100 * ratio((interval.high - interval.low) / 2, of.times.median), 2);
         }},
        {{"", "% of peak GB/s", 1, 1, 0, 2},
         [](const Of& of) {
             return on_host(of) ? absent(3) : computed(100 * ratio(gbyte_per_s(of), peak_gbyte_per_s(of)), 3);
         }},
    };
}

// The program's own columns. In the human table counters replace them, unless the program is about counters.
std::vector<ReportColumn> own_columns(const Run& run) {
    std::vector<ReportColumn> columns;
    for (Column column : run.own_columns) {
        column.place = place_of_own;
        if (run.settings.checks.counters && !run.counts_in_simulator) column.heading.clear();
        columns.push_back({column, [i = columns.size()](const Of& of) { return of.measurement.own[i]; }});
    }
    return columns;
}

std::vector<ReportColumn> counter_ladder_columns() {
    return {
        {{"gld_lanes_per_element", "loads per element", 1, 2},
         [](const Of& of) { return computed(per_element(of.counters.global_loads.lanes, of), 4); }},
        {{"sld_lanes_per_element", "shared loads per element", 1, 2},
         [](const Of& of) { return computed(per_element(of.counters.shared_loads.lanes, of), 4); }},
    };
}

std::vector<ReportColumn> ladder_columns() {
    return {
        {{"step_speedup", "step", 1, 2, 8},
         [](const Of& of) { return computed(speedup(of.ladder.previous_ns, of), 3); }},
        {{"cumulative_speedup", "cumulative", 1, 2, 8},
         [](const Of& of) { return computed(speedup(of.ladder.first_ns, of), 3); }},
        {{"cpu_speedup", "over CPU", 1, 2, 8}, [](const Of& of) { return computed(speedup(of.ladder.cpu_ns, of), 3); }},
    };
}

std::vector<ReportColumn> versus_columns(const std::string& peer) {
    return {
        {{"versus"}, [](const Of& of) { return of.run.settings.versus; }},
        {{"versus_ratio", "x " + peer, 1, 3}, [](const Of& of) { return of_ratios(of, of.ratios.median); }},
        {{"versus_low", "95 % from", 1, 3}, [](const Of& of) { return of_ratios(of, of.ratios.median_interval.low); }},
        {{"versus_high", "to", 1, 3, 7}, [](const Of& of) { return of_ratios(of, of.ratios.median_interval.high); }},
    };
}

// The parallel efficiency: 1 if g devices take 1/g of the time of one or, with --weak, as long as one device takes for
// 1/g of the work.
double efficiency(const Of& of) {
    const double shares = of.run.settings.weak ? 1 : double(of.measurement.problem.gang);
    return of.times.median > 0 ? of.alone_ns / (shares * of.times.median) : 0;
}

std::vector<ReportColumn> gang_columns() {
    return {
        {{"gang", "gang"}, [](const Of& of) { return whole(of.measurement.problem.gang); }},
        {{"ranks"}, [](const Of& of) { return whole(of.measurement.problem.gang); }},
        {{"efficiency", "efficiency", 1, 3},
         [](const Of& of) { return of.alone_ns > 0 ? computed(efficiency(of), 4) : absent(4); }},
    };
}

// The times of a GPU, for a run in the simulator.
std::vector<ReportColumn> predicted_time_columns() {
    const auto of_time = [](double PredictedTime::*member, int digits) {
        return [=](const Of& of) {
            const std::optional<PredictedTime>& time = of.measurement.predicted;
            return time ? Fixed{*time.*member, digits} : absent(digits);
        };
    };
    const auto word_of = [](std::string PredictedTime::*member) {
        return [=](const Of& of) -> Cell {
            const std::optional<PredictedTime>& time = of.measurement.predicted;
            return time && !((*time).*member).empty() ? (*time).*member : std::string("none");
        };
    };
    const auto rate_of = [](double PredictedTime::*work) {
        return [=](const Of& of) {
            const std::optional<PredictedTime>& time = of.measurement.predicted;
            return time && *time.*work > 0 ? Fixed{*time.*work / time->ns, 3} : absent(3);
        };
    };
    const auto peak_of = [](double PredictedTime::*peak) {
        return [=](const Of& of) {
            const std::optional<PredictedTime>& time = of.measurement.predicted;
            return time && *time.*peak > 0 ? Fixed{*time.*peak, 1} : absent(1);
        };
    };
    return {
        {{"p_predicted_ns", "predicted us", 1e-3, 1, 10}, of_time(&PredictedTime::ns, 1)},
        {{"p_predicted_low_ns", "80 % from", 1e-3, 1, 8, 3}, of_time(&PredictedTime::low_ns, 1)},
        {{"p_predicted_high_ns", "to", 1e-3, 1, 8, 3}, of_time(&PredictedTime::high_ns, 1)},
        {{"p_limiter", "limited by", 1, 0, 0, 2}, word_of(&PredictedTime::limiter)},
        {{"p_predicted_occupancy_percent"}, of_time(&PredictedTime::occupancy_percent, 2)},
        {{"p_predicted_gbyte_per_s", "GB/s", 1, 1, 6, 1}, rate_of(&PredictedTime::bytes)},
        {{"p_predicted_gflop_per_s"}, rate_of(&PredictedTime::flop)},
        {{"p_predicted_peak_gbyte_per_s"}, peak_of(&PredictedTime::peak_gbyte_per_s)},
        {{"p_predicted_peak_gflop_per_s"}, peak_of(&PredictedTime::peak_gflop_per_s)},
        {{"p_predicted_gpu"}, word_of(&PredictedTime::gpu)},
        {{"p_predicted_n"},
         [](const Of& of) -> Cell {
             return of.measurement.predicted ? Cell(whole(of.measurement.predicted->n)) : absent();
         }},
    };
}

std::vector<ReportColumn> prediction_columns() {
    const auto of_prediction = [](double Prediction::*member, int digits) {
        return [=](const Of& of) {
            const std::optional<Prediction>& prediction = of.measurement.prediction;
            return prediction ? computed(*prediction.*member, digits) : absent(digits);
        };
    };
    return {
        {{"exchange_ns", "exchange us", 1e-3, 3}, of_prediction(&Prediction::exchange_ns, 1)},
        {{"prediction_error_percent", "error %", 1, 1}, of_prediction(&Prediction::error_percent, 2)},
    };
}

}  // namespace

std::vector<ReportColumn> report_columns(const Run& run) {
    const MeasureSettings& settings = run.settings;
    const bool counts = settings.checks.counters;
    std::vector<ReportColumn> columns = schema_columns(run);
    const auto append = [&](const std::vector<ReportColumn>& more) {
        columns.insert(columns.end(), more.begin(), more.end());
    };
    if (!run.device.simulated) append(gpu_columns());
    if (settings.predicted_times || settings.checks.predict) append(predicted_time_columns());
    append(own_columns(run));
    const std::size_t first_counter = columns.size();
    if (counts) append_counter_columns(columns);
    for (std::size_t i = first_counter; settings.counters_implied && i < columns.size(); ++i) {
        Column& column = columns[i].column;
        column.heading.clear();
        for (const ShownCounter& shown : run.shown_counters)
            if (column.name == shown.name) column.heading = shown.heading;
    }
    if (settings.ladder && !settings.gang) append(counts ? counter_ladder_columns() : ladder_columns());
    if (settings.published) append(published_columns(run));
    if (!settings.versus.empty()) append(versus_columns(settings.versus));
    if (settings.gang) append(gang_columns());
    if (!settings.predict.gangs.empty()) append(prediction_columns());
    if (settings.raw) append({{{"sample", "sample"}, [](const Of& of) { return whole(of.sample); }}});
    return columns;
}
