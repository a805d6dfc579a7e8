// SPDX-License-Identifier: MIT
// A figure as SVG, without a library: every shape has a class, and a title that browsers show under the pointer.
#pragma once

#include <optional>
#include <string>

#include "tools/plot/figure.hpp"
#include "tools/plot/options.hpp"

namespace plot {

std::string svg_of(const Figure& figure, const std::optional<Size>& size);

}  // namespace plot
