// SPDX-License-Identifier: MIT
// The textbook's formula for the sectors of a pattern, applied to every warp. Blocks that are alike are computed once.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "tools/texture/patterns.hpp"

namespace {

constexpr size_t sector_bytes = 32, lanes_per_warp = 32;

// The requests of the block whose first thread is (x, y).
SectorCount sectors_of_block(const Reads& reads, size_t stride, size_t element_bytes, size_t x, size_t y) {
    SectorCount count;
    const BlockShape block = reads.block;
    const size_t threads = size_t{block.x} * block.y;
    std::vector<Places> places(lanes_per_warp);
    std::vector<size_t> sectors;
    for (size_t warp = 0; warp < threads; warp += lanes_per_warp) {
        size_t rounds = 0;
        for (size_t lane = 0; lane < lanes_per_warp; ++lane) {
            places[lane].clear();
            const size_t thread_x = x + (warp + lane) % block.x, thread_y = y + (warp + lane) / block.x;
            if (warp + lane >= threads || thread_x >= reads.across() || thread_y >= reads.down()) continue;
            reads.pattern->places(reads, thread_x, thread_y, places[lane]);
            rounds = std::max(rounds, places[lane].size());
        }
        for (size_t round = 0; round < rounds; ++round) {
            sectors.clear();
            for (const Places& of_lane : places) {
                if (round >= of_lane.size()) continue;
                const std::optional<Place> place = reads.resolved(of_lane[round]);
                if (place)
                    sectors.push_back((size_t(place->y) * stride + size_t(place->x)) * element_bytes / sector_bytes);
            }
            if (sectors.empty()) continue;
            std::sort(sectors.begin(), sectors.end());
            count.requests += 1;
            count.sectors += double(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
        }
    }
    return count;
}

// The first threads of the blocks along an axis. Blocks are alike if their reads stay inside the matrix and begin at
// the same place in a sector: if they are a multiple of `period` apart.
struct Along {
    size_t first;
    double blocks;
};

std::vector<Along> kinds_of_blocks(size_t threads, size_t block, size_t margin, size_t period) {
    std::vector<Along> kinds;
    std::map<size_t, size_t> inside;  // by place in a period: the index of its kind
    for (size_t first = 0; first < threads; first += block) {
        const bool is_inside = first >= margin && first + block + margin <= threads;
        if (is_inside) {
            const auto [known, is_new] = inside.emplace(first % period, kinds.size());
            if (!is_new) {
                kinds[known->second].blocks += 1;
                continue;
            }
        }
        kinds.push_back({first, 1});
    }
    return kinds;
}

}  // namespace

SectorCount textbook_sectors(const Reads& reads, size_t stride, size_t element_bytes) {
    // A magnified matrix moves on by an element after `width` threads.
    const size_t period = sector_bytes / element_bytes * (reads.pattern->interpolates ? reads.width : 1);
    // No thread reads further beyond the edges than this. (A thread with neighbors to itself reads none beyond them,
    // but the last one of a row may read fewer.)
    const size_t margin = reads.width;
    SectorCount total;
    for (const Along& x : kinds_of_blocks(reads.across(), reads.block.x, margin, period)) {
        for (const Along& y : kinds_of_blocks(reads.down(), reads.block.y, margin, period)) {
            const SectorCount one = sectors_of_block(reads, stride, element_bytes, x.first, y.first);
            total.requests += x.blocks * y.blocks * one.requests;
            total.sectors += x.blocks * y.blocks * one.sectors;
        }
    }
    return total;
}
