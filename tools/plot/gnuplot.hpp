// SPDX-License-Identifier: MIT
// A figure as a script for gnuplot 5, and the pictures that gnuplot makes of it.
#pragma once

#include <optional>
#include <string>

#include "tools/plot/figure.hpp"
#include "tools/plot/options.hpp"

namespace plot {

// With the data in it, and without a terminal: `gnuplot -p FILE` shows it in a window.
std::string gnuplot_script_of(const Figure& figure);

// A picture by gnuplot's terminal "pngcairo" or "pdfcairo". Failure(output_error) if there is no gnuplot, or it fails.
std::string picture_of(const Figure& figure, const std::string& terminal, const std::optional<Size>& size);

}  // namespace plot
