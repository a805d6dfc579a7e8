// The options that reduce has beside the common ones.
#pragma once

#include <cstddef>

#include "common/cli/options.hpp"
#include "common/cli/sizes.hpp"

enum class ReduceOperation { sum, min, max, mean };
constexpr Choice<ReduceOperation> reduce_operations[] = {{"sum", ReduceOperation::sum},
                                                         {"min", ReduceOperation::min},
                                                         {"max", ReduceOperation::max},
                                                         {"mean", ReduceOperation::mean}};

inline const char* name_of(ReduceOperation operation) { return reduce_operations[static_cast<int>(operation)].word; }

struct ReduceOptions {
    ReduceOperation operation = ReduceOperation::sum;
    std::size_t offset = 0;

    void add_options(OptionTable& table) {
        table.choice("--op", "OPERATION", "", operation, reduce_operations);
        table.whole("--offset", "N", "begin the input N elements past an aligned address", offset, 0, largest_offset);
    }
};
