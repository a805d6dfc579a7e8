// How a request to global memory is served: in sectors of 32 aligned bytes, each moved once.
#pragma once

#include <cstdint>

namespace simt::check {

struct MovedSectors {
    uint32_t sectors = 0;
    uint32_t distinct_bytes = 0;  // asked for, what several lanes ask for counted once
};

// Of the lanes of one request, which ask for `bytes` bytes each from these addresses. Reorders the addresses.
MovedSectors moved_sectors(uintptr_t* addresses, unsigned lanes, uint32_t bytes);

}  // namespace simt::check
