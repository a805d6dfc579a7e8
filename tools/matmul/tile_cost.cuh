// SPDX-License-Identifier: MIT
// How long a Hopper kernel takes with each of its tiles: an estimate of the cycles of the block that has the most work.
// All constants of the model are in this file, in loading_cost.cuh, product_cost.cuh and stream_k_cost.cuh, and in the
// tables of tiles, hopper/TYPE.cu and tensor_core_tiles.cuh. They were fitted on an H200 (132
// multiprocessors, CUDA 13), but where an H100 is named. tests/measure/fit_matmul.bash measures those of warm caches
// again: cycles of stages and of tiles, loading (but not in place, nor of parts along k), memory in batches, and most
// of Stream-K's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/hopper/fitted_tiles.cuh"
#include "kernels/matmul/hopper/stream_k_cost.cuh"
#include "tools/matmul/loading_cost.cuh"
#include "tools/matmul/product_cost.cuh"
#include "tools/matmul/shape.hpp"
#include "tools/matmul/tile_choice.cuh"

namespace BACKEND {

// The memory's share of the time.
struct MemoryCost {
    static constexpr double bytes_per_cycle = 18;     // of each multiprocessor, where the memory is an H200's
    static constexpr double read_once_factor = 0.87;  // for a matrix that only one row or column of tiles reads
    static constexpr double visible_part = 0.15;      // in a batch: of the shorter of computing and moving,
    static constexpr double crowding = 1.4e-8;        // and what moving takes longer for each shared byte, if slow
};

// If the L2 cache holds neither A nor B, and blocks are at different places along k: how many times as long the memory
// takes to deliver a stage as the block takes to multiply it.
constexpr double stages_apart(unsigned tile_m, unsigned tile_n, double cycles_per_stage) {
    constexpr double row_bytes = 128, read_part = 0.75;  // of a stage: the rest is still in the cache
    return read_part * (tile_m + tile_n) * row_bytes / MemoryCost::bytes_per_cycle / cycles_per_stage;
}

// The cycles that the memory takes to deliver A and B once.
inline double memory_cycles(const TileChoice& choice, const ProductShape& shape, double bytes_per_cycle,
                            unsigned multiprocessors) {
    using Cost = MemoryCost;
    const double of_a = double(shape.m) * (shape.n <= choice.tile.n ? Cost::read_once_factor : 1),
                 of_b = double(shape.n) * (shape.m <= choice.tile.m ? Cost::read_once_factor : 1);
    return (of_a + of_b) * double(shape.k) * choice.element_bytes / (bytes_per_cycle * multiprocessors);
}

// The bytes of A and B that several tiles read.
inline double shared_operand_bytes(const TileChoice& choice, const ProductShape& shape) {
    const double rows = shape.n > choice.tile.n ? double(shape.m) : 0,
                 columns = shape.m > choice.tile.m ? double(shape.n) : 0;
    return (rows + columns) * double(shape.k) * choice.element_bytes;
}

inline BlockWork longest_work(const TileChoice& choice, const ProductShape& shape, size_t products,
                              const DeviceModel& device) {
    const auto [m, n, k] = shape;
    const unsigned multiprocessors = device.multiprocessors;
    const double steps = choice.stages_along(k) / choice.split_k;
    if (choice.least_rows > 0) {
        const FittedTiles tiles = fitted_tiles(m, n, multiprocessors);
        if (!can_fit(tiles)) return {HUGE_VAL, 1, 1};
        return {steps * fitted_rows_per_block(tiles, m, n, multiprocessors) / choice.tile.m,
                double(divide_up(tiles.count(), multiprocessors)), 1};
    }
    const unsigned cluster = choice.split_k * choice.sharing_blocks();
    const StreamKCost sharing = choice.stream_k_cost.of(shared_operand_bytes(choice, shape), device.memory_speed);
    const size_t tiles = choice.sets_of_tiles(shape) * products;
    const StreamKSchedule schedule =
        stream_k_schedule(tiles, k, choice.tile.k, multiprocessors / choice.sharing_blocks(), sharing);
    const size_t blocks_at_once = device.blocks_at_once(cluster), blocks = size_t{schedule.whole} * cluster,
                 full_waves = divide_up(blocks, blocks_at_once);
    // In a batch, a single tile takes as long as all those that a multiprocessor works on at once.
    const double waves = double(choice.at_once > 1 ? std::max<size_t>(full_waves, choice.at_once) : full_waves);
    if (schedule.whole == tiles) {
        const size_t left = blocks % blocks_at_once;
        return {.stages = waves * steps,
                .stores = waves,
                .busy = std::min(1.0, double(blocks) / multiprocessors),
                .last_stages = left > 0 ? steps : 0,
                .last_part = left > 0 ? double(left) / double(blocks) : 0};
    }
    // (A share of more than a tile has several tiles' results.)
    const size_t shared = tiles - schedule.whole;
    const bool all = schedule.whole == 0;
    const double share_stages = stages_of_share(shared, schedule.steps, schedule.shares, sharing);
    return {.stages = waves * steps + share_stages,
            .stores = waves + double(divide_up(shared, schedule.shares)),
            .busy = 1,
            .last_stages = share_stages,
            .last_part = double(shared) / double(tiles),
            .sums = stages_of_sums(shared, schedule.shares, sharing),
            .exchanged = all && schedule.exchanged,
            .side_by_side = all && sharing.side_by_side && schedule.shares % shared == 0};
}

// The bytes that several tiles read, of the products of a batch that are computed at the same time.
inline double shared_bytes_at_once(const TileChoice& choice, const ProductShape& shape, size_t products,
                                   const DeviceModel& device) {
    const double tiles = double(divide_up(shape.m, choice.tile.m)) * double(divide_up(shape.n, choice.tile.n)),
                 blocks = double(device.multiprocessors) * choice.at_once;
    return std::min(double(products), blocks / tiles) * shared_operand_bytes(choice, shape);
}

// In a batch, blocks stay for many products: while the results of one are stored, the stages of the next are loaded;
// results are as much traffic as A and B. Where many products are computed at the same time, an H100 moved less (in
// batches of 14 shapes), an H200 did not, whose memory is faster; perhaps the L2 cache cannot hold them.
inline double cycles_of_batch(const TileChoice& choice, const ProductShape& shape, size_t products,
                              const DeviceModel& device, const BlockWork& work, double multiplying, double reading) {
    constexpr double storing_part = 0.5;  // of the fixed cycles: the rest is hidden
    const double results = double(shape.m) * double(shape.n) * double(products) * choice.element_bytes /
                           (MemoryCost::bytes_per_cycle * device.multiprocessors);
    const double computing = multiplying + work.stores * choice.fixed_cycles * storing_part,
                 slowness = std::max(0.0, 1 / device.memory_speed - 1),
                 crowding = MemoryCost::crowding * slowness * shared_bytes_at_once(choice, shape, products, device),
                 memory = (reading + results) / device.memory_speed * (1 + crowding);
    return std::max(computing, memory) + MemoryCost::visible_part * std::min(computing, memory);
}

// Only of one product: those of a batch have a B each.
inline double narrow_cycles_of(const TileChoice& choice, const ProductShape& shape, const ProductCost& cost,
                               unsigned multiprocessors) {
    return choice.stored.b ? 0 : narrow_cycles(cost.narrow_b, shape, choice.sets_of_tiles(shape), multiprocessors);
}

// A product of whose tiles a multiprocessor works on several at once: while some are stored, others are multiplied.
inline double cycles_of_groups(const TileChoice& choice, const ProductShape& shape, const ProductCost& cost,
                               const DeviceModel& device) {
    const GroupsCost& groups = cost.groups;
    const BlockWork all_busy{1, 1, 1};
    const size_t multiprocessors = device.multiprocessors, at_once = multiprocessors * choice.at_once,
                 tiles = choice.sets_of_tiles(shape), left = divide_up(tiles % at_once, multiprocessors);
    const double tiles_of_one = double(tiles / at_once) * choice.of_one.as_of_full(choice.at_once) +
                                choice.of_one.as_of_full(left),
                 stage = std::max(choice.cycles_per_stage * choice.of_one.slowness,
                                  loading_cycles(choice, shape, cost, all_busy) +
                                      narrow_cycles_of(choice, shape, cost, device.multiprocessors)),
                 rounds = double(divide_up(tiles, at_once)),
                 computing = tiles_of_one * choice.stages_along(shape.k) * stage + rounds * groups.round;
    const double operands = (double(shape.m) + double(shape.n)) * double(shape.k),
                 results = double(shape.m) * double(shape.n),
                 rate = stored_rate(shape, choice.stored.c, choice.element_bytes, groups.stored_bytes_per_cycle,
                                    cost.stored_pieces, groups.stored_elements),
                 moving = (operands / (groups.read_bytes_per_cycle * device.memory_speed) + results / rate) *
                          choice.element_bytes / double(multiprocessors);
    // Products of many steps in f64 may take longer if rows are not aligned: on an H100, 28 of them took 0.7 to 2.7
    // times the estimate, half of them more than 1.5; 69 with aligned rows took 0.9 to 1.24, those in f32 0.7 to 1.1.
    // On an H200, one of 1135 steps took twice the estimate.
    constexpr size_t many_steps = 1000, alignment = 16;
    constexpr double slower = 1.7;
    const auto is_whole = [&](size_t columns) { return columns * choice.element_bytes % alignment == 0; };
    const bool is_aligned = is_whole(shape.n) && is_whole(shape.k);
    const bool is_slower = choice.element_bytes == 8 && !is_aligned && shape.k > many_steps;
    return (groups.beginning + overlapped(computing, moving, groups.visible_part)) * (is_slower ? slower : 1);
}

// The estimated cycles of a choice: blocks run in waves of one per multiprocessor, and a wave takes as long as a tile
// or, if it is the last, as its shares. Meanwhile the memory has to deliver A and B once. Then blocks add the sums of
// shares.
inline double estimated_cycles(const TileChoice& choice, const ProductShape& shape, size_t products,
                               const ProductCost& cost, const DeviceModel& device) {
    if (choice.at_once > 1 && products == 1)
        return copying_cycles(shape, choice.stored, choice.element_bytes, cost, device) +
               cycles_of_groups(choice, shape, cost, device);
    const BlockWork work = longest_work(choice, shape, products, device);
    const unsigned multiprocessors = device.multiprocessors;
    const bool in_place = reads_row_sets(choice, shape, products);
    const double multiplying = choice.cycles_per_stage + (in_place ? choice.straightening : 0),
                 narrow = products > 1 ? 0 : narrow_cycles_of(choice, shape, cost, multiprocessors),
                 loading = narrow + (in_place ? loading_cycles_in_place(choice, work.busy)
                                              : loading_cycles(choice, shape, cost, work)),
                 visible = work.side_by_side && choice.element_bytes == 2 ? LoadingCost::visible_of_parts : 0,
                 stage = overlapped(multiplying, loading, visible), computing = work.stages * stage,
                 adding = work.sums * choice.cycles_per_stage;
    if (products > 1) {
        const double reading = memory_cycles(choice, shape, MemoryCost::bytes_per_cycle, multiprocessors);
        return cycles_of_batch(choice, shape, products, device, work, computing + adding, reading * double(products));
    }
    const double copying = in_place ? 0 : copying_cycles(shape, choice.stored, choice.element_bytes, cost, device);
    const double least = (in_place ? LoadingCost::least_in_place : 1) *
                         least_reading_cycles(shape, choice.element_bytes, device),
                 reading = std::max(least, memory_cycles(choice, shape, cost.bytes_per_cycle, multiprocessors)),
                 storing =
                     results_cycles(shape, choice.stored.c, std::max(2U, choice.element_bytes), cost, multiprocessors);
    // The last wave reads only its own part; sums are added after all is read.
    const double last = work.last_stages * stage, reading_last = reading * work.last_part,
                 moving = overlapped(computing - last, reading - reading_last, cost.visible_part) +
                          overlapped(last, reading_last, cost.visible_part);
    const double of_tiles = (work.stores - 1 + cost.tile_part) * choice.fixed_cycles +
                            double(choice.tile.m) * choice.tile.n * cost.per_result;
    const double straightening_begins = in_place && choice.straightening > 0 ? LoadingCost::straightening_begins : 0;
    return copying + straightening_begins + cost.beginning + (choice.split_k > 1 ? cost.cluster : 0) +
           (choice.sharing_blocks() > 1 ? cost.multicast : 0) +
           overlapped(moving + adding + of_tiles, storing, cost.visible_storing);
}

// Whether a choice can compute so many products at all, however slowly.
inline bool can_compute(const TileChoice& choice, const ProductShape& shape, const Transposes& stored, size_t products,
                        unsigned multiprocessors) {
    constexpr size_t tma_alignment = 16;
    if (choice.stored != stored) return false;
    if (products > 1 ? !choice.takes_batch : choice.only_batch) return false;
    if (choice.needs_aligned_rows && shape.n * choice.element_bytes % tma_alignment != 0) return false;
    return choice.least_rows == 0 || can_fit(fitted_tiles(shape.m, shape.n, multiprocessors));
}

// The choice that takes the fewest cycles; among equals, the one with fewer tiles, which reads less; then the first,
// which has the fewest rows.
template <typename Choices>
const TileChoice& best_choice(const Choices& choices, const ProductShape& shape, const Transposes& stored,
                              size_t products, const ProductCost& product_cost, const DeviceModel& device) {
    const auto cost = [&](const TileChoice& choice) {
        if (!can_compute(choice, shape, stored, products, device.multiprocessors))
            return std::pair(HUGE_VAL, size_t{0});
        return std::pair(estimated_cycles(choice, shape, products, product_cost, device),
                         divide_up(shape.m, choice.tile.m) * divide_up(shape.n, choice.tile.n));
    };
    const auto faster = [&](const TileChoice& one, const TileChoice& other) { return cost(one) < cost(other); };
    return *std::min_element(choices.begin(), choices.end(), faster);
}

}  // namespace BACKEND
