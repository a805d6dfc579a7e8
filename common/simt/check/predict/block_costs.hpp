// SPDX-License-Identifier: MIT
// What one block would cost a GPU: the instructions of its warps, what they ask of each level of memory, and how long
// its longest chain of dependent steps is.
//
// In come the steps of its warps, in the order in which they run here. A model of the L1 cache stands between them and
// the L2 cache. Out goes a BlockCost.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/counters/places.hpp"
#include "common/simt/check/predict/gpu_model.hpp"

namespace simt::check {

/// Counts are of warps; sectors have 32 bytes.
struct BlockCost {
    double integer = 0, single = 0, double_ = 0, special = 0;  ///< instructions that compute
    double loop_integer = 0;  ///< integer ones in turns of a loop after the first, most of which nvcc unrolls
    double accesses = 0, exchanges = 0, barriers = 0;  ///< instructions that do not
    double global_wavefronts = 0, shared_wavefronts = 0;
    double texels = 0;                                    ///< of lanes
    double missed_lines = 0;                              ///< requests of L2 for sectors of one line
    double asked_sectors = 0;                             ///< of L1, by loads
    double missed_sectors = 0;                            ///< of L2, by loads
    double stored_sectors = 0, atomic_sectors = 0;        ///< of L2
    double chain = 0;                                     ///< cycles, if every miss of L1 hits L2
    double waits_for_l2 = 0;                              ///< steps in which the chain waits for a miss
    double shared_bytes = 0;                              ///< of shared memory that it used
    std::vector<uint64_t> loaded, stored;                 ///< different sectors, in order
    std::vector<std::pair<uintptr_t, double>> contended;  ///< addresses with many atomic operations of warps

    BlockCost& operator+=(const BlockCost& more);  ///< apart from the sets
};

/// A cache of lines of 128 bytes that are filled by sectors: the least recently used line of a set makes room.
class CacheModel {
public:
    void clear(size_t bytes);
    /// Whether the sector was there; it is afterwards.
    bool holds(uint64_t sector);

private:
    static constexpr unsigned ways = 8;
    struct Line {
        uint64_t tag = ~uint64_t{0};
        uint32_t sectors = 0;
        uint32_t used = 0;
    };
    size_t set_of(uint64_t tag) const { return (tag * 0x9e3779b97f4a7c15u >> 40) % sets_ * ways; }

    std::vector<Line> lines_;
    size_t sets_ = 1;
    uint32_t now_ = 0;
};

class BlockCosts {
public:
    /// `l1_bytes`: what the block can have of the L1 cache.
    void begin(const GpuModel& model, unsigned lanes, size_t l1_bytes);
    /// These lanes of the warp do this together, each with operands[lane].
    void step(unsigned warp, EventPlace place, uint32_t lanes, const uintptr_t* operands);
    BlockCost take();

private:
    struct Warp {
        double clock = 0;    // cycles
        double arrives = 0;  // when its last load arrives
        double waits = 0;    // for misses
        bool misses = false;
        const void* block = nullptr;  // the basic block that it is in
        unsigned turn = 0;            // of a loop that is this block alone
        bool is_at_barrier = false;
        uint32_t running = ~0u;  // lanes that have not left
    };

    void entered(Warp& warp, const void* pc);
    void wait(Warp& warp);
    void load(Warp& warp, uint32_t lanes, const uintptr_t* addresses, uint32_t bytes, bool is_texture);
    void load_constant(Warp& warp, uint32_t lanes, const uintptr_t* addresses);
    void write(uint32_t lanes, const uintptr_t* addresses, uint32_t bytes);
    void update(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* addresses);
    void use_shared(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* addresses);
    void end_barrier();
    const WorkMark& work_at(const void* pc);

    const GpuModel* model_ = nullptr;
    CacheModel l1_;
    BlockCost cost_;
    std::vector<Warp> warps_;
    unsigned at_barrier_ = 0, ended_ = 0;
    uintptr_t shared_begin_ = 0, shared_end_ = 0;
    AddressCounts atomics_;
    std::unordered_map<const void*, WorkMark> works_;
};

}  // namespace simt::check
