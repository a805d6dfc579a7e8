// SPDX-License-Identifier: MIT
// The rewriter of simcc. Preprocessed CUDA C++ comes in; preprocessed C++ goes out, with the errors and warnings that
// simcc prints. A Source holds the tokens, brackets and functions say what they mean, each pass (passes.hpp) adds its
// changes to the Edits, and these make the new text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

/// Words that the preprocessor must leave in the text: each must be defined as itself.
inline constexpr std::string_view qualifiers[] = {"__global__",   "__device__",  "__host__",
                                                  "__constant__", "__managed__", "__grid_constant__"};

/// What the threads of a block run on between two barriers.
enum class Lanes {
    in_loops,   ///< loops, where the rewriter knows that all threads come to the same barriers; else stacks
    explained,  ///< the same; a note says which, and why
    on_stacks,  ///< stacks of their own
};

/// How device code is to be compiled.
struct DeviceCode {
    bool relocatable = false;       ///< it shares device variables with other files
    bool checked = false;           ///< the runtime learns the addresses of device variables
    Lanes lanes = Lanes::in_loops;  ///< in checked code they always have stacks
};

struct Rewritten {
    std::string text;
    std::vector<Diagnostic> diagnostics;  ///< if one is an error, the text is unusable
};

/// Rewrites the output of `g++ -E` for a .cu file. Launches, dynamic shared memory, built-in variables, loops that wait
/// and a few specifiers are replaced by plain C++ that uses common/simt/include; line markers keep every other token on
/// its line and column. `own_headers` is the folder of those headers as named in the line markers: files below it are
/// left alone.
Rewritten rewrite(std::string_view preprocessed, std::string_view own_headers, const DeviceCode& code);

}  // namespace simcc
