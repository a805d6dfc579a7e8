// SPDX-License-Identifier: MIT
// Rooflines (Williams, Waterman, Patterson 2009): what a kernel does per second over what it does per byte, below the
// two limits of the device. Peaks come from the rows (p_peak_percent), or from a table of devquery among the files.
#include <algorithm>
#include <cmath>
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

// The same of the GPU that the rows were predicted for. What was measured counts more.
void add_model_peaks(std::map<std::string, double>& peaks, double& memory, const Data& data) {
    const Field type = data.field("dtype"), of_memory = data.field("p_predicted_peak_gbyte_per_s"),
                of_type = data.field("p_predicted_peak_gflop_per_s");
    std::map<std::string, double> predicted;
    for (const RowOf row : data.rows()) {
        if (!data.is_predicted(row)) continue;
        if (!(memory > 0) && of_memory.number(row) > 0) memory = of_memory.number(row);
        if (of_type.number(row) > 0) predicted[type.word(row)] = of_type.number(row);
    }
    peaks.merge(predicted);
}

// One roof cannot be that of two GPUs.
void refuse_several_gpus(const Data& data) {
    if (!data.shows_predictions()) return;
    std::set<std::string> devices;
    for (const RowOf row : data.rows()) devices.insert(data.field("device").word(row));
    devices.erase("host"), devices.erase("");
    if (devices.size() > 1)
        fail(Exit::bad_input,
             "a roofline is of one GPU, and the rows are of {}: choose some with --where, or --predict",
             printable(list_text({devices.begin(), devices.end()}, "and"), 200));
}

}  // namespace

Figure roofline_of(const Data& data, const Choices& chosen, const Settings& settings) {
    Figure figure;
    figure.kind = "roofline";
    figure.lacking = "flop, bytes and gflop_per_s above 0";
    const Field flop = data.needed("flop"), bytes = data.needed("bytes"), rate = data.needed("gflop_per_s");
    const Field percent = data.field("p_peak_percent"), type = data.field("dtype");
    std::vector<std::string> names = settings.by;
    if (names.empty())
        for (const std::string name : {"file", "kernel", "dtype"})
            if (data.has(name) && data.varies(data.field(name)) && (name != "file" || data.is_of_files()))
                names.push_back(name);
    tell_origins(data, names);
    const std::vector<Field> by = data.needed(names);
    refuse_several_gpus(data);
    const Band band(data, "gflop_per_s");
    std::map<std::string, double> peaks;  // of a type, in GFLOP/s
    std::set<std::string> types;
    double memory = data.property("peak_memory_gbyte_per_s"), fastest = 0;
    std::vector<Group> drawn;
    figure.x.log = figure.y.log = true;
    for (Group& group : groups_of(data, by, most_series)) {
        Series series;
        series.name = group.name;
        series.is_predicted = is_prediction(data, "gflop_per_s", group.rows.front());
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
            figure.x.include(x);
            for (const double value : {y, point.low, point.high}) figure.y.include(value);
            if (series.is_predicted && !std::isnan(point.low)) figure.explain(interval_words);
            series.points.push_back(std::move(point));
        }
        if (series.points.empty()) continue;
        std::sort(series.points.begin(), series.points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
        drawn.push_back(group);
        figure.series.push_back(std::move(series));
    }
    if (figure.series.empty())
        fail(Exit::bad_input, "no row has flop, bytes and gflop_per_s above 0, which a roofline is made of");
    set_colors(figure.series, drawn, data, by);
    if (data.shows_predictions()) add_model_peaks(peaks, memory, data);
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
        figure.series.push_back(
            {.name = name, .mark = Mark::roof, .color = color_count - 1, .points = std::move(points)});
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
