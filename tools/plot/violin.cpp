// SPDX-License-Identifier: MIT
// Violins: for each group, an outline as wide as its numbers are dense, with the median and the quartiles.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"
#include "tools/plot/samples.hpp"

namespace plot {

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
    set_colors(figure.series, drawn, false);
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
