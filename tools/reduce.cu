// SPDX-License-Identifier: MIT
// reduce: sum, extremes, mean, variance and more of many numbers, by every method of the lectures and the best we know.
#include <cstdint>
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/reduce/lines.cuh"
#include "tools/reduce/table.cuh"

namespace BACKEND {

// Instantiated for --axis.
#define INSTANTIATE(T)                                                                          \
    template LaunchShape launch_reduce_lines(const T*, const MatrixPiece&, Wanted, Summary<T>*, \
                                             unsigned multiprocessors, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
#undef INSTANTIATE

}  // namespace BACKEND

#if HOST_PASS
#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/reduce/axis_filter.cuh"
#include "tools/reduce/filter.cuh"
#include "tools/reduce/reduction.cuh"
#include "tools/reduce/selection.cuh"
#include "tools/reduce/steps.cuh"

namespace BACKEND {
namespace {

// Refuses operations whose partial results devices, or processes, cannot combine.
void check_operations(const Session& session, const char* who) {
    const ReduceOptions& asked = session.own<ReduceOptions>();
    for (const ReduceOperation one : asked.operations)
        if (!is_combination({one}) || asked.accuracy != Accuracy::plain)
            fail(Exit::usage, "{} results of one element each: sum, min, max or mean, neither --accurate nor --exact",
                 who);
}

void run_benchmark(Session& session) {
    if (session.options.gang) check_operations(session, "--gang joins");
    else refuse_idle_variants(session);
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    for (size_t n : choose_sizes(session))
        for (const ReduceOperations& operations : choose_operations(session)) {
            const std::vector<const ReduceVariant*> variants = choose_variants(session, operations);
            if (variants.empty() && !session.options.gang) continue;
            with_dtype(session.dtype(), [&](auto zero) {
                Reduction<decltype(zero)> reduction(session, operations, variants, n);
                sweep.run(reduction);
            });
        }
}

void run(Session& session) {
    const ReduceOptions& asked = session.own<ReduceOptions>();
    if (session.options.checks.trace) return show_steps(session);
    if (!session.options.operands.empty() && session.options.team->processes() > 1) {
        const bool is_one = asked.operations.size() == 1 && !asked.axis;
        if (!is_one) fail(Exit::usage, "several processes find one result: give one --op, and no --axis");
        check_operations(session, "several processes join");
    }
    if (session.options.operands.empty()) {
        if (asked.axis) fail(Exit::usage, "--axis is for a matrix in a file: name one, or - for standard input");
        run_benchmark(session);
    } else if (asked.axis) AxisFilter(session).run(session.options.operands.front());
    else ReduceFilter(session).run(session.options.operands.front());
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(reduce_program, run)
#endif
