// SPDX-License-Identifier: MIT
// matadd: C = A + B in blocks of any shape: what the shape does to loads and to occupancy, and how little of that shows
// in the time.
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/matadd/probes.cuh"
#include "tools/matadd/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/matadd/addition.cuh"
#include "tools/matadd/calculator.cuh"

namespace BACKEND {
namespace {

template <typename T>
void run_shape(Session& session, Bench& bench, const MatrixShape& shape) {
    const Matrices<T> matrices(session, shape);
    const std::vector<BlockShape> no_choice = {{}};
    Cases cases;
    for (const MataddVariant* variant : session.selected<MataddVariant>()) {
        if (variant->needs == Needs::host) {
            cases.push_back(std::make_unique<AdditionOnHost<T>>(session, *variant, matrices));
            continue;
        }
        const auto add = variant->on_device<T>();
        const bool too_long =
            variant->peer && std::max(shape.rows, shape.columns) > size_t(std::numeric_limits<int>::max());
        if (!add || too_long) {
            session.notice(
                text("{} is left out at {}: {}", variant->name, shape.name(),
                     add ? "cuBLAS counts rows and columns in 32 bits" : "cuBLAS is not installed, or does not start"));
            continue;
        }
        for (const BlockShape& block : variant->mapping ? session.own<MataddOptions>().blocks : no_choice)
            cases.push_back(std::make_unique<AdditionOnDevice<T>>(session, *variant, matrices, add, block));
    }
    bench.run(cases);
}

// The calculator adds no matrices: refuses the options that say how to.
void refuse_benchmark_options(const Session& session, const char* with) {
    const auto& asked = session.own<MataddOptions>();
    const Options& options = session.options;
    const std::pair<bool, const char*> ignored[] = {
        {asked.shapes.given, "--size"},         {asked.blocks_given, "--blocks"},
        {asked.offset > 0, "--offset"},         {!options.kernels.empty(), "--kernel"},
        {options.dtype.has_value(), "--dtype"}, {!options.versus.empty(), "--versus"},
        {options.ladder, "--ladder"},           {options.raw, "--raw"},
        {options.profile, "--profile"},         {asked.occupancy && asked.launches_to_compare, "--against-cuda"},
    };
    for (const auto& [given, name] : ignored)
        if (given)
            fail(Exit::usage, "{} does not go with {}, which only calculates; leave one of them out", name, with);
}

void run(Session& session) {
    const auto& asked = session.own<MataddOptions>();
    if (asked.occupancy) {
        refuse_benchmark_options(session, "--occupancy");
        return print_occupancy(session, *asked.occupancy);
    }
    if (asked.launches_to_compare) {
        refuse_benchmark_options(session, "--against-cuda");
        return compare_with_cuda(session, *asked.launches_to_compare);
    }
    Bench bench(session);
    for (const MatrixShape& shape : asked.shapes.on(session.device)) {
        if (session.dtype() == DType::f64) run_shape<double>(session, bench, shape);
        else run_shape<float>(session, bench, shape);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(matadd_program, run)
#endif
