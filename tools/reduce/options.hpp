// SPDX-License-Identifier: MIT
// The options of reduce.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/options.hpp"
#include "common/cli/sizes.hpp"

enum class ReduceOperation { sum, min, max, mean, var, std, pvar, pstd, l2, absmax, argmin, argmax, nans };
constexpr const char* reduce_operations[] = {"sum",  "min", "max",    "mean",   "var",    "std", "pvar",
                                             "pstd", "l2",  "absmax", "argmin", "argmax", "nans"};

inline const char* name_of(ReduceOperation operation) { return reduce_operations[static_cast<int>(operation)]; }

using ReduceOperations = std::vector<ReduceOperation>;

// "sum+max" for a separator of +.
inline std::string names_of(const ReduceOperations& operations, const char* separator) {
    std::string names;
    for (const ReduceOperation operation : operations)
        names += (names.empty() ? "" : separator) + std::string(name_of(operation));
    return names;
}

// How near sums have to be to the exact ones.
enum class Accuracy { plain, accurate, exact };

// The numbers of a benchmark.
enum class ReduceValues { coarse, uniform, wide };
constexpr Choice<ReduceValues> reduce_values[] = {
    {"coarse", ReduceValues::coarse}, {"uniform", ReduceValues::uniform}, {"wide", ReduceValues::wide}};

struct ReduceOptions {
    ReduceOperations operations = {ReduceOperation::sum};
    Accuracy accuracy = Accuracy::plain;
    std::optional<ReduceValues> values;
    std::optional<std::size_t> axis;
    std::size_t offset = 0;
    std::optional<unsigned> grid;  // none: what suits the device

    void add_options(OptionTable& table) {
        const std::vector<std::string> words(std::begin(reduce_operations), std::end(reduce_operations));
        table.read("--op", "LIST", OptionTable::words_and_help(words, "or several of them, in one pass"), "sum",
                   operations, parse_operations);
        table
            .whole("--grid", "BLOCKS", "blocks, for the variants that take any number: with --block 1, sequential",
                   grid, 1, 65535)
            .for_benchmarks();
        table.flag("--accurate", "sums whose error hardly grows with the count", accuracy, Accuracy::accurate);
        table.flag("--exact", "sums that are the nearest to the exact ones", accuracy, Accuracy::exact);
        table.whole("--axis", "N", "a result for each column (0) or row (1) of a matrix", axis, 0, 1);
        table.choice("--values", "KIND", "the numbers of the benchmark", values, reduce_values).for_benchmarks();
        table.whole("--offset", "N", "begin the input N elements past an aligned address", offset, 0, largest_offset)
            .for_benchmarks();
    }

private:
    static ReduceOperations parse_operations(const std::string& words) {
        ReduceOperations operations;
        for (const std::string& word : split(words, ',')) {
            const auto known = std::find(std::begin(reduce_operations), std::end(reduce_operations), word);
            if (known == std::end(reduce_operations)) {
                std::string all;
                for (const char* name : reduce_operations) all += (all.empty() ? "" : ", ") + std::string(name);
                fail(Exit::usage, "--op '{}' is not one of {}", word, all);
            }
            operations.push_back(static_cast<ReduceOperation>(known - std::begin(reduce_operations)));
        }
        return operations;
    }
};
