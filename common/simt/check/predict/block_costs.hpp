// SPDX-License-Identifier: MIT
// What one block would cost a GPU: the instructions of its warps, what they ask of each level of memory, and how long
// its longest chain of dependent steps is.
//
// In come the steps of its warps, in the order in which they run here. A model of the L1 cache stands between them and
// the L2 cache. Out goes a BlockCost, and another one for each place in the kernel, if they are wanted.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/counters/places.hpp"
#include "common/simt/check/predict/gpu_model.hpp"

namespace simt::check {

struct PlaceCost;

/// Counts are of warps; sectors have 32 bytes.
struct BlockCost {
    double integer = 0, single = 0, double_ = 0, special = 0;  ///< instructions that compute
    double turns = 0;                                          ///< of small loops, after the first
    double loop_integer = 0;  ///< integer ones in turns of a loop after the first, most of which nvcc unrolls
    double accesses = 0, exchanges = 0, barriers = 0;  ///< instructions that do not
    double global_wavefronts = 0, shared_wavefronts = 0;
    double partial_sectors = 0;  ///< stored in part
    double missed_pairs = 0;     ///< missed pieces of 64 bytes, of which DRAM gives no less
    double texture_cycles = 0;
    double asked_sectors = 0;                             ///< of L1, by loads
    double missed_sectors = 0;                            ///< of L2, by loads
    double stored_sectors = 0, atomic_sectors = 0;        ///< of L2
    double chain = 0;                                     ///< cycles, if every miss of L1 hits L2
    double waits_for_l2 = 0;                              ///< steps in which the chain waits for a miss
    double of_warps = 1;                                  ///< of the chain, how much a warp is there for, on average
    double shared_bytes = 0;                              ///< of shared memory that it used
    std::vector<uint64_t> loaded, stored;                 ///< different sectors, in order
    std::vector<std::pair<uintptr_t, double>> contended;  ///< addresses with many atomic operations of warps
    std::vector<PlaceCost> places;                        ///< what it is the sum of, if that is wanted

    BlockCost& operator+=(const BlockCost& more);  ///< apart from the sets
};

/// A place's own part, as if the block did nothing else; of the chain, what the place adds to it.
struct PlaceCost {
    EventPlace place;
    uintptr_t file = 0;  ///< the file's name, where lanes wait
    BlockCost cost;
};

/// The L1 cache of a block whose warps run side by side, although here they run one after the other. A warp has come as
/// far as it has touched lines; a sector is there if one of them was that far not long ago, so that all of them together
/// have not filled the cache since, or if all lines of the block fit.
class CacheModel {
public:
    static constexpr unsigned line_bytes = 128, sectors_of_line = 4;

    /// `warps` share `bytes`.
    void clear(size_t bytes, unsigned warps);
    /// Whether the sector is there for a warp that has come this far; it is afterwards.
    bool holds(uint64_t sector, uint32_t progress);

private:
    size_t capacity_ = 0;  // lines
    double window_ = 0;    // how far apart two warps may be
    std::unordered_map<uint64_t, std::array<uint32_t, sectors_of_line>>
        lines_;  // how far the last one had come, plus 1
};

class BlockCosts {
public:
    /// `l1_bytes`: what the block can have of the L1 cache. `by_place`: whether the cost of each place is wanted.
    void begin(const GpuModel& model, unsigned lanes, size_t l1_bytes, bool by_place);
    /// These lanes of the warp do this together, each with operands[lane].
    void step(unsigned warp, EventPlace place, uint32_t lanes, const uintptr_t* operands);
    BlockCost take();

private:
    // Of the chain.
    struct Spent {
        double cycles = 0, waits = 0;
    };
    struct Place {
        PlaceCost of;
        AddressCounts atomics;
        double shared_updates = 0;
        Spent spent;
    };
    struct Copy {
        double started = 0;
        unsigned place = 0;
    };
    struct Warp {
        double clock = 0;         // cycles
        double arrives = 0;       // when its last load arrives,
        unsigned arrives_at = 0;  // whose place this is
        double waits = 0;         // for misses
        bool misses = false;
        std::array<const void*, 16> path = {};  // the basic blocks that it was in, the last one at position `at`
        unsigned at = 0;
        const void* loop = nullptr;          // the first block of the loop that it is in
        unsigned turn = 0;                   // of that loop
        uint32_t progress = 0;               // lines that it has touched
        std::array<uint64_t, 4> lines = {};  // the last ones
        bool is_at_barrier = false;
        std::unordered_map<uintptr_t, Copy> copies;  // the asynchronous ones under way, by target
        bool makes_copy = false;                     // which was under way while the warp did other things
        uint32_t running = ~0u;                      // lanes that have not left
        std::vector<Spent> spent;                    // since the last barrier of the block, by place
    };

    unsigned number_of(EventPlace place, uint32_t lanes, const uintptr_t* operands);
    void count(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* operands);
    void spend(Warp& warp, unsigned place, Spent spent);
    void expect(Warp& warp, double cycles);
    void keep_chain_of(const Warp& warp);
    void add_places(double shared_updates);
    void entered(Warp& warp, const void* pc);
    bool goes_round(Warp& warp, const void* pc);
    static void touch(Warp& warp, uint64_t line);
    void wait(Warp& warp);
    void load(Warp& warp, uint32_t lanes, const uintptr_t* addresses, uint32_t bytes, bool is_texture);
    void take_copy(Warp& warp, uintptr_t target);
    void load_constant(Warp& warp, uint32_t lanes, const uintptr_t* addresses);
    void write(uint32_t lanes, const uintptr_t* addresses, uint32_t bytes);
    void update(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* addresses);
    void use_shared(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* addresses);
    void end_barrier();
    const WorkMark& work_at(const void* pc);

    const GpuModel* model_ = nullptr;
    CacheModel l1_;
    BlockCost total_;
    BlockCost* cost_ = &total_;  // of the place, if costs are by place
    bool is_by_place_ = false;
    unsigned at_ = 0, barrier_ = 0;  // the numbers of the place, and of that of the last barrier
    std::deque<Place> places_;       // by number
    std::unordered_map<uint64_t, unsigned> numbers_;
    std::vector<Warp> warps_;
    unsigned at_barrier_ = 0, ended_ = 0;
    uintptr_t shared_begin_ = 0, shared_end_ = 0;
    AddressCounts atomics_, shared_updates_;
    std::unordered_map<const void*, WorkMark> works_;
};

}  // namespace simt::check
