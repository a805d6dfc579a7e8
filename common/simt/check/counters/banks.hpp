// How a request to shared memory is served: through 32 banks, each of which holds every 32nd word of 4 bytes.
#pragma once

#include <cstdint>

namespace simt::check {

struct Wavefronts {
    uint32_t wavefronts = 0;
    uint32_t ideal = 0;  // if the same words were spread evenly over the banks
};

// Of a request of the lanes of a mask, which ask for `bytes` bytes each; addresses[lane]: from where.
//
// In one wavefront each bank serves one word, to any number of lanes. Words of up to 4 bytes are served to the whole
// warp at once, 8 bytes to half of it, 16 bytes to a quarter: lanes of different phases are in no conflict. If in all
// pairs of lanes n and n^1, or in all pairs n and n^2, both lanes want the same, a phase serves twice as many lanes.
// (Measured on a Hopper GPU; the last rule is the one that NVIDIA's developers have given for Volta and Turing.)
Wavefronts wavefronts_of(const uintptr_t* addresses, uint32_t mask, uint32_t bytes);

}  // namespace simt::check
