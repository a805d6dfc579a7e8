// SPDX-License-Identifier: MIT
#pragma once
// What Stream-K costs, and which tiles of a product are worth sharing. The constants were fitted on an H200 (132
// multiprocessors, CUDA 13) or, where they say so, on an H100; tests/measure/fit_matmul.bash measures them again, but
// for the slowdown of smaller tiles and more_of_exchange.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/hopper/stream_k.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Times, in units of one stage of the tile. If shares begin in the middle of tiles, blocks that run at the same time
/// are at different places along k and hit the L2 cache less often: each stage takes `slowdown` times as long. If the
/// cache cannot hold what several tiles read, so that the memory delivers a stage to every block, it takes `apart` times
/// as long, if that is more. Adding one block's sums takes `stages_per_sum`, waiting for other blocks
/// `stages_of_waiting`. If blocks exchange their sums, that takes `stages_of_exchange` in all; 0 if they cannot.
/// `side_by_side`: whether the kernel waits for the cache, so that equal shares are dealt as side_by_side() says.
struct StreamKCost {
    double slowdown = 1, stages_per_sum = 1, stages_of_waiting = 0;
    bool possible = true;
    double stages_of_exchange = 0;
    double apart = 1;
    bool side_by_side = false;

    static constexpr double cached_bytes = 30e6;

    /// The same cost for a product of whose A and B several tiles read so many bytes. memory_speed: of the device,
    /// compared with the one of which `apart` is known.
    constexpr StreamKCost of(double bytes, double memory_speed) const {
        StreamKCost cost = *this;
        if (bytes > cached_bytes && apart > slowdown * memory_speed) cost.slowdown = apart / memory_speed;
        return cost;
    }
};

/// For kernels without the code to share tiles.
constexpr StreamKCost no_stream_k = {1, 1, 0, false};

/// Tiles of 128 x 256 in f32, which are bound by the multiply-add units: no slowdown. (46 products on an H100.)
constexpr StreamKCost f32_stream_k = {1, 0.21, 0};

/// Tiles of 128 x 256 in 16-bit types and of 256 x 128 in tf32.
constexpr StreamKCost tensor_core_stream_k = {1.4, 2.3, 9};

/// Tiles of 128 x 128 in three products of tf32.
constexpr StreamKCost tf32x3_stream_k = {1.2, 3, 0};

/// Smaller tiles, whose sums blocks may exchange.
struct SmallTileSumsCost {
    static constexpr double cycles_of_waiting = 5000;
    static constexpr double cycles_per_sum = 250;     // for a tile of any size,
    static constexpr double elements_per_cycle = 12;  // plus those for its elements
    static constexpr double cycles_of_exchange = 5500, exchange_cycles_per_element = 0.2;  // on an H100
};

/// A stage of a tile in f32 on the multiply-add units, which do 128 per cycle: four elements of the tile times 32 steps
/// along k. Besides the multiply-adds, warps spend time waiting for one another.
struct F32StageCost {
    static constexpr double elements_per_cycle = 4;
    static constexpr double multiply_add_factor = 1.08;  // cycles over those at the peak
    static constexpr double cycles_per_stage = 650;      // for a tile of any size
    static constexpr double fixed_cycles = 7000;         // of a tile: filling the pipeline, storing the results

    static constexpr double cycles(double elements) {
        return multiply_add_factor * elements / elements_per_cycle + cycles_per_stage;
    }
};

/// The cost for tiles of `elements` elements of 4 bytes that take `stage_cycles` per stage. `more_of_exchange`: how
/// many cycles longer a type's kernels take to exchange sums than those of 16-bit types.
constexpr StreamKCost small_tile_stream_k(double elements, double stage_cycles, double slowdown = 1,
                                          double more_of_exchange = 0) {
    using Cost = SmallTileSumsCost;
    const double sum_cycles = Cost::cycles_per_sum + elements / Cost::elements_per_cycle,
                 exchange_cycles =
                     Cost::cycles_of_exchange + elements * Cost::exchange_cycles_per_element + more_of_exchange;
    return {slowdown, sum_cycles / stage_cycles, Cost::cycles_of_waiting / stage_cycles, true,
            exchange_cycles / stage_cycles};
}

