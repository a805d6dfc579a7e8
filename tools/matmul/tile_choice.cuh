// SPDX-License-Identifier: MIT
// A tile of a Hopper kernel, as the tables list it. Only for nvcc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/cuda/launch_shape.cuh"
#include "common/io/text.hpp"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/stream_k_cost.cuh"
#include "tools/matmul/shape.hpp"

namespace BACKEND {

// If a multiprocessor works on several tiles at once, but on those of one product: how many times as long stages take
// as in a batch, the warps that multiply a tile, and how many warps on a full scheduler take as long as a lone one.
struct TilesOfOneProduct {
    double slowness = 1;
    unsigned warps = 4;
    double alone = 1;

    // How many tiles on a full multiprocessor take as long: what the scheduler with the most warps decides. (Seven
    // tiles of a warp each take as long as eight.)
    double as_of_full(size_t tiles) const {
        constexpr unsigned schedulers = 4;
        if (tiles == 0) return 0;
        return std::max(double(divide_up(tiles * warps, schedulers)), alone) * schedulers / warps;
    }
};

// A tile's properties by its type (see HopperTile), and what decides how long it takes.
struct TileChoice {
    TileSize tile;
    unsigned element_bytes, split_k, cluster_rows, cluster_columns, at_once, least_k, least_rows, row_sets;
    bool stream_k, needs_aligned_rows, takes_batch, only_batch;
    Transposes stored;
    double cycles_per_stage;  // the larger of multiplying and loading
    double fixed_cycles;      // of a tile: filling the pipeline, storing the results
    double straightening;     // cycles added to a stage whose rows are read in sets, as warps move them then
    TilesOfOneProduct of_one;
    StreamKCost stream_k_cost;
    LaunchShape (*launch)(const MatmulArguments<void>&, const StreamKCost&);

    // As the column p_tile has it: "168..256x128x64", "64x64x64/2" for two blocks of a cluster that split k.
    std::string name() const {
        return text("{}{}x{}x{}{}", least_rows > 0 ? text("{}..", least_rows) : "", tile.m, tile.n, tile.k,
                    split_k > 1 ? text("/{}", split_k) : "");
    }
    // As --tile names it: different from the other tiles of the table that a product can have.
    std::string key() const {
        return name() + (stream_k ? ":stream-k" : "") +
               (sharing_blocks() > 1 ? text(":cluster-{}x{}", cluster_rows, cluster_columns) : "") +
               (at_once > 1 ? ":groups" : "");
    }

    // The blocks of a cluster that share A or B.
    unsigned sharing_blocks() const { return cluster_rows * cluster_columns; }

    // The stages that a tile multiplies, the last one as far as necessary.
    double stages_along(size_t k) const {
        return least_k > 0 ? double(divide_up(k, least_k)) * least_k / tile.k : double(divide_up(k, tile.k));
    }

    // How many sets of tiles, each of a cluster that shares A or B, a product has.
    size_t sets_of_tiles(const ProductShape& shape) const {
        return divide_up(divide_up(shape.m, tile.m), cluster_rows) *
               divide_up(divide_up(shape.n, tile.n), cluster_columns);
    }
};

}  // namespace BACKEND
