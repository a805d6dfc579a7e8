// SPDX-License-Identifier: MIT
// How many blocks of a kernel a multiprocessor holds at a time, and what keeps it from holding more: computed from the
// kernel's resources alone, for every compute capability from 1.0 on, and for multiprocessors that the user describes, without CUDA.
//
// Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", for the limits; for how
// registers and shared memory are allocated, the same and the toolkit's cuda_occupancy.h, which the tests compare with
// this; for capabilities before 7.0, NVIDIA's CUDA Occupancy Calculator (a spreadsheet of CUDA 10).
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

// How registers are allocated.
struct RegisterRules {
    std::size_t granularity = 256;  // of a warp's registers, or of a block's:
    bool are_of_block = false;      // the block's warps are rounded up to a multiple of `partitions` then
    unsigned partitions = 4;        // each with its share of the registers; a warp's are in one of them
    unsigned most_per_thread = 255;
    std::size_t most_per_block = 65536;
};

// What the multiprocessors of one compute capability have for blocks to share. Warps have 32 lanes.
struct MultiprocessorLimits {
    int compute_capability;            // 90 for 9.0; 0: it is the user's own
    unsigned threads, blocks;          // resident at a time
    std::vector<unsigned> shared_kib;  // how much of the L1 cache can be shared memory, the most last
    std::size_t registers = 65536;
    RegisterRules register_rules = {};
    unsigned most_threads_per_block = 1024;

    std::size_t shared_bytes() const { return std::size_t{shared_kib.back()} * 1024; }
    // The system reserves some of each block's shared memory; the rest is the most that a block can opt in to.
    std::size_t reserved_shared_bytes() const { return compute_capability >= 80 ? 1024 : 0; }
    std::size_t most_shared_bytes() const;
    std::size_t shared_granularity() const;
    unsigned warps() const { return threads / 32; }
    std::string name() const;  // "9.0", "own"
};

// By capability.
const std::vector<MultiprocessorLimits>& multiprocessor_limits();

// Null if it is not in the table.
const MultiprocessorLimits* limits_of(int compute_capability);

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr int default_carveout = -1;
// Shared memory of a block, static and dynamic together, that needs no opt-in: CUDA checks only larger amounts.
constexpr std::size_t shared_bytes_without_asking = 48 * 1024;

// What a launch asks for.
struct BlockResources {
    unsigned threads = 0, registers = 0;  // registers per thread; 0: none
    std::size_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
    std::size_t most_dynamic_shared_bytes = no_limit;  // that the kernel has opted in to
    // Percent of the largest shared memory that the kernel prefers over L1 cache. It gets more if a block needs more.
    int carveout_percent = default_carveout;
};

struct Occupancy {
    // Blocks that each resource has room for: no_limit if none is used, 0 if a single block is too large.
    std::size_t by_threads = 0, by_blocks = 0, by_registers = 0, by_shared_memory = 0;
    std::size_t allocated_registers = 0, allocated_shared_bytes = 0;  // of a block, rounded as the hardware does
    unsigned warps_per_block = 0, most_warps = 0;

    std::size_t blocks() const;
    std::size_t warps() const { return blocks() * warps_per_block; }
    double percent() const { return 100.0 * static_cast<double>(warps()) / most_warps; }
    // "threads", "blocks", "registers" or "shared-memory"; with a + between them where several limit at once.
    std::string limiter() const;
};

Occupancy occupancy_of(const MultiprocessorLimits& limits, const BlockResources& resources);
