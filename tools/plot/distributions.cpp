// SPDX-License-Identifier: MIT
// Histograms and violins: how often a column has each number, for each group of rows.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/choice.hpp"
#include "tools/plot/figure.hpp"
#include "tools/plot/figures.hpp"

namespace plot {
namespace {

// ---- the numbers of each group, and how dense they are

struct Samples {
    std::vector<Group> groups;
    std::vector<std::vector<double>> numbers;  // of each group; their logarithms where the axis is logarithmic
    double low, high;                          // of all of them
    bool log;
    std::string label;         // of their axis
    const char* called;        // "samples", "rows"
    std::size_t left_out = 0;  // rows without a number

    // The number as it is in the table.
    double value(double number) const { return log ? std::exp(number) : number; }
};

// How often numbers occur, estimated from samples: Gaussian kernels of Silverman's bandwidth.
struct Density {
    std::vector<double> at, height;  // from the lowest sample to the highest, evenly; the highest has height 1
};

constexpr std::size_t places = 257;  // of a density

void take(const Field& y, const Field& samples, RowOf row, bool log, std::vector<double>& numbers) {
    const auto add = [&](double number) {
        if (has_place(number, log)) numbers.push_back(log ? std::log(number) : number);
    };
    if (const std::span<const double> list = samples.list(row); !list.empty())
        for (const double number : list) add(number);
    else add(y.number(row));
}

// Silverman, Density Estimation for Statistics and Data Analysis, 3.31: the smaller of two measures of the spread, so
// that outliers do not widen it.
double bandwidth_of(const std::vector<double>& samples, const Quartiles& quartiles) {
    const double count = static_cast<double>(samples.size());
    double mean = 0, squares = 0;
    for (const double sample : samples) mean += sample / count;
    for (const double sample : samples) squares += (sample - mean) * (sample - mean);
    double spread = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
    if (const double middle = (quartiles.high - quartiles.low) / 1.34; middle > 0) spread = std::min(spread, middle);
    return 0.9 * spread * std::pow(count, -0.2);
}

// The samples of each row that has them, else the row's number. Failure(bad_input) if there are none.
Samples samples_of(const Data& data, const Choices& chosen) {
    const bool is_of_times = chosen.y == "median_ns" || chosen.y == "samples_ns";
    const Field y = data.needed(chosen.y), lists = data.field(is_of_times ? "samples_ns" : "");
    const bool are_samples = lists.exists() || data.has("sample");
    // (A row for each sample has the sample where other rows have their median.)
    const std::string label = label_of(are_samples && is_of_times ? "_ns" : chosen.y);
    Samples samples{groups_of(data, data.needed(chosen.by), most_series),
                    {},
                    INFINITY,
                    -INFINITY,
                    chosen.log_y,
                    label,
                    are_samples ? "samples" : "rows"};
    for (const Group& group : samples.groups) {
        std::vector<double>& numbers = samples.numbers.emplace_back();
        for (const RowOf row : group.rows) take(y, lists, row, samples.log, numbers);
        if (!lists.exists()) samples.left_out += group.rows.size() - numbers.size();
        if (numbers.empty()) continue;
        const auto [lowest, highest] = std::minmax_element(numbers.begin(), numbers.end());
        samples.low = std::min(samples.low, *lowest), samples.high = std::max(samples.high, *highest);
    }
    if (samples.low > samples.high) fail_without_numbers(chosen.y, samples.log);
    return samples;
}

// Each sample is shared between the two places next to it, so that a million samples cost no more than one pass.
Density density_of(const std::vector<double>& samples, const Quartiles& quartiles) {
    const auto [lowest, highest] = std::minmax_element(samples.begin(), samples.end());
    const double low = *lowest, step = (*highest - low) / (places - 1);
    if (!(step > 0)) return {{low}, {1}};
    std::vector<double> weights(places, 0), kernel(places), heights(places, 0), at(places);
    for (const double sample : samples) {
        const double place = (sample - low) / step;
        const std::size_t left = std::min(static_cast<std::size_t>(place), places - 2);
        weights[left + 1] += place - static_cast<double>(left);
        weights[left] += 1 - (place - static_cast<double>(left));
    }
    const double width = std::max(bandwidth_of(samples, quartiles) / step, 1.0);  // (the places resolve nothing finer)
    for (std::size_t i = 0; i < places; ++i) {
        const double distance = static_cast<double>(i) / width;
        kernel[i] = std::exp(-distance * distance / 2);
        at[i] = low + step * static_cast<double>(i);
    }
    for (std::size_t i = 0; i < places; ++i)
        for (std::size_t j = 0; j < places; ++j) heights[i] += weights[j] * kernel[i > j ? i - j : j - i];
    const double most = *std::max_element(heights.begin(), heights.end());
    for (double& height : heights) height /= most;
    return {at, heights};
}

// ---- histograms: how often a column has each number, with an outline for each group

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
    set_colors(figure.series, samples.groups, data, data.needed(chosen.by));
    figure.x.log = samples.log;
    figure.x.label = samples.label;
    figure.x.quantity = quantity_of(chosen.y);
    figure.x.include(edge(0)), figure.x.include(edge(count));
    figure.x.finish(false, 0.02);
    figure.y.label = samples.called;
    figure.y.finish(true, 0.05);
    return figure;
}

// ---- violins: for each group, an outline as wide as its numbers are dense, with the median and the quartiles

Figure violin_of(const Data& data, const Choices& chosen) {
    Figure figure;
    figure.kind = "violin";
    const Samples samples = samples_of(data, chosen);
    figure.left_out = samples.left_out;
    const Quantity quantity = quantity_of(chosen.y);
    std::vector<Group> drawn;
    for (std::size_t i = 0; i < samples.groups.size(); ++i) {
        const std::vector<double>& numbers = samples.numbers[i];
        if (numbers.empty()) continue;
        Series series;
        series.name = samples.groups[i].name;
        series.mark = Mark::violin;
        const Quartiles quartiles = quartiles_of(numbers);
        const Density density = density_of(numbers, quartiles);
        for (std::size_t place = 0; place < density.at.size(); ++place)
            series.points.push_back({half_violin * density.height[place], samples.value(density.at[place])});
        series.quartiles = {samples.value(quartiles.low), samples.value(quartiles.middle),
                            samples.value(quartiles.high)};
        const auto words = [&](double value) { return shown(value, quantity); };
        const double lowest = series.points.front().y, highest = series.points.back().y;
        series.points.front().hover =
            text("{}{}median {}\nquartiles {} and {}\n{} {} from {} to {}", series.name,
                 series.name.empty() ? "" : "\n", words(series.quartiles.middle), words(series.quartiles.low),
                 words(series.quartiles.high), numbers.size(), samples.called, words(lowest), words(highest));
        figure.y.include(lowest), figure.y.include(highest);
        figure.x.names.push_back({static_cast<double>(figure.series.size()), series.name});
        figure.series.push_back(std::move(series));
        drawn.push_back(samples.groups[i]);
    }
    set_colors(figure.series, drawn, data, {});
    for (const std::string& name : chosen.by) figure.x.label += (figure.x.label.empty() ? "" : ", ") + label_of(name);
    figure.x.low = -0.5, figure.x.high = static_cast<double>(figure.series.size()) - 0.5;
    figure.y.log = samples.log;
    figure.y.label = samples.label;
    figure.y.quantity = quantity;
    figure.y.finish(false, 0.05);
    figure.band = "dot and bar: median and quartiles";
    return figure;
}

}  // namespace plot
