// SPDX-License-Identifier: MIT
// What histograms and violins are made of: the numbers of each group.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/plot/choice.hpp"
#include "tools/plot/figure.hpp"

namespace plot {

struct Samples {
    std::vector<Group> groups;
    std::vector<std::vector<double>> numbers;  // of each group; their logarithms where the axis is logarithmic
    double low, high;                          // of all of them
    bool log;
    std::string label;         // of their axis
    const char* called;        // "samples", "rows"
    std::size_t left_out = 0;  // rows without a number

    // The number as it is in the table.
    double value(double number) const;
};

// The samples of each row that has them, else the row's number. Failure(bad_input) if there are none.
Samples samples_of(const Data& data, const Choices& chosen);

// How often numbers occur, estimated from samples: Gaussian kernels of Silverman's bandwidth.
struct Density {
    std::vector<double> at, height;  // from the lowest sample to the highest, evenly; the highest has height 1
};
Density density_of(const std::vector<double>& samples, const Quartiles& quartiles);

}  // namespace plot
