// SPDX-License-Identifier: MIT
// How long a multiprocessor waits for the stages of a Hopper kernel's tiles. Only for nvcc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/matmul/hopper/row_set_rule.cuh"
#include "tools/matmul/product_cost.cuh"
#include "tools/matmul/shape.hpp"
#include "tools/matmul/tile_choice.cuh"

namespace BACKEND {

// The cycles that it takes a multiprocessor to receive 128 bytes of a row of A or B, while all others receive as much.
// Rows that are read in sets also take cycles for each box that TMA is asked for.
struct InPlaceCost {
    double row_of_a, row_of_b, box;
};
struct LoadingCost {
    static constexpr double aligned_row = 2.05;  // rows begin at multiples of 32 bytes, the L2 cache's sectors
    // Rows that begin anywhere and are read in sets, from multiples of 16 bytes (2047 x 2047 x 2047 with all tiles) or
    // of 32 (fitted to 76 products in tf32 and in f64), on H100s.
    static constexpr InPlaceCost from_16_bytes{8.8, 5.5, 0}, from_32_bytes{3, 2.7, 25};
    // If boxes of columns lie across two lines of the L2 cache each (fitted to tiles of 224 and 240 columns, of 31
    // large products in bf16 on an H100; those of 160 have it, too).
    static constexpr double across_lines = 1.6;
    static constexpr double least_in_place = 1.2;         // times as long as the best walk through a large matrix
    static constexpr double straightening_begins = 2700;  // cycles until the first rows have been moved
    static constexpr double waiting_part = 0.5;  // of these cycles: due to the other multiprocessors that have tiles
    // If blocks share tiles along k, fewer read the same rows at the same time, and a stage takes longer. In clusters
    // (1600 timings of 315 products in bf16 on an H100): by the slope times the fraction of multiprocessors that have a
    // tile, beyond a fifth.
    static constexpr double cluster_from = 0.2, cluster_slope = 0.8;
    // If shares that are not dealt side by side exchange sums (fourteen products on H100s).
    static constexpr double of_exchange = 0.2;
    // If they are, and for pairs of blocks (the 315 products): by the part of the rows that differ between blocks of
    // one GPC, beyond a quarter; and, in 16 bits, by a part of the shorter of loading and multiplying, which is not
    // hidden.
    static constexpr double per_distinct = 1, least_distinct = 0.25, visible_of_parts = 0.15;
};

// Whether a tile reads A and B in place although their rows are not aligned.
inline bool reads_row_sets(const TileChoice& choice, const ProductShape& shape, size_t products) {
    return choice.row_sets > 0 && suits_row_sets(shape.n, shape.k, products, choice.element_bytes);
}

// `busy`: the fraction of multiprocessors that have tiles.
inline double waiting_for_others(double busy) {
    return 1 - LoadingCost::waiting_part + LoadingCost::waiting_part * busy;
}

// The work of the busiest block, in stages of a whole tile, and a few properties of all work.
struct BlockWork {
    double stages;              // that it multiplies
    double stores;              // tiles that it stores
    double busy;                // the fraction of multiprocessors that have tiles
    double last_stages = 0;     // of its stages, those in a last wave that is not whole, or whose tiles are shared
    double last_part = 0;       // of all tiles, those of that wave
    double sums = 0;            // how long it takes to add other blocks' sums
    bool exchanged = false;     // all tiles are shared, and blocks exchange sums
    bool side_by_side = false;  // all tiles are shared in equal parts, dealt side by side
};

// The part of the rows of A and B that differs between the tiles of blocks side by side, as many as run on one GPC: a
// quarter if they lie four by four. (As if all bands of tiles were four high.)
inline double distinct_rows(const TileChoice& choice, const ProductShape& shape) {
    constexpr double blocks_of_gpc = 16, band = 4;
    const double rows = double(divide_up(shape.m, choice.tile.m)), columns = double(divide_up(shape.n, choice.tile.n)),
                 tiles = std::min(blocks_of_gpc, rows * columns),
                 high = std::min(rows, std::max(std::ceil(tiles / columns), band)), wide = std::ceil(tiles / high);
    return (high * choice.tile.m + wide * choice.tile.n) / (tiles * (choice.tile.m + choice.tile.n));
}

// How many columns of B a tile receives: in 16 bits, a B stored by rows comes in whole boxes of 64.
inline double received_columns(const TileChoice& choice) {
    constexpr size_t box = 64;
    const bool in_boxes = choice.element_bytes == 2 && !choice.stored.b;
    return double(in_boxes ? divide_up(choice.tile.n, box) * box : choice.tile.n);
}

// Whether boxes of B lie across lines of the L2 cache: tiles are no multiple of a box wide.
inline bool lies_across_lines(const TileChoice& choice) { return received_columns(choice) > double(choice.tile.n); }

// The cycles that a multiprocessor takes to receive a stage.
inline double loading_cycles_in_place(const TileChoice& choice, double busy) {
    const InPlaceCost& of_sets =
        choice.row_sets * choice.element_bytes == 16 ? LoadingCost::from_16_bytes : LoadingCost::from_32_bytes;
    const unsigned boxes = 2 * choice.row_sets;
    return (choice.tile.m * of_sets.row_of_a + choice.tile.n * of_sets.row_of_b) * waiting_for_others(busy) +
           boxes * of_sets.box;
}
inline double loading_cycles(const TileChoice& choice, const ProductShape& shape, const ProductCost& cost,
                             const BlockWork& work) {
    using Cost = LoadingCost;
    constexpr size_t copied_alignment = 16;  // rows elsewhere are copied first
    const auto is_unaligned = [&](size_t columns) {
        const size_t bytes = columns * choice.element_bytes;
        return bytes % copied_alignment == 0 && bytes % 32 != 0;
    };
    const bool is_float8 = choice.element_bytes == 1;  // whose B counts as one by rows
    const size_t columns_of_a = choice.stored.a ? shape.m : shape.k,
                 columns_of_b = choice.stored.b && !is_float8 ? shape.k : shape.n;
    const auto cycles_of_row = [&](size_t columns, unsigned sharing, double unaligned_row) {
        if (is_unaligned(columns)) return sharing > 1 ? cost.unaligned_row.shared : unaligned_row;
        return Cost::aligned_row;
    };
    const bool across_lines = lies_across_lines(choice) && shape.n > choice.tile.n && !is_unaligned(columns_of_b);
    const double row_of_a = cycles_of_row(columns_of_a, choice.cluster_columns, cost.unaligned_row.of_a),
                 row_of_b = cycles_of_row(columns_of_b, choice.cluster_rows, cost.unaligned_row.of_b) *
                            (across_lines ? Cost::across_lines : 1);
    double again = 0;
    if (choice.split_k > 1) again = std::max(0.0, Cost::cluster_slope * (work.busy - Cost::cluster_from));
    else if (work.side_by_side) again = Cost::per_distinct * (distinct_rows(choice, shape) - Cost::least_distinct);
    else if (work.exchanged) again = Cost::of_exchange;
    return (choice.tile.m * row_of_a + received_columns(choice) * row_of_b) * waiting_for_others(work.busy) *
           (1 + again);
}

}  // namespace BACKEND
