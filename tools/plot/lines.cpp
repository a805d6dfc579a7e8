// SPDX-License-Identifier: MIT
// Lines: a series for each group, its points by x, with the band of the quartiles where there are some.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "common/io/text.hpp"
#include "tools/plot/figures.hpp"

namespace plot {
namespace {

constexpr std::size_t most_points = 2000, most_hovers = 2000;  // of a series; of the picture

// The rows at one x: one point.
struct Place {
    double x;
    Quartiles y;
    RowOf first;
    std::size_t rows;
};

// Keeps as many as can be told apart: the lowest and the highest of each of some stretches.
std::vector<Place> thinned(const std::vector<Place>& places) {
    if (places.size() <= most_points) return places;
    std::vector<Place> kept;
    constexpr std::size_t stretches = most_points / 2;
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto begin = places.begin() + static_cast<std::ptrdiff_t>(i * places.size() / stretches);
        const auto end = places.begin() + static_cast<std::ptrdiff_t>((i + 1) * places.size() / stretches);
        auto [lowest, highest] =
            std::minmax_element(begin, end, [](const Place& a, const Place& b) { return a.y.middle < b.y.middle; });
        if (lowest > highest) std::swap(lowest, highest);
        kept.push_back(*lowest);
        if (highest != lowest) kept.push_back(*highest);
    }
    return kept;
}

// Joins the rows at each x.
std::vector<Place> places_of(const std::vector<RowOf>& rows, const Field& x, const Field& y, const Band& band) {
    std::vector<Place> places;
    std::vector<double> numbers;
    for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
        const double at = x.number(rows[begin]);
        numbers.clear();
        for (end = begin; end < rows.size() && x.number(rows[end]) == at; ++end) numbers.push_back(y.number(rows[end]));
        places.push_back(
            {at, numbers.size() > 1 ? quartiles_of(numbers) : band.of(rows[begin]), rows[begin], numbers.size()});
    }
    return places;
}

bool is_power_of_two(double value) {
    int exponent = 0;
    return value >= 1 && std::frexp(value, &exponent) == 0.5;
}

// Whether most x are powers of two, or multiples of 1024.
bool looks_binary(const std::vector<Series>& series) {
    std::size_t binary = 0, all = 0;
    for (const Series& one : series)
        for (const Point& point : one.points) {
            ++all;
            binary += is_power_of_two(point.x) || (point.x >= 1024 && std::fmod(point.x, 1024) == 0);
        }
    return 2 * binary > all;
}

// Adds the line of devices that lose nothing by working together.
void add_ideal(std::vector<Series>& series) {
    double least = INFINITY, most = 0;
    for (const Series& one : series)
        for (const Point& point : one.points) least = std::min(least, point.x), most = std::max(most, point.x);
    Series ideal;
    ideal.name = "ideal";
    ideal.mark = Mark::roof;
    ideal.color = color_count - 1;
    ideal.points = {{least, 1}, {most, 1}};
    series.push_back(std::move(ideal));
}

}  // namespace

Figure lines_of(const Data& data, const Choices& chosen, const Settings& settings) {
    Figure figure;
    figure.kind = "lines";
    const Field x = data.needed(chosen.x), y = data.needed(chosen.y);
    const std::vector<Field> by = data.needed(chosen.by);
    std::vector<Group> groups = groups_of(data, by, most_series);
    const Band band(data, chosen.y);
    figure.x.log = chosen.log_x, figure.y.log = chosen.log_y;
    std::size_t hovers = 0;
    for (Group& group : groups) {
        std::vector<RowOf>& rows = group.rows;
        const auto is_missing = [&](RowOf row) {
            return !has_place(x.number(row), figure.x.log) || !has_place(y.number(row), figure.y.log);
        };
        const std::size_t all = rows.size();
        rows.erase(std::remove_if(rows.begin(), rows.end(), is_missing), rows.end());
        figure.left_out += all - rows.size();
        std::stable_sort(rows.begin(), rows.end(), [&](RowOf a, RowOf b) { return x.number(a) < x.number(b); });
        Series series;
        series.name = group.name;
        series.is_predicted = is_prediction(data, chosen.y, group.rows.front());
        // Several rows at one x are one point, with the quartiles of these rows.
        for (const Place& place : thinned(places_of(rows, x, y, band))) {
            Point point{place.x, place.y.middle, place.y.low, place.y.high};
            if (chosen.hovers && place.rows == 1 && ++hovers <= most_hovers) point.hover = hover_of(data, place.first);
            if (!settings.annotate.empty()) point.note = note_of(data, settings.annotate, place.first);
            if (!std::isnan(point.low)) figure.explain(series.is_predicted ? interval_words : "band: quartiles");
            series.points.push_back(std::move(point));
        }
        figure.series.push_back(std::move(series));
    }
    set_colors(figure.series, groups, data, by);
    figure.series.erase(std::remove_if(figure.series.begin(), figure.series.end(),
                                       [](const Series& series) { return series.points.empty(); }),
                        figure.series.end());
    if (figure.series.empty())
        fail(Exit::bad_input, "no row has numbers{} in '{}' and '{}' {}; choose columns with -x and -y",
             figure.x.log || figure.y.log ? " above 0" : "", printable(chosen.x, 100), printable(chosen.y, 100),
             range_of_places);
    if (chosen.x == "gang" && chosen.y == "efficiency") add_ideal(figure.series);
    figure.x.label = label_of(chosen.x), figure.y.label = label_of(chosen.y);
    figure.x.quantity = quantity_of(chosen.x), figure.y.quantity = quantity_of(chosen.y);
    figure.x.binary = looks_binary(figure.series) && (figure.x.quantity.unit.empty() || figure.x.quantity.unit == "B");
    for (const Series& series : figure.series)
        for (const Point& point : series.points) {
            figure.x.include(point.x);
            for (const double value : {point.y, point.low, point.high}) figure.y.include(value);
        }
    figure.x.finish(false, 0.02);
    figure.y.finish(!figure.y.log && figure.y.low >= 0 && figure.y.low < figure.y.high / 2, 0.05);
    return figure;
}

}  // namespace plot
