// SPDX-License-Identifier: MIT
// transpose: the output's rows are the input's columns. Nothing is computed, so memory alone sets the pace: from a
// thread per element to within a few percent of a plain copy.
#include <cstdint>

#include "common/cuda/passes.hpp"
#include "kernels/transpose/columns.cuh"
#include "tools/transpose/table.cuh"

namespace BACKEND {

// Instantiated for gangs.
#define INSTANTIATE(Word) template void launch_place_columns(const ColumnsArguments<Word>&)
INSTANTIATE(std::uint8_t);
INSTANTIATE(std::uint16_t);
INSTANTIATE(std::uint32_t);
INSTANTIATE(std::uint64_t);
#undef INSTANTIATE

}  // namespace BACKEND

#if HOST_PASS
#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/transpose/filter.cuh"
#include "tools/transpose/steps.cuh"
#include "tools/transpose/transposition.cuh"

namespace BACKEND {
namespace {

template <typename Word>
void run_shape(Session& session, GangSweep& sweep, const MatrixShape& shape) {
    Transposition<Word> transposition(session, shape);
    sweep.run(transposition);
}

void run(Session& session) {
    if (session.options.checks.trace && !session.options.operands.empty())
        fail(Exit::usage, "--steps shows a matrix of its own: leave '{}' out", session.options.operands.front());
    if (session.options.checks.trace) return show_steps(session);
    if (!session.options.operands.empty()) return run_transpose_filter(session);
    const auto& asked = session.own<TransposeOptions>();
    if (asked.file_shape || asked.fortran_order)
        fail(Exit::usage, "--shape and --order are for files: name one, or - for standard input");
    if (asked.pieces > 0 && !session.options.gang)
        fail(Exit::usage, "--pieces says how several devices exchange a matrix: add --gang, or leave it out");
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    for (const MatrixShape& shape : asked.shapes.on(session.device)) {
        switch (size_of(session.dtype())) {
            case 1: run_shape<std::uint8_t>(session, sweep, shape); break;
            case 2: run_shape<std::uint16_t>(session, sweep, shape); break;
            case 4: run_shape<std::uint32_t>(session, sweep, shape); break;
            default: run_shape<std::uint64_t>(session, sweep, shape);
        }
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(transpose_program, run)
#endif
