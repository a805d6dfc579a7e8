// SPDX-License-Identifier: MIT
// Which variants, operations and sizes a benchmark of reductions consists of.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "tools/reduce/table.cuh"

namespace BACKEND {

// With --ladder and no choice of kernels: the ladder that was published for this element type, then ours.
inline bool is_in_ladder(const Session& session, const ReduceVariant& variant) {
    const std::string published = session.dtype() == DType::i32 ? "harris" : "tutorial";
    return *variant.ladder == 0 ? variant.leaves == Leaves::element : variant.ladder == published;
}

// Whether it knows the operations and is as accurate as asked for. Sums of integers are exact with any variant.
inline bool does(const Session& session, const ReduceVariant& variant, const ReduceOperations& operations) {
    const ReduceOptions& asked = session.own<ReduceOptions>();
    const bool rounds = session.dtype() == DType::f32 || session.dtype() == DType::f64;
    const bool adds = std::any_of(operations.begin(), operations.end(), is_of_sum);
    if (asked.grid && variant.needs != Needs::host && !variant.takes_grid) return false;
    return variant.knows(operations) && (!rounds || !adds || variant.accuracy(asked.accuracy) >= asked.accuracy);
}

// Whether it can reduce shares of a gang: it leaves an element, which devices can combine, and its input as it was.
inline bool works_in_gang(const ReduceVariant& variant) {
    return variant.needs != Needs::host && variant.leaves == Leaves::element && !variant.destroys_input;
}

inline std::vector<const ReduceVariant*> choose_variants(const Session& session, const ReduceOperations& operations) {
    const Options& options = session.options;
    const bool ladder = options.ladder && options.kernels.empty() && !options.gang &&
                        session.own<ReduceOptions>().accuracy == Accuracy::plain;
    std::vector<const ReduceVariant*> chosen;
    for (const ReduceVariant* variant : session.selected<ReduceVariant>())
        if (does(session, *variant, operations) && (!ladder || is_in_ladder(session, *variant)) &&
            (!options.gang || works_in_gang(*variant)))
            chosen.push_back(variant);
    return chosen;
}

// Each operation by itself, then all of them at once, which no gang finds.
inline std::vector<ReduceOperations> choose_operations(const Session& session) {
    const ReduceOperations& asked = session.own<ReduceOptions>().operations;
    std::vector<ReduceOperations> chosen;
    for (const ReduceOperation one : asked) chosen.push_back({one});
    if (asked.size() > 1 && !session.options.gang) chosen.push_back(asked);
    return chosen;
}

// Refuses a variant that was named and has nothing to do.
inline void refuse_idle_variants(const Session& session) {
    const auto& names = session.options.kernels;
    const ReduceOptions& asked = session.own<ReduceOptions>();
    for (const ReduceVariant* variant : session.selected<ReduceVariant>()) {
        if (std::find(names.begin(), names.end(), variant->name) == names.end()) continue;
        const std::vector<ReduceOperations> all = choose_operations(session);
        if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return does(session, *variant, one); }))
            continue;
        if (asked.grid && !variant->takes_grid)
            fail(Exit::usage, "the count of numbers decides the grid of {}: leave --grid out", variant->name);
        const char* sums = asked.accuracy == Accuracy::exact ? "exact " : "accurate ";
        fail(Exit::usage, "{} does not find {}{}; reduce(1) says which variants do", variant->name,
             variant->knows(all.front()) ? sums : "", names_of(asked.operations, ", "));
    }
}

// --ladder without sizes reproduces the tutorial's table: 2^28 floats. (The simulator keeps its own small default.)
inline std::vector<size_t> choose_sizes(const Session& session) {
    const bool published = session.options.ladder && !session.options.sizes.given && !session.device.simulated;
    return published ? std::vector<size_t>{size_t{1} << 28} : session.sizes();
}

}  // namespace BACKEND
