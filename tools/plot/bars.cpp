// SPDX-License-Identifier: MIT
// Bars: one for each group, the best at the bottom of a ladder and otherwise at the top.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"

namespace plot {
namespace {

constexpr std::size_t most_drawn = 200;  // (a table of more than most_bars is refused)

struct Bar {
    std::string name;
    std::vector<std::string> words;
    RowOf row;
    Quartiles value;
    double step = nothing, cumulative = nothing;  // of a ladder: the gain over the rung before, and over the first
};

bool is_gain(double gain) { return std::isfinite(gain) && gain > 0; }

std::string gains_of(const Bar& bar) {
    std::string words;
    if (is_gain(bar.cumulative) && bar.cumulative != 1) words += "  x" + shown(bar.cumulative, {"", 1, false});
    if (is_gain(bar.step) && bar.step != 1) words += "  (step x" + shown(bar.step, {"", 1, false}) + ")";
    return words;
}

}  // namespace

Figure bars_of(const Data& data, const Choices& chosen, const Settings& settings) {
    Figure figure;
    figure.kind = "bars";
    const Field y = data.needed(chosen.y), step = data.field("step_speedup"),
                cumulative = data.field("cumulative_speedup");
    const std::vector<Field> by = data.needed(chosen.by);
    const Band band(data, chosen.y);
    std::vector<Bar> bars;
    for (const Group& group : groups_of(data, by, most_bars, "bars")) {
        std::vector<double> numbers;
        RowOf row = group.rows.front();  // the first with a number
        for (const RowOf one : group.rows)
            if (const double number = y.number(one); has_place(number, chosen.log_y)) {
                if (numbers.empty()) row = one;
                numbers.push_back(number);
            }
        figure.left_out += group.rows.size() - numbers.size();
        if (numbers.empty()) continue;
        Bar bar{group.name, group.words, row, band.of(row), step.number(row), cumulative.number(row)};
        if (numbers.size() > 1) bar.value = quartiles_of(numbers);
        bars.push_back(std::move(bar));
    }
    if (bars.empty()) fail_without_numbers(chosen.y, chosen.log_y);
    const bool is_ladder = step.exists();
    const bool ascending = is_ladder == is_better_when_larger(chosen.y);
    std::stable_sort(bars.begin(), bars.end(), [&](const Bar& a, const Bar& b) {
        return ascending ? a.value.middle < b.value.middle : a.value.middle > b.value.middle;
    });
    if (bars.size() > most_drawn) {
        figure.subtitle = text("{} of {} bars; choose others with --where", most_drawn, bars.size());
        bars.resize(most_drawn);
    }
    figure.x.log = chosen.log_y;
    figure.x.label = label_of(chosen.y);
    figure.x.quantity = quantity_of(chosen.y);
    // If there are several files, each has a color,
    std::map<std::string, std::size_t> categories;
    // or what is predicted and what was measured.
    const auto timer =
        std::find_if(by.begin(), by.end(), [](const Field& field) { return field.name() == "timer"; }) - by.begin();
    const bool of_files = is_by_file(data, by),
               has_colors = of_files || (data.shows_predictions() && timer < std::ssize(by));
    const auto color = static_cast<std::size_t>(of_files ? 0 : timer);  // the word that is one
    const bool of_origins = has_colors && !of_files;
    if (has_colors) {
        // (The colors and the legend say what is predicted.)
        for (Bar& bar : bars)
            if (const std::string origin = bar.words[color]; of_origins && bar.name != origin)
                bar.name.erase(bar.name.find(", " + origin), origin.size() + 2);
        const auto same = [&](const Bar& bar) {
            std::vector<std::string> words = bar.words;
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(color));
            return words;
        };
        // Bars of the same kernel stand together, at the place of the best.
        std::map<std::vector<std::string>, std::size_t> place;
        for (const Bar& bar : bars) place.try_emplace(same(bar), place.size());
        std::map<std::string, std::size_t> order;
        for (const RowOf row : data.rows()) order.try_emplace(by[color].word(row), order.size());
        std::stable_sort(bars.begin(), bars.end(), [&](const Bar& a, const Bar& b) {
            const std::size_t first = place[same(a)], second = place[same(b)];
            return first != second ? first < second : order[a.words[color]] < order[b.words[color]];
        });
    }
    for (const Bar& bar : bars) {
        Box box{figure.rows.size(), 0, bar.value.middle};
        box.low = bar.value.low, box.high = bar.value.high;
        box.is_predicted = is_prediction(data, chosen.y, bar.row);
        if (has_colors) {
            const auto [place, is_new] = categories.try_emplace(bar.words[color], categories.size());
            if (is_new) figure.colors.push_back(bar.words[color]);
            box.set_category(place->second);
        }
        box.label = shown(bar.value.middle, figure.x.quantity) + gains_of(bar);
        if (!settings.annotate.empty()) box.label += "  " + note_of(data, settings.annotate, bar.row);
        if (chosen.hovers) box.hover = hover_of(data, bar.row);
        if (!std::isnan(box.low))
            figure.explain(box.is_predicted ? "whiskers of predictions: 80 % interval" : "whiskers: quartiles");
        for (const double value : {box.end, box.low, box.high}) figure.x.include(value);
        figure.rows.push_back(bar.name.empty() ? label_of(chosen.y) : bar.name);
        figure.boxes.push_back(std::move(box));
    }
    figure.x.finish(true, 0.02);
    for (Box& box : figure.boxes) box.begin = figure.x.log ? figure.x.low : 0;
    return figure;
}

}  // namespace plot
