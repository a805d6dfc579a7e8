// SPDX-License-Identifier: MIT
// A grid of characters, with a finer one of dots in it: 2x4 dots of braille, 2x2 of blocks, or one of ASCII.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/plot/options.hpp"

namespace plot {

// What a terminal can show. Colors are indices into the palette.
struct Screen {
    Characters made_of;  // not automatic
    bool colors;
};

constexpr int no_color = -1, gray = -2;

// The text in the color, if the screen has colors.
std::string colored(const std::string& text, int color, const Screen& screen);

class Canvas {
public:
    Canvas(std::size_t width, std::size_t height, const Screen& screen);

    std::size_t dots_across() const { return width_ * dots_x_; }
    std::size_t dots_down() const { return height_ * dots_y_; }
    // Coordinates begin at (0, 0), the upper left. Dots outside are left out.
    void dot(double x, double y, int color);
    // `gap`: dashes and gaps of so many dots; 0 for none.
    void line(double x1, double y1, double x2, double y2, int color, int gap = 0);
    // A character over the dots of a cell, or of two if it is wide.
    void put(std::size_t column, std::size_t row, const std::string& character, int color);
    std::size_t column_of(double x) const;
    std::size_t row_of(double y) const;

    std::string row(std::size_t row) const;  // with colors, without an end of line

private:
    struct Cell {
        unsigned dots = 0;
        std::string character = {};
        bool is_covered = false;  // by a wide character to its left
        int color = no_color;
    };
    std::string shown(const Cell& cell) const;

    std::size_t width_, height_, dots_x_, dots_y_;
    Screen screen_;
    std::vector<Cell> cells_;
};

}  // namespace plot
