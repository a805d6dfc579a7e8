// SPDX-License-Identifier: MIT
// What a whole launch would cost a GPU, from the blocks that stand for it, and how long that would take.
//
// The room predicts times. Each sampled block is costed by itself (sample.hpp, block_costs.hpp); here the costs become
// those of the grid and, with the figures of a GPU (gpu_model.hpp), a time and what limits it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "common/simt/check/predict/block_costs.hpp"
#include "common/simt/check/predict/sample.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt::check {

/// What can limit a kernel: shared is L1 where most of its work is for shared memory.
enum class Limiter { dram, l2, l1, issue, unit, atomics, latency, launch, shared };
const char* name_of(Limiter limiter);

/// What a place in the kernel adds to the time of a launch.
struct PlaceTime {
    EventPlace place;
    uintptr_t file = 0;  ///< the file's name, where lanes wait
    double ns = 0;
};

/// What a launch asks of the GPU, and how long each part would take by itself, in nanoseconds.
struct LaunchPrediction {
    double blocks = 0, threads_per_block = 0, shared_bytes = 0;  ///< shared memory per block
    double resident_blocks = 0;                                  ///< per multiprocessor
    double achieved_occupancy_percent = 0;                       ///< of the warps that a multiprocessor has room for
    double instructions = 0, special = 0, wavefronts = 0;        ///< of warps
    double asked_bytes = 0, l2_bytes = 0, dram_bytes = 0;        ///< bytes that L1, L2 and DRAM move
    double hot_operations = 0;                                   ///< atomic, on the address that has the most
    double dram_cycles = 0;                  ///< what a load that misses L1 waits for DRAM, on average, after L2
    double parts_ns[8] = {};                 ///< by Limiter, without shared
    double ns = 0, low_ns = 0, high_ns = 0;  ///< the whole launch, and an interval of 80 %
    Limiter limiter = Limiter::launch;
    std::vector<PlaceTime> places;  ///< if wanted; together less than the whole: starts have no place
};

/// Adds what the first launch after a pause takes longer than one that follows another.
void add_first_launch(const GpuModel& model, double& ns, double& low_ns, double& high_ns);

/// Collects the blocks of one launch.
class LaunchCosts {
public:
    LaunchCosts(const GpuModel& model, const Extent& grid, const Extent& block, size_t dynamic_shared_bytes);

    const BlockSample& sample() const { return sample_; }
    const GpuModel& model() const { return model_; }
    /// What a block can have of its multiprocessor's L1 cache.
    size_t l1_bytes_of_block() const;
    void add(uint64_t block, BlockCost&& cost);
    /// A lane polls what others change, or launches a kernel: the time is not that of the block's own steps.
    void give_up() { is_known_ = false; }
    bool is_known() const { return is_known_; }
    /// A launch in a graph can run again.
    void clear();
    /// All blocks have ended.
    LaunchPrediction predict() const;

private:
    struct Footprint {
        double whole = 0;    // different sectors of the whole grid,
        double touched = 0;  // the same if blocks that are far apart shared none,
        double wave = 0;     // and of the blocks that are resident together
    };
    using Costs = std::vector<std::pair<uint64_t, BlockCost>>;  // by block
    // What all places of the kernel decide together.
    struct Whole {
        double shared_bytes = 0;
        Footprint loaded, stored;
        uintptr_t hottest = 0;  // the address with the most atomic operations
        size_t unit = 0;        // that takes longest
    };
    double resident_blocks(double shared_bytes) const;
    Footprint footprint(const Costs& costs, std::vector<uint64_t> BlockCost::*sectors, double resident) const;
    Whole whole() const;
    LaunchPrediction predict(const Costs& costs, const Whole& all) const;
    double achieved_occupancy(const LaunchPrediction& of) const;
    void add_places(LaunchPrediction& result, const Whole& all) const;

    const GpuModel& model_;
    const Extent grid_, block_;
    const size_t dynamic_shared_bytes_;
    const BlockSample sample_;
    std::atomic<bool> is_known_{true};
    mutable std::mutex mutex_;
    Costs costs_;
};

}  // namespace simt::check
