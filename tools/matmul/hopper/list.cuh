// SPDX-License-Identifier: MIT
// What --tile list prints. Only for nvcc.
#pragma once

#include <string>

#include "common/cli/session.hpp"
#include "tools/matmul/hopper/direct.cuh"
#include "tools/matmul/hopper/float8.cuh"
#include "tools/matmul/hopper/tiles.cuh"

namespace BACKEND {

// The tiles of `hopper`, for f32 those of `tf32x3` and for 8-bit floats those of `hopper-fast-accum`, then those of
// `direct`, with their part of the cost model.
inline void list_tiles(Session& session) {
    std::string lines = "kernel,tile,tile_m,tile_n,tile_k,split_k,cycles_per_stage,fixed_cycles,transposed\n";
    const auto add_line = [&](const char* variant, const std::string& key, const TileSize& tile, unsigned split_k,
                              double stage, double fixed, const Transposes& stored) {
        lines += text("{},{},{},{},{},{},{:.0f},{:.0f},{}\n", variant, key, tile.m, tile.n, tile.k, split_k, stage,
                      fixed, stored.name());
    };
    const auto add = [&](const char* variant, const TileTable& tiles) {
        for (const TileChoice& choice : tiles)
            add_line(variant, choice.key(), choice.tile, choice.split_k, choice.cycles_per_stage, choice.fixed_cycles,
                     choice.stored);
    };
    add("hopper", hopper_tiles(session.dtype()));
    add("hopper-fast-accum", fast_accum_tiles(session.dtype()));
    if (session.dtype() == DType::f32) add("tf32x3", tf32x3_tiles());
    for (const DirectChoice& choice : direct_tiles(session.dtype()))
        add_line("direct", choice.key(1), choice.tile, 1, choice.stage_cycles, choice.cost->fixed, {});
    session.output.write(lines);
}

}  // namespace BACKEND