/// Whether the blocks of so many shares exchange their sums. On an H100 that was faster from four shares a tile on, but
/// not for blocks that have parts of two tiles.
constexpr bool exchanges_sums(size_t tiles, size_t shares, const StreamKCost& cost) {
    return cost.stages_of_exchange > 0 && tiles > 0 && shares >= 4 * tiles && shares % tiles == 0;
}

/// The stages of a share if `tiles` tiles are cut into `shares` shares.
inline double stages_of_share(size_t tiles, size_t steps, size_t shares, const StreamKCost& cost) {
    const bool equal_parts = shares % tiles == 0;  // of each tile
    return double(divide_up(tiles * steps, shares)) * (equal_parts ? 1 : cost.slowdown);
}

/// How long blocks then take to add their sums, in stages.
inline double stages_of_sums(size_t tiles, size_t shares, const StreamKCost& cost) {
    if (exchanges_sums(tiles, shares, cost)) return cost.stages_of_exchange;
    return double(divide_up(shares, tiles)) * cost.stages_per_sum + cost.stages_of_waiting;
}

/// Tiles in whole waves of `blocks`. Those of the last, partial wave are shared if that is faster: among all blocks, or
/// each tile in the same number of equal parts. If sharing does not slow stages down, a whole wave may be shared
/// together with them: a few more tiles make its shares a little longer, whereas on their own they would be cut into
/// parts whose sums take long to add.
/// `forced_shares`: into how many shares the last wave is cut, whatever the cost; 0 leaves it to the model.
inline StreamKSchedule stream_k_schedule(size_t tiles, size_t k, unsigned tile_k, unsigned blocks,
                                         const StreamKCost& cost, size_t forced_shares = 0) {
    const size_t steps = divide_up(k, tile_k), left = tiles % blocks;
    size_t shared = 0, shares = 0;
    double fewest = double(steps);
    const auto consider = [&](size_t candidate_tiles, size_t candidate) {
        const size_t whole_waves = candidate_tiles / blocks;
        const double stages = stages_of_share(candidate_tiles, steps, candidate, cost) +
                              stages_of_sums(candidate_tiles, candidate, cost) - double(whole_waves * steps);
        if (stages >= fewest) return;
        fewest = stages;
        shared = candidate_tiles;
        shares = candidate;
    };
    if (cost.possible && left > 0 && (left + blocks) * steps < size_t{1} << 31) {  // device code counts in 32 bits
        if (forced_shares > 0) {
            if (forced_shares <= blocks && forced_shares >= left && forced_shares <= left * steps) {
                shared = left;
                shares = forced_shares;
            }
        } else {
            if (left * steps >= blocks) consider(left, blocks);  // else some shares would be empty
            for (size_t parts = 2; parts * left <= blocks && parts <= steps; ++parts) consider(left, parts * left);
            if (cost.slowdown <= 1 && tiles > blocks) consider(left + blocks, blocks);
        }
    }
    return {static_cast<unsigned>(tiles),
            static_cast<unsigned>(tiles - shared),
            static_cast<unsigned>(steps),
            static_cast<unsigned>(shares),
            0,
            exchanges_sums(shared, shares, cost)};
}

/// One block per multiprocessor, in whole clusters, and no more than there are tiles if none are shared.
inline unsigned stream_k_grid(const StreamKSchedule& schedule, unsigned multiprocessors) {
    const unsigned blocks = multiprocessors >> schedule.paired;
    return (schedule.shares == 0 && schedule.tiles < blocks ? schedule.tiles : blocks) << schedule.paired;
}

}  // namespace BACKEND
