// SPDX-License-Identifier: MIT
// A figure in characters.
#pragma once

#include <string>

#include "tools/plot/canvas.hpp"
#include "tools/plot/figure.hpp"

namespace plot {

// At most size.width characters wide. Axes and series fill size.height lines; rows take a line each.
std::string drawn(const Figure& figure, const Size& size, const Screen& screen);

}  // namespace plot
