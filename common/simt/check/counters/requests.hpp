// SPDX-License-Identifier: MIT
// How memory serves the requests of a warp: shared memory through 32 banks, each of which holds every 32nd word of 4
// bytes; global memory in sectors of 32 aligned bytes, each moved once.
#pragma once

#include <cstdint>

namespace simt::check {

// ---- shared memory

struct Wavefronts {
    uint32_t wavefronts = 0;
    uint32_t ideal = 0;  ///< if the same words were spread evenly over the banks
};

/// Counts the wavefronts of one request. Each lane of the mask asks for `bytes` bytes at addresses[lane].
///
/// In one wavefront each bank serves one word, to any number of lanes. Words of up to 4 bytes are served to the whole
/// warp at once, 8 bytes to half of it, 16 bytes to a quarter: lanes of different phases never conflict. If both lanes
/// of every pair n and n^1, or of every pair n and n^2, load the same, a phase serves twice as many lanes; this does
/// not hold for stores. (Measured on a Hopper GPU; NVIDIA's developers have stated the rule of pairs for Volta and
/// Turing.)
///
/// Atomic operations of several lanes on the same word are serialized (CUDA's programming guide): a wavefront serves
/// one lane's operation in each bank, and no lanes share.
enum class SharedAccess { load, store, atomic };
Wavefronts wavefronts_of(const uintptr_t* addresses, uint32_t mask, uint32_t bytes, SharedAccess access);

// ---- global memory

struct MovedSectors {
    uint32_t sectors = 0;
    uint32_t distinct_bytes = 0;  ///< requested; bytes requested by several lanes count once
};

/// Counts the sectors of one request, whose lanes ask for `bytes` bytes each at these addresses, if they are moved in
/// lines of line_bytes, 32 or 128. Reorders the addresses.
MovedSectors moved_sectors(uintptr_t* addresses, unsigned lanes, uint32_t bytes, unsigned line_bytes = 32);

}  // namespace simt::check
