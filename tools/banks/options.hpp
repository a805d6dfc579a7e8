// SPDX-License-Identifier: MIT
// The options of banks: each is a list, and the rows are their cross product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"

struct BanksOptions {
    PerBackend<unsigned> block = {1024, 256};
    std::vector<std::size_t> words = {4};  // bytes
    std::vector<std::string> operations = {"read"};
    std::vector<std::size_t> strides = {0, 1, 2, 3, 4, 8, 16, 32, 33};
    std::vector<std::size_t> paddings = {0, 1, 2};

    void add_options(OptionTable& table) {
        table.whole("-b,--block", "THREADS", "threads per block", block, 1, 1024);
        const std::vector<std::size_t> word_sizes = {1, 2, 4, 8, 16};
        table.read("--word", "LIST", "1, 2, 4, 8 or 16: bytes of a word", "4", words,
                   [=](const std::string& list) { return parse_counts(list, "--word", word_sizes); });
        table.read("--op", "LIST", "read, write or atomic: what is done with the words", "read", operations,
                   parse_operations);
        table.read("--stride", "LIST", "words between neighboring lanes of pattern 'stride', 0:33",
                   "0,1,2,3,4,8,16,32,33", strides,
                   [](const std::string& list) { return parse_counts(list, "--stride", 0, 33); });
        table.read("--padding", "LIST", "words after each row of the tile of patterns 'row' and 'column', 0:2", "0,1,2",
                   paddings, [](const std::string& list) { return parse_counts(list, "--padding", 0, 2); });
    }

private:
    static std::vector<std::string> parse_operations(const std::string& list) {
        const std::vector<std::string> known = {"read", "write", "atomic"};
        std::vector<std::string> names = split(list, ',');
        for (const std::string& name : names)
            if (std::find(known.begin(), known.end(), name) == known.end())
                fail(Exit::usage, "--op '{}' is not one of {}", name, list_text(known, "or"));
        return names;
    }
};
