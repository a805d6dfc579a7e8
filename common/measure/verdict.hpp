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
};

// "single-pass is the fastest: 1.40 times shuffle-tree, 1.03 times cub." The second and the peer are named: a library's
// variant, or `versus`. Where confidence intervals overlap, a time within 5 % is level with the fastest; of any other the
// sentence says that it is uncertain. Variants on the host count only among themselves, bounds not at all,
// and those without operations not beside others that have some. "" if there is nothing to compare.
std::string verdict(const std::vector<Timed>& measured, const std::string& versus, bool simulated);
