// SPDX-License-Identifier: MIT
// The options of trapezoid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "tools/trapezoid/integral.hpp"

// The most blocks of a grid in x.
inline constexpr std::size_t most_blocks = 2147483647;

// How far --settle doubles the number of trapezoids: variants with a thread for each of them need that many threads.
constexpr std::size_t most_settling_size(bool simulated, std::size_t block_size) {
    return std::min(std::size_t{1} << (simulated ? 20 : 31), most_blocks * block_size);
}

struct TrapezoidOptions {
    std::string function = known_functions().front().name;
    std::string from, to;          // empty: the function's own
    double settle = -1;            // negative: no doubling
    std::optional<unsigned> grid;  // none: what suits the device

    void add_options(OptionTable& table) {
        std::vector<std::string> words;
        for (const KnownFunction& known : known_functions()) words.push_back(known.name);
        words.push_back("an expression in x");
        table.read("--function", "F", list_text(words, "or") + ": what to integrate", function, function,
                   [](const std::string& word) {
                       parse_integral(word, "", "");
                       return word;
                   });
        const auto bound = [](const char* option) {
            return [option](const std::string& word) {
                parse_bound(word, option);
                return word;
            };
        };
        table.read("--from", "A", "where to begin: a number or an expression, such as -pi/2; the function's own", "",
                   from, bound("--from"));
        table.read("--to", "B", "where to end", "", to, bound("--to"));
        table.whole("--grid", "BLOCKS", "blocks, for the variants that take any number: with --block 1, sequential",
                    grid, 1, 65535);
        table.number("--settle", "X",
                     "double -n, one number, until the integral changes by at most X times that of |f|", settle, 0, 1);
    }
};
