// SPDX-License-Identifier: MIT
// The options of conv1d.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/options.hpp"
#include "common/cli/sizes.hpp"
#include "kernels/conv1d/border.hpp"

constexpr Choice<Border> borders[] = {
    {"zero", Border::zero}, {"clamp", Border::clamp}, {"wrap", Border::wrap}, {"valid", Border::valid}};

inline const char* name_of(Border border) { return borders[static_cast<int>(border)].word; }

// Widths of filters: "3", "1:63:+2".
inline std::vector<std::size_t> parse_widths(const std::string& list) {
    return parse_counts(list, "--width", 1, largest_width);
}

struct ConvolutionOptions {
    std::vector<std::size_t> widths = {};  // of random filters; none: the weights, or else the average of three
    std::string weights;                   // numbers, or the name of a file
    Border border = Border::zero;
    std::size_t offset = 0;

    void add_options(OptionTable& table) {
        table.input_file("--weights", "LIST", "the filter: 1,2,1, or a file of numbers; 1/3,1/3,1/3 by default",
                         weights);
        table.read("--width", "LIST", "widths of random filters instead: 3,17,63 or A:B:+S", "", widths, parse_widths)
            .for_benchmarks();
        table.choice("--border", "BORDER", "what lies beyond the signal's ends", border, borders);
        table
            .whole("--offset", "N", "begin signal and output N elements past an aligned address", offset, 0,
                   largest_offset)
            .for_benchmarks();
    }
};
