// SPDX-License-Identifier: MIT
#pragma once
// Tiles of C with heights fitted to the product and the device, to avoid wave quantization: they fill whole waves of
// blocks, one block per multiprocessor.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/tile_order.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

struct FittedShape {
    static constexpr int most_rows = 256, least_rows = 168, row_step = 8, tile_n = 128, stages = 4;
    static constexpr int box_rows = 64, box_columns = 64;  // of a warpgroup's results
};

/// Columns of tiles that are cut alike: into tiles of `rows` rows, of which the last `higher` in a column have 8 more.
struct FittedColumns {
    TileOrder order;
    unsigned rows, higher;
};

/// A tile's corner in C, its rows, and the index of its height: see FittedTiles::rows().
struct FittedTile {
    int row, column, rows, height;
};

/// The tiles of a product: some columns of tiles are cut into one tile more than the others.
struct FittedTiles {
    FittedColumns cuts[2];

    __host__ __device__ unsigned count() const { return cuts[0].order.tiles() + cuts[1].order.tiles(); }

    /// The rows of height 0, 1, 2 or 3: the lower and the higher tiles of the first cut, then of the second.
    __host__ __device__ unsigned rows(int height) const {
        const FittedColumns& cut = cuts[cuts[1].order.tiles_n > 0 ? height / 2 : 0];
        return cut.rows + (height % 2 > 0 && cut.higher > 0 ? FittedShape::row_step : 0);
    }

    __host__ __device__ unsigned least_rows() const { return rows(2); }

    __host__ __device__ FittedTile tile(unsigned number) const {
        const TileOrder& first = cuts[0].order;
        const bool second = number >= first.tiles();
        const FittedColumns& cut = cuts[second];
        unsigned i = 0, column = 0;
        cut.order.place(second ? number - first.tiles() : number, i, column);
        if (second) column += first.tiles_n;
        const unsigned lower = cut.order.tiles_m - cut.higher;
        const bool is_higher = i >= lower;
        const unsigned row = i * cut.rows + (is_higher ? (i - lower) * FittedShape::row_step : 0);
        return {static_cast<int>(row), static_cast<int>(column * FittedShape::tile_n),
                static_cast<int>(cut.rows) + (is_higher ? FittedShape::row_step : 0), 2 * second + is_higher};
    }
};

/// The fewest waves of `blocks` tiles that cover an m x n product, both at least 1. The waves are full unless that
/// would take tiles too low to have code.
inline FittedTiles fitted_tiles(size_t m, size_t n, unsigned blocks) {
    using Shape = FittedShape;
    constexpr unsigned group = 2;
    const size_t columns = divide_up(n, Shape::tile_n), steps = divide_up(m, Shape::row_step);
    const size_t fewest = divide_up(m, Shape::most_rows) * columns, tiles = divide_up(fewest, blocks) * blocks;
    const size_t parts = tiles / columns;
    const bool finer_fit = steps / (parts + 1) * Shape::row_step >= Shape::least_rows;
    const size_t finer = finer_fit ? tiles % columns : 0;
    const auto cut = [&](size_t cut_columns, size_t cut_parts) {
        return FittedColumns{TileOrder(unsigned(cut_parts), unsigned(cut_columns), group),
                             unsigned(steps / cut_parts) * Shape::row_step, unsigned(steps % cut_parts)};
    };
    return {{cut(columns - finer, parts), cut(finer, parts + 1)}};
}

/// Whether there is code for the lowest of the tiles.
inline bool can_fit(const FittedTiles& tiles) { return tiles.least_rows() >= FittedShape::least_rows; }

/// The total rows of the tiles of the block that has most. In several full waves, about the average plus one row_step.
inline double fitted_rows_per_block(const FittedTiles& tiles, size_t m, size_t n, unsigned blocks) {
    const size_t waves = divide_up(tiles.count(), blocks);
    if (waves == 1 || tiles.count() < waves * blocks) return double(waves * tiles.rows(1));
    return double(m) * double(divide_up(n, FittedShape::tile_n)) / blocks + FittedShape::row_step;
}

}  // namespace BACKEND
