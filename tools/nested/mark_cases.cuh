// SPDX-License-Identifier: MIT
// The cases whose grids only leave marks: many grids, and chains of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/cli/session.hpp"
#include "common/measure/bench.cuh"
#include "tools/nested/marks.cuh"
#include "tools/nested/on_host.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {

// `count` is the argument of the launch; there are `grids` marks.
inline Case case_of_marks(const Session& session, const NestedVariant& variant, size_t count, size_t grids,
                          LaunchShape (*launch)(const NestedArguments&), size_t launches, size_t depth) {
    const auto marks = std::make_shared<Marks>(grids);
    const std::uint64_t seed = session.options.seed;
    Case one;
    one.variant = &variant;
    one.problem = {std::nullopt, count, double(grids) * sizeof(unsigned), 0, 0, variant.chain ? "deep" : "launches"};
    one.poison = [=](cudaStream_t stream) { marks->poison(stream); };
    one.launch = [=](cudaStream_t stream) {
        NestedArguments arguments = marks->arguments(seed);
        arguments.count = unsigned(count);
        arguments.stream = stream;
        return launch(arguments);
    };
    one.check = [=] { return marks->check(seed); };
    one.own_cells = [=, simulated = session.device.simulated](double median_ns) {
        return cells_of(nested_columns, cells_of_launches(launches, depth, median_ns, simulated));
    };
    return one;
}

inline Case case_of_grids(const Session& session, const NestedVariant& variant, size_t count) {
    const size_t parents = variant.by_host ? 0 : 1;
    Case one = case_of_marks(session, variant, count, count, variant.grids, count + parents, count > 0 ? parents : 0);
    if (variant.by_host) time_on_host(one, session.device.simulated);
    return one;
}

inline Case case_of_chain(const Session& session, const NestedVariant& variant, size_t depth) {
    Case one = case_of_marks(session, variant, depth, depth + 1, variant.chain, depth + 1, variant.by_host ? 0 : depth);
    if (variant.by_host) time_on_host(one, session.device.simulated);
    return one;
}

}  // namespace BACKEND
