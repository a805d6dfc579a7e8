// SPDX-License-Identifier: MIT
// What --tile list and --tile work print.
#pragma once

#include <string>

#include "common/cli/session.hpp"
#include "tools/matmul/plan/choose.cuh"

namespace BACKEND {

#ifndef __SIMCC__
// The tiles of `hopper`, for f32 those of `tf32x3` and for 8-bit floats those of `hopper-fast-accum`, then those of
// `direct`.
inline void list_tiles(Session& session) {
    std::string lines = "kernel,tile,tile_m,tile_n,tile_k,split_k,transposed\n";
    const auto add_line = [&](const char* variant, const std::string& key, const TileSize& tile, unsigned split_k,
                              const Transposes& stored) {
        lines += text("{},{},{},{},{},{},{}\n", variant, key, tile.m, tile.n, tile.k, split_k, stored.name());
    };
    const auto add = [&](const char* variant, const TileTable& tiles) {
        for (const TileRow& row : tiles) add_line(variant, row.key(), row.tile, row.split_k, row.stored);
    };
    add("hopper", hopper_tiles(session.dtype()));
    add("hopper-fast-accum", fast_accum_tiles(session.dtype()));
    if (session.dtype() == DType::f32) add("tf32x3", tf32x3_tiles());
    for (const DirectRow& row : direct_tiles(session.dtype())) add_line("direct", row.key(1), row.tile, 1, {});
    session.output.write(lines);
}

#endif

// What --tile work prints: the plans of the selected variants for a product, and what each asks of the device, see
// Work.
inline std::string work_of_plans(const MatmulVariant& variant, ProductProblem problem) {
    problem.forced_tile.clear();
    std::string lines;
    for (const Plan& plan : plans_of_any_tile(variant, problem)) {
        lines += text("{},{},{},{} {},{:.0f}", name_of(problem.dtype), problem.shape.name(), plan.name(),
                      timed_as(problem.dtype), plan.row, plan.ns);
        WorkTerms terms;
        get_terms(plan.work, terms);
        for (const double term : terms) lines += text(",{:.6g}", term);
        lines += '\n';
    }
    return lines;
}
inline std::string header_of_work() {
    std::string header = "dtype,shape,plan,row,ns";
    for (const char* name : names_of_work) header += text(",{}", name);
    return header + "\n";
}

}  // namespace BACKEND
