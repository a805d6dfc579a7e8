// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/residency.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace simt::check {

namespace {

// What comes out of a play.
struct Played {
    double end_ns = 0;   // of the last block
    double busy_ns = 0;  // of all multiprocessors, while they have a block
    double warp_ns = 0;  // of all warps

    Played& operator+=(const Played& more) {
        end_ns += more.end_ns;
        busy_ns += more.busy_ns;
        warp_ns += more.warp_ns;
        return *this;
    }
};

// For how long a warp of a block that stays so long is there. The warps are served at equal intervals, the last one when
// the block ends.
double stay_of_warp(const Residency& of, const BlockStay& stay, double ns) {
    const double served = std::min(of.served_ns, ns);
    return stay.of_warps * (ns - served * (of.warps_per_block - 1) / (2 * of.warps_per_block));
}

Played play_blocks(const Residency& of, double blocks, double lengthened) {
    const auto multiprocessors = static_cast<size_t>(of.multiprocessors);
    std::vector<double> busy_until(multiprocessors, 0);
    // When each place is free, and which it is: at first, neighbors are on different multiprocessors.
    using Place = std::pair<double, size_t>;
    std::priority_queue<Place, std::vector<Place>, std::greater<>> places;
    const auto count = static_cast<size_t>(blocks);
    const size_t most = multiprocessors * static_cast<size_t>(of.blocks_per_multiprocessor);
    for (size_t place = 0; place < std::min(most, count); ++place) places.emplace(0, place);
    Played played;
    double next_start = 0;
    for (size_t block = 0; block < count; ++block) {
        const auto [free_at, place] = places.top();
        places.pop();
        const BlockStay& stay = of.stays[block % of.stays.size()];
        const double start = std::max(free_at, next_start), ns = stay.ns * lengthened, end = start + ns;
        next_start = start + of.start_ns;
        double& busy = busy_until[place % multiprocessors];
        played.busy_ns += std::max(0.0, end - std::max(start, busy));
        busy = std::max(busy, end);
        played.warp_ns += of.warps_per_block * stay_of_warp(of, stay, ns);
        played.end_ns = std::max(played.end_ns, end);
        places.emplace(end, place);
    }
    return played;
}

// In a large grid the rounds in the middle are like each other: a few stand for all.
Played play(const Residency& of, double lengthened) {
    constexpr double rounds = 4;
    const double round = of.multiprocessors * of.blocks_per_multiprocessor;
    const double all = of.blocks / round;
    if (all <= 3 * rounds) return play_blocks(of, of.blocks, lengthened);
    const double left_out = static_cast<double>(static_cast<size_t>(all - rounds) / static_cast<size_t>(rounds)) - 1;
    const double more = of.blocks - left_out * rounds * round;
    Played played = play_blocks(of, more, lengthened);
    const Played fewer = play_blocks(of, more - rounds * round, lengthened);
    played += {left_out * (played.end_ns - fewer.end_ns), left_out * (played.busy_ns - fewer.busy_ns),
               left_out * (played.warp_ns - fewer.warp_ns)};
    return played;
}

}  // namespace

double achieved_occupancy(const Residency& residency) {
    constexpr int corrections = 4;
    double lengthened = 1;
    Played played = play(residency, lengthened);
    // (Where starts decide, longer stays make hardly any difference: the correction is small then.)
    for (int i = 0; i < corrections && played.end_ns > 0; ++i) {
        lengthened *= residency.whole_ns / played.end_ns;
        played = play(residency, lengthened);
    }
    const double room = played.busy_ns * residency.warps_per_multiprocessor;
    return room > 0 ? std::min(1.0, played.warp_ns / room) : 0;
}

}  // namespace simt::check
