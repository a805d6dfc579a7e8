// SPDX-License-Identifier: MIT
// How global memory serves a request: in sectors of 32 aligned bytes, each moved once.
#pragma once

#include <cstdint>

namespace simt::check {

struct MovedSectors {
    uint32_t sectors = 0;
    uint32_t distinct_bytes = 0;  // requested; bytes requested by several lanes count once
};

// Counts the sectors of one request, whose lanes ask for `bytes` bytes each at these addresses. Reorders the addresses.
MovedSectors moved_sectors(uintptr_t* addresses, unsigned lanes, uint32_t bytes);

}  // namespace simt::check
