// SPDX-License-Identifier: MIT
// Histograms: how often a column has each number, with an outline for each group.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"
#include "tools/plot/samples.hpp"

namespace plot {
namespace {

constexpr double fewest_bins = 5, most_bins = 60;

// The bin width of Freedman and Diaconis: twice the distance of the quartiles over the cube root of the count.
double bin_width_of(const std::vector<double>& numbers) {
    const Quartiles quartiles = quartiles_of(numbers);
    return 2 * (quartiles.high - quartiles.low) / std::cbrt(static_cast<double>(numbers.size()));
}

}  // namespace

Figure histogram_of(const Data& data, const Choices& chosen) {
    Figure figure;
    figure.kind = "histogram";
    const Samples samples = samples_of(data, chosen);
    const std::vector<std::vector<double>>& numbers = samples.numbers;
    figure.left_out = samples.left_out;
    double low = samples.low, high = samples.high, width = INFINITY;
    for (const std::vector<double>& own : numbers)
        if (const double bin = own.empty() ? 0 : bin_width_of(own); bin > 0) width = std::min(width, bin);
    if (low == high) {
        const double half = low == 0 ? 0.5 : std::abs(low) * 0.05;
        low -= half, high += half;
    }
    const double bins = std::clamp(std::ceil((high - low) / width), fewest_bins, most_bins);
    const auto count = static_cast<std::size_t>(bins);
    const auto edge = [&](std::size_t i) { return samples.value(low + (high - low) * static_cast<double>(i) / bins); };
    const auto words = [&](double value, std::size_t bin) {
        return shown_apart(value, edge(bin + 1) - edge(bin), quantity_of(chosen.y));
    };
    for (std::size_t i = 0; i < samples.groups.size(); ++i) {
        std::vector<double> counts(count, 0);
        for (const double number : numbers[i])
            ++counts[std::min(count - 1, static_cast<std::size_t>((number - low) / (high - low) * bins))];
        Series series;
        series.name = samples.groups[i].name;
        series.mark = Mark::steps;
        // A point for each bin, at its beginning; the last has no height.
        for (std::size_t bin = 0; bin <= count; ++bin) {
            Point point{edge(bin), bin < count ? counts[bin] : 0};
            if (bin < count && counts[bin] > 0)
                point.hover = text("{}{}{} to {}: {:.0f} of {}", series.name, series.name.empty() ? "" : ": ",
                                   words(edge(bin), bin), words(edge(bin + 1), bin), counts[bin], numbers[i].size());
            figure.y.include(point.y);
            series.points.push_back(std::move(point));
        }
        figure.series.push_back(std::move(series));
    }
    set_colors(figure.series, samples.groups, is_by_file(data, data.needed(chosen.by)));
    figure.x.log = samples.log;
    figure.x.label = samples.label;
    figure.x.quantity = quantity_of(chosen.y);
    figure.x.include(edge(0)), figure.x.include(edge(count));
    figure.x.finish(false, 0.02);
    figure.y.label = samples.called;
    figure.y.finish(true, 0.05);
    return figure;
}

}  // namespace plot
