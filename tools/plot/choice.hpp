// SPDX-License-Identifier: MIT
// What a person would draw from these rows, where the options leave it open.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/plot/data.hpp"
#include "tools/plot/options.hpp"

namespace plot {

struct Choices {
    Kind kind;
    std::string x, y;             // columns; "" where the kind has no such axis
    std::vector<std::string> by;  // of a series or a bar
    bool log_x = false, log_y = false;
    bool hovers = false;  // whether the picture shows rows under the pointer
};

constexpr std::size_t most_series = 64, most_bars = 10000;

// Whether what was predicted for a GPU is drawn in the place of simulated times (Data::show_predictions).
bool wants_predictions(const Data& data, const Settings& settings);
// Adds the column that tells predictions from measurements, if both are drawn.
void tell_origins(const Data& data, std::vector<std::string>& by);
Choices choose(const Data& data, const Settings& settings);
// Whether the largest number is the best: for all but times and what costs time.
bool is_better_when_larger(const std::string& column);

}  // namespace plot
