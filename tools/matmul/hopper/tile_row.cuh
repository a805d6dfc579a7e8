// SPDX-License-Identifier: MIT
// A row of the tables of Hopper's tiles: all of it follows from the tile's type, see HopperTile. Only for nvcc.
#pragma once

#include <cstddef>
#include <string>

#include "common/cuda/launch_shape.cuh"
#include "common/io/text.hpp"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

struct TileRow {
    TileSize tile;
    unsigned element_bytes, split_k, cluster_rows, cluster_columns, at_once, least_rows, row_sets;
    bool stream_k, needs_aligned_rows, takes_batch, only_batch;
    Transposes stored;
    StreamKSharing sharing;  // what its kernel can do
    LaunchShape (*launch)(const MatmulArguments<void>&);

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
    unsigned cluster() const { return split_k * sharing_blocks(); }

    // How many sets of tiles, each of a cluster that shares A or B, a product has.
    size_t sets_of_tiles(const ProductShape& shape) const {
        return divide_up(divide_up(shape.m, tile.m), cluster_rows) *
               divide_up(divide_up(shape.n, tile.n), cluster_columns);
    }
};

// Matrices that are stored transposed.
using TransposedA = StoredLayouts<true, false>;
using TransposedB = StoredLayouts<false, true>;
using TransposedAB = StoredLayouts<true, true>;
using TransposedC = StoredLayouts<false, false, true>;

template <typename Tile>
LaunchShape launch_tile(const MatmulArguments<void>& arguments) {
    return Tile::enqueue(arguments.as<typename Tile::Element>());
}

template <typename Tile>
constexpr TileRow tile = {{Tile::tile_m, Tile::tile_n, hopper_tile_k<typename Tile::Element>},
                          sizeof(typename Tile::Element),
                          Tile::split_k,
                          Tile::cluster_rows,
                          Tile::cluster_columns,
                          Tile::at_once,
                          Tile::least_rows,
                          Tile::row_sets,
                          Tile::stream_k,
                          Tile::needs_aligned_rows,
                          Tile::takes_batch,
                          Tile::only_batch,
                          {Tile::Layouts::a_transposed, Tile::Layouts::b_transposed, Tile::Layouts::c_transposed},
                          {0, false, Tile::can_exchange, Tile::deals_side_by_side},
                          launch_tile<Tile>};

}  // namespace BACKEND
