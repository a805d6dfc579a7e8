// SPDX-License-Identifier: MIT
// The tiles of the variant `direct`, and what they cost. Only for nvcc.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/matmul/hopper/direct.cuh"
#include "tools/matmul/method.cuh"
#include "tools/matmul/tile_cost.cuh"

namespace BACKEND {

// What products of one type by `direct` cost, in cycles, the caches cold. tests/measure/fit_direct.py fits these
// constants and those of direct_tiles.cuh. (These are from 103 shapes with all tiles on an H100; those of f32 are from an
// earlier fit to them, whose choices were better, and its `reached` were raised by 3 or 6 % for a faster loop.
// `scattered` was set by hand after 667 products on an H100, many of them of few rows and large Bs.)
struct DirectCost {
    double beginning;          // of a product
    double fixed;              // of a wave of blocks: filling the ring, storing the sums
    double shortest_stage;     // of a block: a part of the memory's latency
    double crowding;           // added to `fixed` for each further block of a multiprocessor
    double unit;               // if rows are copied in units of 8 or 4 bytes: for each unit of a stage,
    double shifted;            // and if they are read where they lie: for each element
    double sharing;            // of blocks of a cluster that add each other's sums,
    double sharing_per_block;  // and for each of them
    double between_clusters;   // if several clusters share k
    double bytes_per_cycle;    // of an H200's memory, for each multiprocessor
    double visible_part;       // of the shorter of computing and reading: the rest is hidden
    double scattered = 0;      // more of the memory's time, as a part: if blocks share k; if there are many of them
    double narrow_b = 0;       // as in ProductCost, but 16 bits wait, too (set by hand after 900 products)
};
inline constexpr DirectCost direct_cost_16_bit = {.beginning = 1540,
                                                  .fixed = 7010,
                                                  .shortest_stage = 424,
                                                  .crowding = 281,
                                                  .unit = 0.068,
                                                  .shifted = 0.077,
                                                  .sharing = 3360,
                                                  .sharing_per_block = 22,
                                                  .between_clusters = 3200,
                                                  .bytes_per_cycle = 16.6,
                                                  .visible_part = 0.05,
                                                  .scattered = 0.3,
                                                  .narrow_b = 250},
                            direct_cost_f32 = {.beginning = 2350,
                                               .fixed = 4150,
                                               .shortest_stage = 500,
                                               .crowding = 161,
                                               .unit = 0.048,
                                               .shifted = 0,
                                               .sharing = 4510,
                                               .sharing_per_block = 4,
                                               .between_clusters = 3650,
                                               .bytes_per_cycle = 14,
                                               .visible_part = 0.39,
                                               .scattered = 0.15},
                            direct_cost_tf32 = {.beginning = 2430,
                                                .fixed = 6350,
                                                .shortest_stage = 385,
                                                .crowding = 1114,
                                                .unit = 0,
                                                .shifted = 0.049,
                                                .sharing = 3250,
                                                .sharing_per_block = 25,
                                                .between_clusters = 2630,
                                                .bytes_per_cycle = 11.5,
                                                .visible_part = 0.09,
                                                .scattered = 0,
                                                .narrow_b = 400},
                            direct_cost_f64 = {.beginning = 3060,
                                               .fixed = 5390,
                                               .shortest_stage = 337,
                                               .crowding = 17,
                                               .unit = 0,
                                               .shifted = 0.112,
                                               .sharing = 4220,
                                               .sharing_per_block = 3,
                                               .between_clusters = 2900,
                                               .bytes_per_cycle = 13.2,
                                               .visible_part = 0.15};

// A tile, and what decides how long it takes.
struct DirectChoice {
    TileSize tile;
    unsigned element_bytes;
    double stage_cycles;  // that a multiprocessor takes to multiply a stage, with several blocks,
    double alone;         // and how many times as long with one
    const DirectCost* cost;
    RowCopy (*copy_of)(size_t row_of_a, size_t row_of_b);  // see DirectShape
    unsigned (*resident)(RowCopy);                         // blocks that a multiprocessor holds
    bool takes_batch;
    LaunchShape (*launch)(const MatmulArguments<void>&, unsigned blocks);

