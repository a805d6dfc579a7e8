// SPDX-License-Identifier: MIT
// The cases whose grids only leave marks: many grids, and chains of them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/measure/bench.cuh"
#include "tools/nested/marks.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {

// `count` is the argument of the launch, which leaves `grids` marks.
class MarkCase final : public HostClockCase {
public:
    MarkCase(const Session& session, const NestedVariant& variant_, size_t count, size_t grids,
             LaunchShape (*launch)(const NestedArguments&), size_t launches, size_t depth)
        : HostClockCase(
              variant_,
              {std::nullopt, count, double(grids) * sizeof(unsigned), 0, 0, variant_.chain ? "deep" : "launches"},
              variant_.by_host),
          session_(session),
          launch_(launch),
          launches_(launches),
          depth_(depth),
          marks_(grids) {}

    void poison(cudaStream_t stream) override { marks_.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override {
        NestedArguments arguments = marks_.arguments(session_.options.seed);
        arguments.count = unsigned(problem.n);
        arguments.stream = stream;
        return launch_(arguments);
    }
    Verdict check() override { return marks_.check(session_.options.seed); }
    std::vector<Cell> own_cells(double median_ns) override {
        return cells_of(nested_columns, cells_of_launches(launches_, depth_, median_ns, session_.device.simulated));
    }

private:
    const Session& session_;
    LaunchShape (*const launch_)(const NestedArguments&);
    const size_t launches_, depth_;
    const Marks marks_;
};

inline std::unique_ptr<Case> case_of_grids(const Session& session, const NestedVariant& variant, size_t count) {
    const size_t parents = variant.by_host ? 0 : 1;
    return std::make_unique<MarkCase>(session, variant, count, count, variant.grids, count + parents,
                                      count > 0 ? parents : 0);
}

inline std::unique_ptr<Case> case_of_chain(const Session& session, const NestedVariant& variant, size_t depth) {
    return std::make_unique<MarkCase>(session, variant, depth, depth + 1, variant.chain, depth + 1,
                                      variant.by_host ? 0 : depth);
}

}  // namespace BACKEND
