// SPDX-License-Identifier: MIT
// matmul: C = A B, from the textbook kernel to tensor cores, one idea per step, next to cuBLAS.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/matmul/plan/choose.cuh"
#include "tools/matmul/variants.cuh"

#if HOST_PASS
#include "common/cli/registration.cuh"
#include "tools/matmul/filter.cuh"
#include "tools/matmul/gang/run.cuh"
#include "tools/matmul/plan/list.cuh"
#include "tools/matmul/selection.cuh"

namespace BACKEND {
namespace {

void run_shape(Session& session, Bench& bench, const ProductProblem& problem) {
    const std::vector<ChosenVariant> chosen = chosen_variants(session, problem);
    size_t most_workspace = 0;
    for (const ChosenVariant& one : chosen)
        for (const Plans* plans : {&one.plans.first, &one.plans.more_shares})
            for (const Plan& plan : *plans) most_workspace = std::max(most_workspace, plan.workspace_bytes);
    session.begin_step(text("generating A and B, {}", name_of_products(problem.shape, problem.form)));
    Product product(session, problem, most_workspace);
    Cases cases;
    for (const auto& [variant, plans] : chosen) {
        if (plans.first.empty()) cases.push_back(std::make_unique<ProductOnHost>(*variant, product));
        else cases.push_back(std::make_unique<ProductOnDevice>(*variant, product, problem, plans));
        if (variant->plans == fastest_plans && plans.first.size() == 1)
            explain_if_asked(session, problem, plans.first.front(), "the best estimate");
    }
    bench.run(cases);
}

void run(Session& session) {
    const auto& asked = session.own<MatmulOptions>();
#ifndef __SIMCC__
    if (asked.tile == "list") return list_tiles(session);
#endif
    if (!session.options.operands.empty()) return run_matmul_filter(session);
    if ((asked.scale_a > 0 || asked.scale_b > 0) && !is_float8(session.dtype()))
        fail(Exit::usage, "--scale-a and --scale-b are for 8-bit floats; give -t e4m3 or -t e5m2");
    if (asked.file_shape) fail(Exit::usage, "--shape is for files; --size gives the shapes of a benchmark");
    check_gang_options(session);
    std::unique_ptr<Output> trace;
    if (!asked.trace.empty()) trace = std::make_unique<Output>(asked.trace);
    std::vector<Timeline> timelines;
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    ProductProblem problem = problem_on(session, session.device, session.dtype());
    if (asked.tile == "work") session.output.write(header_of_work());
    for (const ProductShape& shape : asked.shapes.on(session.device)) {
        problem.shape = shape;
        if (asked.tile == "work") {
            for (const MatmulVariant* variant : session.selected<MatmulVariant>())
                session.output.write(work_of_plans(*variant, problem));
            continue;
        }
        if (session.options.gang) {
            ProductOfGangs product(session, bench, shape, timelines);
            sweep.run(product);
        } else {
            run_shape(session, bench, problem);
        }
    }
    if (trace) write_trace(*trace, timelines);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(matmul_program, run)
#endif
