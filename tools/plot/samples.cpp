// SPDX-License-Identifier: MIT
#include "tools/plot/samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"

namespace plot {
namespace {

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

}  // namespace

double Samples::value(double number) const { return log ? std::exp(number) : number; }

Samples samples_of(const Data& data, const Choices& chosen) {
    const Field y = data.needed(chosen.y), lists = data.field(chosen.y == "median_ns" ? "samples_ns" : "");
    const bool are_samples = lists.exists() || data.has("sample");
    // (A row for each sample has the sample where other rows have their median.)
    const std::string label = label_of(are_samples && chosen.y == "median_ns" ? "_ns" : chosen.y);
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

}  // namespace plot
