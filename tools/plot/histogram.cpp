// Histograms: how often a column has which number, an outline for each group.
#include <algorithm>
#include <cmath>

#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"

namespace plot {
namespace {

constexpr double fewest_bins = 5, most_bins = 60;

// The samples behind a row, where it has them, or else its number.
void take(const Field& y, const Field& samples, RowOf row, bool log, std::vector<double>& numbers) {
    const auto add = [&](double number) {
        if (has_place(number, log)) numbers.push_back(log ? std::log(number) : number);
    };
    if (const std::span<const double> list = samples.list(row); !list.empty())
        for (const double number : list) add(number);
    else add(y.number(row));
}

// Freedman and Diaconis: twice the distance of the quartiles, over the cube root of the count.
double width_of(const std::vector<double>& numbers) {
    const Quartiles quartiles = quartiles_of(numbers);
    return 2 * (quartiles.high - quartiles.low) / std::cbrt(static_cast<double>(numbers.size()));
}

}  // namespace

Figure histogram_of(const Data& data, const Choices& chosen) {
    Figure figure;
    figure.kind = "histogram";
    const Field y = data.needed(chosen.y), samples = data.field(chosen.y == "median_ns" ? "samples_ns" : "");
    std::vector<Field> by;
    for (const std::string& name : chosen.by) by.push_back(data.needed(name));
    const std::vector<Group> groups = groups_of(data, by, most_series);
    const bool log = chosen.log_y;
    std::vector<std::vector<double>> numbers(groups.size());
    double low = INFINITY, high = -INFINITY, width = INFINITY;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const RowOf row : groups[i].rows) take(y, samples, row, log, numbers[i]);
        if (!samples.exists()) figure.left_out += groups[i].rows.size() - numbers[i].size();
        if (numbers[i].empty()) continue;
        const auto [lowest, highest] = std::minmax_element(numbers[i].begin(), numbers[i].end());
        low = std::min(low, *lowest), high = std::max(high, *highest);
        if (const double own = width_of(numbers[i]); own > 0) width = std::min(width, own);
    }
    if (low > high)
        fail(Exit::bad_input, "no row has a number{} in '{}'; choose a column with -y", log ? " above 0" : "",
             printable(chosen.y, 100));
    if (low == high) {
        const double half = low == 0 ? 0.5 : std::abs(low) * 0.05;
        low -= half, high += half;
    }
    const double bins = std::clamp(std::ceil((high - low) / width), fewest_bins, most_bins);
    const auto count = static_cast<std::size_t>(bins);
    const auto edge = [&](std::size_t i) {
        const double at = low + (high - low) * static_cast<double>(i) / bins;
        return log ? std::exp(at) : at;
    };
    for (std::size_t i = 0; i < groups.size(); ++i) {
        std::vector<double> counts(count, 0);
        for (const double number : numbers[i])
            ++counts[std::min(count - 1, static_cast<std::size_t>((number - low) / (high - low) * bins))];
        Series series;
        series.name = groups[i].name;
        series.mark = Mark::steps;
        // A point for each bin, at its beginning; the last has no height.
        for (std::size_t bin = 0; bin <= count; ++bin) {
            Point point{edge(bin), bin < count ? counts[bin] : 0};
            if (bin < count && counts[bin] > 0)
                point.hover = text("{}{}{} to {}: {:.0f} of {}", series.name, series.name.empty() ? "" : ": ",
                                   shown(edge(bin), quantity_of(chosen.y)), shown(edge(bin + 1), quantity_of(chosen.y)),
                                   counts[bin], numbers[i].size());
            figure.y.include(point.y);
            series.points.push_back(std::move(point));
        }
        figure.series.push_back(std::move(series));
    }
    set_colors(figure.series, groups, data.is_of_files() && !chosen.by.empty() && chosen.by.front() == "file");
    figure.x.log = log;
    figure.x.label = label_of(chosen.y);
    figure.x.quantity = quantity_of(chosen.y);
    figure.x.include(edge(0)), figure.x.include(edge(count));
    figure.x.finish(false, 0.02);
    figure.y.label = data.has("sample") || samples.exists() ? "samples" : "rows";
    figure.y.finish(true, 0.05);
    return figure;
}

}  // namespace plot
