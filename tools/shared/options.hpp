// SPDX-License-Identifier: MIT
// The options of shared.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"

struct SharedOptions {
    // Most bins: those of a histogram in 48 KiB; most items: those of two queues there, beside a block's counters.
    static constexpr std::size_t most_bins = 12288, most_items = 6136;

    std::size_t every = 1024;
    std::vector<std::size_t> lengths = {8, 16};
    std::vector<std::size_t> keeps = {50};
    std::vector<std::size_t> bins = {256};
    std::vector<std::size_t> skews = {1, 8};
    std::size_t capacity = 2048;

    void add_options(OptionTable& table) {
        const auto counts = [&](const char* flags, const char* help, const char* fallback,
                                std::vector<std::size_t>& field, std::size_t smallest, std::size_t largest) {
            table.read(flags, "LIST", help, fallback, field,
                       [=](const std::string& list) { return parse_counts(list, flags, smallest, largest); });
        };
        table.whole("--every", "N", "search: one word in N is what is looked for", every, 1, std::size_t{1} << 32);
        table.read("--array", "LIST", "indexed: elements of a thread's array, 4, 8, 16 or 32", "8,16", lengths,
                   [](const std::string& list) {
                       return parse_counts(list, "--array", {4, 8, 16, 32});
                   });
        counts("--keep", "offsets: percent of the words that are kept", "50", keeps, 0, 100);
        counts("--bins", "histogram: number of bins", "256", bins, 1, most_bins);
        counts("--skew", "histogram: 1 fills bins evenly, more the first ones more often", "1,8", skews, 1, 64);
        table.whole("--capacity", "N", "queue: items of a queue in shared memory", capacity, 1, most_items);
    }
};
