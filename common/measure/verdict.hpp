// SPDX-License-Identifier: MIT
// The sentence that a finished benchmark ends with: which variant is the fastest, and by how much.
#pragma once

#include <string>
#include <vector>

#include "common/measure/statistics.hpp"
#include "common/measure/variant.hpp"

// The times of a variant. Only equal work can be compared.
struct Timed {
    const Variant* variant;
    double bytes, flop;
    Summary times;
    Summary over_versus = {};  // --versus: of the peer's time over this one's, sample by sample; zeros for none
};

// "single-pass is the fastest: 1.40 times shuffle-tree, 1.03 times cub." It names the second and the peer: a library's
// variant, or `versus`. If the confidence intervals overlap, a time within 5 % is level with the fastest, and any other
// is marked uncertain. Ratios to `versus` are those of its column: their interval decides. Host variants count only
// among themselves, bounds not at all, and variants without operations not beside others that have some. "" if there is
// nothing to compare.
enum class Times { measured, simulated, predicted };
std::string verdict(const std::vector<Timed>& measured, const std::string& versus, Times times);
