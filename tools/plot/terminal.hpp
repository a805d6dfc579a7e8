// SPDX-License-Identifier: MIT
// A figure in characters.
#pragma once

#include <cstddef>
#include <string>

#include "tools/plot/canvas.hpp"
#include "tools/plot/figure.hpp"

namespace plot {

// At most size.width characters wide. Axes and series fill size.height lines; rows take a line each.
std::string drawn(const Figure& figure, const Size& size, const Screen& screen);

// The part with series over two axes, and the part with rows: lines with their ends.
std::string drawn_axes(const Figure& figure, const Size& size, const Screen& screen);
std::string drawn_rows(const Figure& figure, std::size_t width, const Screen& screen);

// The values below an axis of so many characters, at their places.
std::string tick_line(const Axis& axis, std::size_t width);

// The letter by which a series is told from others where there are no colors.
char letter_of(std::size_t index);

}  // namespace plot
