// SPDX-License-Identifier: MIT
// The options of diverge: lists, each of whose values gets a row.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"

struct DivergeOptions {
    std::optional<std::vector<std::size_t>> operations, depths;  // none: the defaults
    PerBackend<unsigned> rounds = {128, 2};

    void add_options(OptionTable& table) {
        const std::vector<std::size_t> lengths = {1, 2, 4, 8, 16, 32, 64, 128, 256};
        table.read("--operations", "LIST", "powers of two up to 256: operations of each side of a branch", "4,64",
                   operations, [=](const std::string& list) { return parse_counts(list, "--operations", lengths); });
        table.read("--depth", "LIST", "depth of the branches of the 'nested' variants, 1:5", "1,2,3,4,5", depths,
                   [](const std::string& list) { return parse_counts(list, "--depth", 1, 5); });
        table.whole("--rounds", "N", "how many times each thread reaches the branch", rounds, 1, 1'000'000);
    }
};
