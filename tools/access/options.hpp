// SPDX-License-Identifier: MIT
// The options of access: each is a list, and the rows are their cross product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"

struct AccessOptions {
    std::vector<std::size_t> words = {4};  // bytes
    std::vector<std::string> operations = {"read"};
    std::vector<std::size_t> unrolls = {4};
    std::vector<std::size_t> offsets = {1};
    std::vector<std::size_t> strides = {2, 8, 32};
    std::vector<std::size_t> footprints = {0};  // bytes; 0: as many words as are accessed
    std::size_t fetch = 0;                      // bytes; 0: the device's own choice

    void add_options(OptionTable& table) {
        add_alias(table, "--pattern", "--kernel");
        const std::vector<std::size_t> word_sizes = {1, 2, 4, 8, 16}, unrollings = {1, 2, 4, 8};
        table.read("--word", "LIST", "1, 2, 4, 8 or 16: bytes of a word", "4", words,
                   [=](const std::string& list) { return parse_counts(list, "--word", word_sizes); });
        table.read("--op", "LIST", "read, write or both: what is done with the words", "read", operations,
                   parse_operations);
        table.read("--unroll", "LIST", "1, 2, 4 or 8: words that a thread requests at a time", "4", unrolls,
                   [=](const std::string& list) { return parse_counts(list, "--unroll", unrollings); });
        table.read("--offset", "LIST", "words that pattern 'offset' begins past an aligned address, 0:31", "1", offsets,
                   [](const std::string& list) { return parse_counts(list, "--offset", 0, 31); });
        table.read("--stride", "LIST", "words between neighboring lanes of pattern 'stride', 1:64", "2,8,32", strides,
                   [](const std::string& list) { return parse_counts(list, "--stride", 1, 64); });
        table.read("--footprint", "LIST", "bytes of the array, such as 32Mi; as many words as are accessed by default",
                   "", footprints,
                   [](const std::string& list) { return parse_counts(list, "--footprint", 1, largest_size); });
        constexpr Choice<std::size_t> fetches[] = {{"32", 32}, {"64", 64}, {"128", 128}};
        table.choice("--fetch", "BYTES", "the most bytes that a GPU's L2 cache fetches on a miss", fetch, fetches);
    }

private:
    // A second name for an option.
    static void add_alias(OptionTable& table, const char* alias, const std::string& name) {
        const auto is_named = [&](const OptionRow& row) { return row.long_name() == name; };
        OptionRow row = *std::find_if(table.rows().begin(), table.rows().end(), is_named);
        row.flags = alias;
        row.help = "the same as " + name;
        table.add(row);
    }

    static std::vector<std::string> parse_operations(const std::string& list) {
        const std::vector<std::string> known = {"read", "write", "both"};
        std::vector<std::string> names = split(list, ',');
        for (const std::string& name : names)
            if (std::find(known.begin(), known.end(), name) == known.end())
                fail(Exit::usage, "--op '{}' is not one of {}", name, list_text(known, "or"));
        return names;
    }
};
