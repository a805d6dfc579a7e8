// SPDX-License-Identifier: MIT
// A page with the picture in it: one file, which loads nothing else.
#pragma once

#include <optional>
#include <string>

#include "tools/plot/figure.hpp"
#include "tools/plot/options.hpp"

namespace plot {

std::string html_of(const Figure& figure, const std::optional<Size>& size);

}  // namespace plot
