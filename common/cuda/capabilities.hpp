// SPDX-License-Identifier: MIT
// The compute capabilities, from 1.0 on: what a multiprocessor has room for, which architecture it belongs to, and what
// came with it. The one place for such facts, apart from rates (throughput.hpp).
//
// Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Feature Support per Compute
// Capability", of versions 4.2 (for 1.0 to 3.0), 9.0, 12.6 and 13.0; developer.nvidia.com/cuda-gpus and
// cuda-legacy-gpus for the GPUs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

// Shared memory of a block, static and dynamic together, that needs no opt-in: CUDA checks only larger amounts.
constexpr std::size_t shared_bytes_without_asking = 48 * 1024;

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
    std::size_t most_registers_per_block() const { return std::min(registers, register_rules.most_per_block); }
    std::size_t shared_granularity() const;
    unsigned warps() const { return threads / 32; }
    std::string name() const;  // "9.0", "own"
};

// What is known of a compute capability.
struct Capability {
    const char* architecture;  // "Hopper"
    const char* gpu;           // one that has it; none if no product's is known
    // What came with it, in the words of CUDA; the same in the whole architecture if another capability of it came first.
    const char* introduced;
    MultiprocessorLimits limits;
};

// By capability.
const std::vector<Capability>& capabilities();

// Null if it is not in the table.
const Capability* capability_of(int compute_capability);
const MultiprocessorLimits* limits_of(int compute_capability);

// What the architecture of this capability has introduced up to it, separated by semicolons; "" if it is unknown.
std::string features_of_architecture(int compute_capability);
