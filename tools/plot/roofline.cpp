// SPDX-License-Identifier: MIT
// Rooflines (Williams, Waterman, Patterson 2009): what a kernel does per second over what it does per byte, below the
// two limits of the device. Peaks come from the rows (p_peak_percent), or from a table of devquery among the files.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/io/process.hpp"
#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"

namespace plot {
namespace {

// Adds devquery's peaks for those types that have none yet, or for f32 and f64 if the rows name no type. As in matmul's
// p_peak_percent, the peak is that of tensor cores if there are some.
void add_device_peaks(std::map<std::string, double>& peaks, std::set<std::string> types, const Data& data) {
    types.erase("");
    if (types.empty() && peaks.empty()) types = {"f32", "f64"};
    for (const std::string& type : types)
        for (const char* rest : {"_tensor_tflop_per_s", "_tensor_top_per_s", "_tflop_per_s"})
            if (const double peak = data.property("peak_" + type + rest); peak > 0)
                peaks.try_emplace(type, 1000 * peak);
}

}  // namespace

Figure roofline_of(const Data& data, const Choices& chosen, const Settings& settings) {
    Figure figure;
    figure.kind = "roofline";
    figure.lacking = "flop, bytes and gflop_per_s above 0";
    const Field flop = data.needed("flop"), bytes = data.needed("bytes"), rate = data.needed("gflop_per_s");
    const Field percent = data.field("p_peak_percent"), type = data.field("dtype");
    std::vector<Field> by = data.needed(settings.by);
    if (by.empty())
        for (const char* name : {"file", "kernel", "dtype"})
            if (data.has(name) && data.varies(data.field(name))) by.push_back(data.field(name));
    const Band band(data, "gflop_per_s");
    std::map<std::string, double> peaks;  // of a type, in GFLOP/s
    std::set<std::string> types;
    double memory = data.property("peak_memory_gbyte_per_s"), fastest = 0;
    std::vector<Group> drawn;
    figure.x.log = figure.y.log = true;
    for (Group& group : groups_of(data, by, most_series)) {
        Series series;
        series.name = group.name;
        for (const RowOf row : group.rows) {
            const double x = flop.number(row) / bytes.number(row), y = rate.number(row);
            if (!(x > 1e-30) || !(y > 1e-30) || !(x < 1e30) || !(y < 1e30)) {
                ++figure.left_out;
                continue;
            }
            types.insert(type.word(row));
            if (percent.number(row) > 0.001) {
                double& peak = peaks[type.word(row)];
                peak = std::max(peak, y / (percent.number(row) / 100));
            }
            fastest = std::max(fastest, y / x);  // in GB/s
            const Quartiles quartiles = band.of(row);
            Point point{x, y, quartiles.low, quartiles.high};
            if (chosen.hovers) point.hover = hover_of(data, row);
            if (!settings.annotate.empty()) point.note = note_of(data, settings.annotate, row);
            figure.x.include(x), figure.y.include(y);
            series.points.push_back(std::move(point));
        }
        if (series.points.empty()) continue;
        std::sort(series.points.begin(), series.points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
        drawn.push_back(group);
        figure.series.push_back(std::move(series));
    }
    if (figure.series.empty())
        fail(Exit::bad_input, "no row has flop, bytes and gflop_per_s above 0, which a roofline is made of");
    set_colors(figure.series, drawn, is_by_file(data, by));
    add_device_peaks(peaks, std::move(types), data);
    if (peaks.empty())
        fail(Exit::bad_input, "the device's peaks are in no row: add devquery's table, as in {} rows.csv <({} --csv)",
             called("plot"), called("devquery"));
    double highest = 0;
    for (const auto& [words, peak] : peaks) highest = std::max(highest, peak), figure.y.include(peak);
    const bool is_known = memory > 0;
    if (!is_known) memory = fastest;
    if (!(memory > 0))
        fail(Exit::bad_input,
             "the memory's bandwidth is in no row: add a column gbyte_per_s, or devquery's table, as in {} rows.csv "
             "<({} --csv)",
             called("plot"), called("devquery"));
    figure.x.include(highest / memory * 2), figure.x.include(highest / memory / 8);
    figure.y.include(memory * figure.x.low);
    figure.x.finish(false, 0.05), figure.y.finish(false, 0.05);
    const auto add_roof = [&](const std::string& name, std::vector<Point> points) {
        figure.series.push_back({name, Mark::roof, color_count - 1, 0, std::move(points)});
    };
    const Quantity per_second = quantity_of("gflop_per_s"), bytes_per_second = quantity_of("gbyte_per_s");
    for (const auto& [words, peak] : peaks)
        add_roof(text("{} peak {}", words, shown(peak, per_second)), {{peak / memory, peak}, {figure.x.high, peak}});
    add_roof(text("memory{} {}", is_known ? "" : ", fastest seen", shown(memory, bytes_per_second)),
             {{figure.x.low, figure.x.low * memory}, {highest / memory, highest}});
    figure.x.label = "operations per byte";
    figure.y.label = label_of("gflop_per_s");
    figure.y.quantity = per_second;
    figure.title = "roofline";
    return figure;
}

}  // namespace plot
