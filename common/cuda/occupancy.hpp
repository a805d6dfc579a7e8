// SPDX-License-Identifier: MIT
// How many blocks of a kernel a multiprocessor holds at a time, and what keeps it from holding more: computed from the
// kernel's resources alone, for every compute capability from 1.0 on, and for multiprocessors that the user describes, without CUDA.
//
// Sources for how registers and shared memory are allocated: CUDA C++ Programming Guide and the toolkit's cuda_occupancy.h,
// which the tests compare with this; for capabilities before 7.0, NVIDIA's CUDA Occupancy Calculator (a spreadsheet of
// CUDA 10).
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "common/cuda/capabilities.hpp"

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr int default_carveout = -1;

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
