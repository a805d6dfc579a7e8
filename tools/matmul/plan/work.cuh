// SPDX-License-Identifier: MIT
// What a plan asks of the device, see Work: for kernels that divide C into tiles, and for all others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/hopper/stream_k.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

constexpr double bytes_per_unit = 1024, multiply_adds_per_unit = 1000;  // of Work

// What every plan does: reading A and B, multiplying, and storing C, of so many products in a launch.
inline Work least_work(const ProductProblem& problem, size_t of_products) {
    const auto [m, n, k] = problem.shape;
    const double products = double(of_products), multiprocessors = estimated_multiprocessors(problem);
    const double of_a = products * double(m) * double(k),
                 of_b = (problem.form.shares_b ? 1 : products) * double(k) * double(n),
                 results = products * double(m) * double(n);
    const size_t result_bytes = size_of(result_dtype(problem.dtype)),
                 row_of_c = (problem.form.transposed.c ? m : n) * result_bytes;
    constexpr double cached_bytes = 25e6;
    const double bytes = (of_a + of_b) * double(size_of(problem.dtype));
    Work work;
    work.read = bytes / bytes_per_unit / multiprocessors;
    work.uncached = std::max(0.0, bytes - cached_bytes) / bytes_per_unit / multiprocessors;
    (row_of_c % 32 == 0   ? work.stored_sectors
     : row_of_c % 16 == 0 ? work.stored_pieces
                          : work.stored_elements) = results * double(result_bytes) / bytes_per_unit / multiprocessors;
    work.multiply_adds = results * double(k) / multiply_adds_per_unit / multiprocessors;
    return work;
}

// How a kernel divides a product.
struct TileDivision {
    TileSize tile;
    size_t products = 1;            // of a launch
    unsigned split_k = 1;           // blocks that share a tile along k
    unsigned cluster = 1;           // blocks of a cluster
    size_t blocks_at_once = 1;      // on the device, in whole clusters
    bool reads_any_rows = false;    // in place; other kernels copy rows that are not aligned first
    StreamKSchedule schedule = {};  // if it is not empty, of units of `unit` tiles
    unsigned unit = 1;
};

// The work of the rows of A and B that a stage receives.
inline void add_rows(Work& work, const ProductProblem& problem, const TileDivision& by) {
    constexpr size_t sector = 32, piece = 16;
    const auto [m, n, k] = problem.shape;
    const Transposes& stored = problem.form.transposed;
    const size_t element_bytes = size_of(problem.dtype);
    const auto add = [&](size_t row_elements, size_t rows, unsigned of_tile) {
        const size_t row = row_elements * element_bytes;
        const double received =
            work.stages * of_tile * std::max(1U, by.tile.k) * double(element_bytes) / bytes_per_unit;
        if (row % sector == 0) return;
        if (row % piece == 0) work.half_sectors += received;
        else if (by.reads_any_rows) work.unaligned += received;
        else {
            work.copied += double(rows * row) / bytes_per_unit / estimated_multiprocessors(problem);
            work.copies = 1;
        }
    };
    add(stored.a ? m : k, stored.a ? k : m, by.tile.m);
    add(stored.b ? k : n, stored.b ? n : k, by.tile.n);
}

inline Work tile_work(const ProductProblem& problem, const TileDivision& by) {
    const auto [m, n, k] = problem.shape;
    Work work = least_work(problem, by.products);
    const size_t steps = divide_up(k, std::max(1U, by.tile.k));
    work.stages_of_block = double(divide_up(steps, by.split_k));
    if (by.schedule.tiles > 0) {
        const StreamKSchedule& schedule = by.schedule;
        const size_t units = by.blocks_at_once / by.unit, shared = schedule.shared_tiles();
        const double waves = double(divide_up(schedule.whole, units));
        work.blocks = waves;
        work.stages = waves * double(steps);
        if (shared > 0) {
            const double share = double(divide_up(shared * steps, schedule.shares));
            work.blocks += double(divide_up(shared, schedule.shares));
            work.stages += share;
            work.shared = 1;
            if (schedule.exchanged) work.clusters = 1;
            else work.parts = double(divide_up(schedule.shares, shared));
            if (schedule.shares % shared > 0) work.uneven = share;
        }
    } else {
        const size_t tiles = divide_up(m, by.tile.m) * divide_up(n, by.tile.n) * by.products;
        work.blocks = double(divide_up(tiles * by.split_k, by.blocks_at_once));
        work.stages = work.blocks * work.stages_of_block;
        if (by.split_k > 1) {
            work.shared = 1;
            work.parts = std::min(by.split_k, by.cluster);
            work.clusters = by.split_k > by.cluster ? double(by.split_k / by.cluster) : 0;
        }
    }
    add_rows(work, problem, by);
    return work;
}

// Sets the estimate of a plan of which `row` names the kernel and its tile.
inline void estimate(Plan& plan, const ProductProblem& problem, const std::string& row, const Work& work) {
    plan.work = work;
    plan.row = row;
    plan.ns = estimated_ns(problem.dtype, row, work, memory_speed(*problem.device));
}

// The plan of a kernel with one tile size: see kernels/matmul/generic/arguments.cuh.
template <typename Tile>
Plan plan_of(const ProductProblem& problem, const char* variant) {
    Plan plan;
    plan.launch = [](const MatmulArguments<void>& arguments) {
        return Tile::enqueue(arguments.as<typename Tile::Element>());
    };
    plan.tile = tile_name(Tile::tile);
    plan.takes_batch = true;
    plan.takes_transposed = takes_transposed<Tile>;
    TileDivision by;
    by.tile = Tile::tile;
    by.products = problem.form.products();
    by.blocks_at_once = estimated_multiprocessors(problem);
    by.reads_any_rows = true;
    estimate(plan, problem, text("{}:{}", variant, plan.tile), tile_work(problem, by));
    return plan;
}

}  // namespace BACKEND
