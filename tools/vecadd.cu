// SPDX-License-Identifier: MIT
// vecadd: c = a + b, the first kernel of every course: its variants, the kinds of memory, and what each stage costs.
#include <cstddef>

#include "common/cuda/passes.hpp"
#include "tools/vecadd/table.cuh"

#if HOST_PASS
#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/vecadd/addition.cuh"
#include "tools/vecadd/filter.cuh"

namespace BACKEND {
namespace {

void run(Session& session) {
    if (!session.options.operands.empty()) return run_vecadd_filter(session);
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    for (size_t n : session.sizes())
        with_dtype(session.dtype(), [&](auto zero) {
            Addition<decltype(zero)> addition(session, n);
            sweep.run(addition);
        });
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(vecadd_program, run)
#endif
