// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/sectors.hpp"

#include <algorithm>

namespace simt::check {

MovedSectors moved_sectors(uintptr_t* addresses, unsigned lanes, uint32_t bytes) {
    constexpr unsigned sector_bits = 5;
    // Nearly always the addresses rise with the lane.
    if (!std::is_sorted(addresses, addresses + lanes)) std::sort(addresses, addresses + lanes);
    MovedSectors moved;
    uintptr_t counted_end = 0;     // end of the bytes counted so far,
    uintptr_t counted_sector = 0;  // and of the sectors
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const uintptr_t begin = addresses[lane], end = begin + bytes;
        moved.distinct_bytes += static_cast<uint32_t>(end - std::clamp(counted_end, begin, end));
        counted_end = end;
        const uintptr_t first = std::max(begin >> sector_bits, counted_sector);
        const uintptr_t behind = ((end - 1) >> sector_bits) + 1;
        if (behind > first) {
            moved.sectors += static_cast<uint32_t>(behind - first);
            counted_sector = behind;
        }
    }
    return moved;
}

}  // namespace simt::check
