// SPDX-License-Identifier: MIT
#include "tools/matadd/sectors.hpp"

#include <algorithm>
#include <set>
#include <utility>

static constexpr unsigned lanes_per_warp = 32, sector_bytes = 32;

RequestTraffic traffic_of(const BlockShape& block, Mapping mapping, std::size_t word_bytes, unsigned line_bytes) {
    const unsigned threads = block.x * block.y;
    std::size_t requests = 0, lines = 0;
    // A block may begin anywhere in a line; after this many adjacent blocks the positions repeat.
    const unsigned blocks = static_cast<unsigned>(line_bytes / word_bytes);
    for (unsigned number = 0; number < blocks; ++number) {
        for (unsigned first = 0; first < threads; first += lanes_per_warp, ++requests) {
            std::set<std::pair<std::size_t, std::size_t>> touched;  // row, line of it
            for (unsigned thread = first; thread < std::min(first + lanes_per_warp, threads); ++thread) {
                const std::size_t x = thread % block.x, y = thread / block.x;
                const bool along_rows = mapping == Mapping::row_major;
                const std::size_t column = along_rows ? number * block.x + x : number * block.y + y;
                touched.emplace(along_rows ? y : x, column * word_bytes / line_bytes);
            }
            lines += touched.size();
        }
    }
    const double asked = static_cast<double>(blocks) * threads * static_cast<double>(word_bytes);
    const std::size_t sectors = lines * (line_bytes / sector_bytes);
    return {static_cast<double>(sectors) / static_cast<double>(requests),
            asked / (static_cast<double>(sectors) * sector_bytes)};
}
