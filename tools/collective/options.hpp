// SPDX-License-Identifier: MIT
// The options of collective.
#pragma once

#include <cstddef>

#include "common/cli/program.hpp"
#include "kernels/collective/reduction.hpp"

constexpr Choice<Reduction> reduction_words[] = {
    {"sum", Reduction::sum},     {"prod", Reduction::product}, {"min", Reduction::minimum},
    {"max", Reduction::maximum}, {"avg", Reduction::average},
};

struct CollectiveOptions {
    Reduction op = Reduction::sum;
    std::size_t root = 0;
    bool in_place = false;
    bool fit = false;

    const char* op_word() const { return reduction_words[static_cast<int>(op)].word; }

    void add_options(OptionTable& table) {
        table.choice("--op", "OPERATION", "what all-reduce, reduce-scatter and reduce do", op, reduction_words);
        table.whole("--root", "RANK", "the rank that broadcasts, and that receives what is reduced", root, 0,
                    1'000'000);
        table.flag("--in-place", "each rank's result takes the place of its input", in_place);
        table.flag("--fit", "a row per operation of NCCL: its latency and bandwidth, from gangs of 2, 4, ... and all",
                   fit);
    }
};
