// SPDX-License-Identifier: MIT
// A picture without its medium: what svg, the terminal and gnuplot draw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tools/plot/axis.hpp"

namespace plot {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Point {
    double x, y;
    double low = nothing, high = nothing;  // the band around y, if there is one
    std::string hover = {};                // the row it stands for
    std::string note = {};                 // written beside it
};

// Points joined by a line; the outline of a histogram; a limit, dashed; halves of the width of a violin, by their
// height.
enum class Mark { line, steps, roof, violin };

// Half of the numbers are between low and high, a quarter on either side.
struct Quartiles {
    double low, middle, high;
};

constexpr double half_violin = 0.42;  // at its widest, of the distance to the next

struct Series {
    std::string name;
    Mark mark = Mark::line;
    std::size_t color = 0;
    std::size_t dash = 0;
    bool is_predicted = false;  // rather than measured: its points are open, and have error bars instead of a band
    std::vector<Point> points = {};
    Quartiles quartiles = {nothing, nothing, nothing};  // of a violin
};

// A bar in a row, from `begin` to `end`.
struct Box {
    std::size_t row;
    double begin, end;
    std::size_t category = 0, color = 0;   // which of the figure's colors; its index in the palette
    double low = nothing, high = nothing;  // a whisker around `end`
    bool is_predicted = false;             // rather than measured: only its outline is drawn
    std::string label = {};                // written after it
    std::string hover = {};

    void set_category(std::size_t index);
};

// Either series over two axes, or rows of boxes over x.
struct Figure {
    std::string kind;  // "lines"
    std::string title, subtitle;
    Axis x, y;
    std::vector<Series> series = {};
    std::vector<std::string> rows = {};  // the names of rows, from the top; then y means nothing
    std::vector<Box> boxes = {};
    std::set<std::size_t> headings = {};   // rows without boxes: the names of those below
    std::vector<std::string> colors = {};  // of rows: the name of each category, if they mean anything
    std::size_t left_out = 0;              // rows of the table that have nothing to show,
    // Which would be this.
    const char* lacking = "number that can be shown (1e-280 to 1e280 in size, or 0 where the axis is not logarithmic)";
    std::string band;  // what the band or the whiskers show

    bool has_rows() const { return !rows.empty(); }
    bool has_predictions() const {
        return std::any_of(series.begin(), series.end(), [](const Series& one) { return one.is_predicted; });
    }
    // Adds to what the band or the whiskers show.
    void explain(const std::string& words) {
        if (band.find(words) == band.npos) band += (band.empty() ? "" : "; ") + words;
    }
    // The line below the title of a picture.
    std::string below_title() const { return subtitle + (subtitle.empty() || band.empty() ? "" : "; ") + band; }
};

// Okabe and Ito's colors, which people with any color vision can tell apart, without their yellow, which is hard to see
// on white.
struct Color {
    const char* hex;
    int terminal;  // the nearest of 256
};
constexpr Color palette[] = {{"#0072b2", 32},  {"#e69f00", 214}, {"#009e73", 36}, {"#d55e00", 166},
                             {"#cc79a7", 175}, {"#56b4e9", 75},  {"#000000", 244}};
constexpr std::size_t color_count = sizeof palette / sizeof palette[0];
constexpr std::size_t dash_count = 4;  // beyond the colors, lines differ by their dashes

inline void Box::set_category(std::size_t index) { category = index, color = index % color_count; }

}  // namespace plot
