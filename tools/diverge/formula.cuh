// SPDX-License-Identifier: MIT
// The textbook cost of divergence: a warp takes one path after another, each with only the lanes that follow it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "kernels/diverge.cuh"

namespace BACKEND {

enum class DivergeShape { branch, two_ifs, nested, cases, loops, exit, handshake, lock };

// Two sides of --operations each.
constexpr bool has_long_sides(DivergeShape shape) {
    return shape == DivergeShape::branch || shape == DivergeShape::two_ifs;
}

// What decides which paths the threads of a row's kernel take.
struct DivergeWork {
    DivergeShape shape;
    DivergePlaces places;
    unsigned operations;  // of a body
    unsigned paths;       // that threads can take
    unsigned distance;    // of two threads that wait for each other
    unsigned rounds;
};

struct DivergeCount {
    size_t branches = 0, divergent_branches = 0;
    size_t warp_operations = 0;  // of bodies, each for all active lanes of a warp
    size_t lane_operations = 0;

    double branch_efficiency() const { return double(branches - divergent_branches) / double(branches); }
    double active_lanes() const { return double(lane_operations) / double(warp_operations); }

    DivergeCount& operator+=(const DivergeCount& more) {
        branches += more.branches;
        divergent_branches += more.divergent_branches;
        warp_operations += more.warp_operations;
        lane_operations += more.lane_operations;
        return *this;
    }
    DivergeCount operator*(size_t times) const {
        return {branches * times, divergent_branches * times, warp_operations * times, lane_operations * times};
    }
};

// Counts the steps of one warp.
class DivergeWarp {
public:
    explicit DivergeWarp(const DivergeWork& work) : work_(work) {}

    // `places`: of those of its `lanes` lanes that have a word.
    DivergeCount run(const std::vector<unsigned>& places, size_t lanes) {
        count_ = {};
        branch(!places.empty() && places.size() < lanes);  // is there a word?
        if (places.empty()) return count_;
        std::vector<unsigned> active = places;
        if (work_.shape == DivergeShape::exit) {
            const auto leaves = [&](unsigned place) { return work_.places.side_of(place, 0) != 0; };
            active.erase(std::remove_if(active.begin(), active.end(), leaves), active.end());
            branch(!active.empty() && active.size() < places.size());
            if (active.empty()) return count_;
        }
        for (unsigned round = 0; round < work_.rounds; ++round) take_round(active, round);
        count_.branches += work_.rounds + 1;  // is there another round?
        return count_;
    }

private:
    void branch(bool diverges) {
        ++count_.branches;
        count_.divergent_branches += diverges;
    }
    void body(size_t lanes) {
        count_.warp_operations += work_.operations;
        count_.lane_operations += work_.operations * lanes;
    }

    void take_round(const std::vector<unsigned>& places, unsigned round) {
        std::vector<unsigned> paths;
        for (unsigned place : places)
            paths.push_back(has_long_sides(work_.shape) ? work_.places.side_of(place, round)
                                                        : work_.places.path_of(place, round, work_.paths));
        switch (work_.shape) {
            case DivergeShape::branch:
            case DivergeShape::nested: return part(paths, work_.paths / 2);
            case DivergeShape::two_ifs: return take_two_ifs(paths);
            case DivergeShape::cases: return take_cases(paths);
            case DivergeShape::loops: return take_loops(paths);
            default: return body(places.size());
        }
    }

    // A branch on this bit of the path, and those below it.
    void part(const std::vector<unsigned>& paths, unsigned bit) {
        if (paths.empty()) return;
        if (bit == 0) return body(paths.size());
        std::vector<unsigned> sides[2];
        for (unsigned path : paths) sides[(path & bit) != 0].push_back(path);
        branch(!sides[0].empty() && !sides[1].empty());
        for (const std::vector<unsigned>& side : sides) part(side, bit / 2);
    }

    // Those of side 1 enter the first body, the others the second: the warp parts at both ifs or at none.
    void take_two_ifs(const std::vector<unsigned>& sides) {
        const auto of_side_1 = size_t(std::count(sides.begin(), sides.end(), 1U));
        for (size_t entering : {of_side_1, sides.size() - of_side_1}) {
            branch(entering > 0 && entering < sides.size());
            if (entering > 0) body(entering);
        }
    }

    void take_cases(const std::vector<unsigned>& paths) {
        const std::set<unsigned> different(paths.begin(), paths.end());
        branch(different.size() > 1);
        for (unsigned path : different) body(size_t(std::count(paths.begin(), paths.end(), path)));
    }

    // Path p goes through the body p + 1 times. Lanes may leave after each.
    void take_loops(const std::vector<unsigned>& paths) {
        size_t inside = paths.size();
        for (unsigned path = 0; inside > 0; ++path) {
            body(inside);
            const auto leaving = size_t(std::count(paths.begin(), paths.end(), path));
            branch(leaving > 0 && leaving < inside);
            inside -= leaving;
        }
    }

    const DivergeWork& work_;
    DivergeCount count_;
};

// The counts of all blocks of a launch. Only the last block can differ from the others.
inline DivergeCount diverge_count(const DivergeWork& work, size_t n, unsigned block_size) {
    const auto of_block = [&](size_t words) {
        DivergeCount count;
        DivergeWarp warp(work);
        for (unsigned first = 0; first < block_size; first += lanes_per_warp) {
            const unsigned last = std::min(first + lanes_per_warp, block_size);
            std::vector<unsigned> places;
            for (unsigned thread = first; thread < last; ++thread) {
                const unsigned place = work.places.word_of(thread, block_size);
                if (place < words) places.push_back(place);
            }
            count += warp.run(places, last - first);
        }
        return count;
    };
    DivergeCount count = of_block(block_size) * (n / block_size);
    if (n == 0 || n % block_size != 0) count += of_block(n % block_size);
    return count;
}

}  // namespace BACKEND
