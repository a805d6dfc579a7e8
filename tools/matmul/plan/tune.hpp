// SPDX-License-Identifier: MIT
// The model proposes, the device decides: times a few candidates in turns and says which is the fastest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/measure/statistics.hpp"

// How many of the best estimates are timed.
constexpr std::size_t most_tuned = 8;

struct Tuned {
    std::size_t fastest = 0;
    double ns = 0;  // its median
    std::size_t tried = 0;
};

// `time(i)` launches candidate i once and returns its time in ns. All candidates take turns, so that a change of the
// device's clock meets all of them; those that are clearly slower drop out early, and the rest end when their order is
// known, or they have run for `most_ns` together. The first launch of each, which may load code, does not count.
template <typename Time>
Tuned find_fastest(std::size_t candidates, Time time, double most_ns = 3e8) {
    struct Round {
        std::size_t at_least;  // samples of each candidate
        double most;           // times the best median, for a candidate to stay
    };
    constexpr Round rounds[] = {{1, 1.6}, {2, 1.2}, {3, 1.1}, {5, 1.04}, {9, 1.015}, {15, 1}};
    std::vector<std::vector<double>> samples(candidates);
    std::vector<std::size_t> left(candidates);
    for (std::size_t i = 0; i < candidates; ++i) left[i] = i, time(i);
    Tuned best;
    double spent_ns = 0;
    for (const auto& [at_least, most] : rounds) {
        while (samples[left.front()].size() < at_least)
            for (const std::size_t i : left) {
                samples[i].push_back(time(i));
                spent_ns += samples[i].back();
            }
        best.ns = 0;
        for (const std::size_t i : left) {
            const double ns = summarize(samples[i]).median;
            if (best.ns == 0 || ns < best.ns) best = {i, ns, candidates};
        }
        const auto is_slow = [&, limit = most * best.ns](std::size_t i) {
            return summarize(samples[i]).median > limit;
        };
        left.erase(std::remove_if(left.begin(), left.end(), is_slow), left.end());
        if (left.size() == 1 || spent_ns > most_ns) break;
    }
    return best;
}