    std::string key(unsigned blocks) const { return tile_name(tile) + (blocks > 1 ? text("/{}", blocks) : ""); }
};

// What rows that do not begin at multiples of 16 bytes cost in a stage.
inline double unaligned_cycles(const DirectChoice& choice, const ProductShape& shape, RowCopy by) {
    const auto [tile_m, tile_n, tile_k] = choice.tile;
    const size_t row_of_a = shape.k * choice.element_bytes, row_of_b = shape.n * choice.element_bytes;
    if (by == RowCopy::pieces) return 0;
    if (by == RowCopy::shifted) return double(tile_m + tile_n) * tile_k * choice.cost->shifted;
    const auto units = [&](size_t row_bytes, unsigned rows) {
        const size_t bytes = size_t{rows} * choice.tile.k * choice.element_bytes;
        return row_bytes % 16 == 0 ? 0.0 : double(bytes) / (row_bytes % 8 == 0 ? 8 : 4);
    };
    return (units(row_of_a, tile_m) + units(row_of_b, tile_n)) * choice.cost->unit;
}

// The cycles of so many products, without the launch.
inline double direct_cycles(const DirectChoice& choice, unsigned blocks, const ProductShape& shape, size_t products,
                            const DeviceModel& device) {
    const DirectCost& cost = *choice.cost;
    const RowCopy by = choice.copy_of(shape.k * choice.element_bytes, shape.n * choice.element_bytes);
    const unsigned resident = choice.resident(by);
    const size_t steps = divide_up(divide_up(shape.k, choice.tile.k), blocks);
    const size_t all = divide_up(shape.m, choice.tile.m) * divide_up(shape.n, choice.tile.n) * products * blocks;
    const unsigned cluster = std::min(blocks, most_direct_cluster);
    const size_t at_once = device.blocks_at_once(cluster, resident),
                 occupied = device.blocks_at_once(cluster),  // multiprocessors: clusters leave some idle
        waves = all / at_once, left = all % at_once;
    unsigned left_each = left > 0 ? 1 : 0;  // a multiprocessor's blocks of the last wave: the fewest that hold all
    while (left > 0 && left_each < resident && device.blocks_at_once(cluster, left_each) < left) ++left_each;
    const double stage = choice.stage_cycles + unaligned_cycles(choice, shape, by) +
                         (products > 1 ? 0 : narrow_cycles(cost.narrow_b, shape, all / blocks, device.multiprocessors));
    const auto wave = [&](unsigned blocks_each) {  // on each multiprocessor
        if (blocks_each == 0) return 0.0;
        const double busy = stage * std::max(double(blocks_each), choice.alone);
        return cost.fixed + cost.crowding * double(blocks_each - 1) +
               double(steps) * std::max(busy, cost.shortest_stage);
    };
    constexpr double added_bytes_per_cycle = 50;  // of the clusters' sums of a tile (from two products of long k)
    const double adding_clusters = double(blocks / cluster) * double(choice.tile.m) * choice.tile.n *
                                   std::max(4U, choice.element_bytes) / added_bytes_per_cycle;
    const double computing = double(waves) * wave(resident) + wave(left_each);
    const double adding = (blocks > 1 ? cost.sharing + cost.sharing_per_block * cluster : 0) +
                          (blocks > cluster ? cost.between_clusters + adding_clusters : 0);
    const double moving = shape.elements() * double(products) * choice.element_bytes /
                          (cost.bytes_per_cycle * device.memory_speed * device.multiprocessors);
    const double least = products == 1 ? least_reading_cycles(shape, choice.element_bytes, device) : 0;
    const double memory = std::max(least, moving);
    // (Many: more than there are multiprocessors. In batches this was not measured.)
    const unsigned ways = products > 1 ? 0 : (blocks > 1) + (all > occupied);
    const double reading = memory * (1 + cost.scattered * ways);
    return cost.beginning + overlapped(computing, reading, cost.visible_part) + adding;
}

}  // namespace BACKEND
