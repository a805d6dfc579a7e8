// SPDX-License-Identifier: MIT
// What latency's chases and curves promise: a cycle visits every place once, and all plateaus are found. Prints each
// broken promise and exits 1; tests/latency.bats compiles and runs it.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <set>
#include <vector>

#include "common/measure/random.hpp"
#include "tools/latency/cycle.hpp"
#include "tools/latency/plateau.hpp"

static int broken = 0;

static void promise(bool kept, const char* what, double about = 0) {
    if (!kept) std::printf("broken: %s (%g)\n", what, about), ++broken;
}

static void cycles_visit_every_place() {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t n = 0; n <= 600; ++n) sizes.push_back(n);
    for (std::uint64_t n : {1024, 1280, 1536, 1792, 4096, 5120, 7919, 65536, 65537, 98304, 99999, 1 << 20})
        sizes.push_back(n);
    for (std::uint64_t n : sizes) {
        const FullCycle cycle(n);
        std::vector<bool> visited(cycle.n);
        std::uint64_t place = 0;
        for (std::uint64_t i = 0; i < cycle.n; ++i) {
            promise(!visited[place], "no place is visited twice", double(n));
            if (visited[place]) break;
            visited[place] = true;
            place = cycle.next(place);
        }
        promise(place == 0, "after all places comes the first", double(n));
        promise(cycle.after(0, 3 * cycle.n + 1) == cycle.next(0), "after() takes so many steps", double(n));
    }
    // Too many places to visit: checks the conditions for a full period, and that nothing overflows.
    for (std::uint64_t n :
         {(1ull << 34) - 1, 1ull << 34, 1ull << 29, (1ull << 27) * 7, 600'000'000ull, 4'294'967'291ull}) {
        const FullCycle cycle(n);
        std::uint64_t rest = n, last = 0;
        promise(std::gcd(cycle.c, n) == 1, "the summand has no factor of n", double(n));
        for (std::uint64_t factor = 2; factor * factor <= rest; ++factor)
            for (; rest % factor == 0; rest /= factor)
                if (factor != last)
                    promise((cycle.a - 1) % factor == 0, "a - 1 has every factor of n", double(factor)), last = factor;
        promise(n % 4 != 0 || (cycle.a - 1) % 4 == 0, "and 4, if n has it", double(n));
        std::uint64_t highest;
        promise(
            !__builtin_mul_overflow(cycle.a, n - 1, &highest) && !__builtin_add_overflow(highest, cycle.c, &highest),
            "no step overflows", double(n));
    }
}

// Steps jump far: in a large set few steps stay in the neighborhood.
static void cycles_jump() {
    const FullCycle cycle(1 << 20);
    std::uint64_t place = 0;
    int near = 0;
    std::set<std::uint64_t> distances;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t next = cycle.next(place);
        const std::uint64_t distance = next > place ? next - place : place - next;
        near += distance < cycle.n / 100;
        distances.insert(distance);
        place = next;
    }
    promise(near < 500, "few steps are short", near);
    promise(distances.size() > 5'000, "steps are of many lengths", double(distances.size()));
}

struct Level {
    double up_to, cycles;
};

// Four points per octave from 1 KiB, with a slope of a quarter octave between levels.
static LatencyCurve curve_of(const std::vector<Level>& levels, double noise) {
    LatencyCurve curve;
    std::size_t level = 0;
    for (double octave = 1024; octave <= levels.back().up_to; octave *= 2)
        for (double quarter : {1.0, 1.25, 1.5, 1.75}) {
            const double bytes = octave * quarter;
            if (bytes > levels.back().up_to) break;
            while (bytes > levels[level].up_to) ++level;
            double cycles = levels[level].cycles;
            // On the slope, the latency is the mean of both levels'.
            if (level > 0 && bytes < 1.25 * levels[level - 1].up_to) cycles = (cycles + levels[level - 1].cycles) / 2;
            const double jitter = double(random_bits(1, curve.size()) >> 11) * 0x1p-53 * 2 - 1;
            curve.push_back({bytes, cycles * (1 + noise * jitter), 0});
        }
    return curve;
}

// The published curve of an H200, with two assumed TLB levels.
static void published_levels_are_found() {
    const std::vector<Level> levels = {{201 * 1024.0, 34},
                                       {24.0 * (1 << 20), 223},
                                       {52.0 * (1 << 20), 283},
                                       {4.0 * (1ull << 30), 640},
                                       {66.0 * (1ull << 30), 830}};
    for (double noise : {0.0, 0.005, 0.015}) {
        const LatencyCurve curve = curve_of(levels, noise);
        const std::vector<Plateau> plateaus = find_plateaus(curve);
        promise(plateaus.size() == levels.size(), "as many plateaus as levels", double(plateaus.size()));
        for (std::size_t i = 0; i < plateaus.size() && i < levels.size(); ++i) {
            const double median = plateau_median(curve, plateaus[i], &CurvePoint::cycles);
            promise(std::fabs(median - levels[i].cycles) <= (0.001 + noise) * levels[i].cycles, "a level's cycles",
                    median);
            const double last = curve[plateaus[i].end - 1].bytes;
            promise(last <= levels[i].up_to && last * 1.25 * 1.25 > levels[i].up_to, "a level's end", last);
        }
    }
}

static void slopes_are_no_plateaus() {
    LatencyCurve slope;
    for (int i = 0; i < 40; ++i) slope.push_back({1024.0 * (1 + i), 30.0 * std::pow(1.05, i), 0});
    promise(find_plateaus(slope).empty(), "a slope has no plateau", double(find_plateaus(slope).size()));
    promise(find_plateaus({}).empty() && find_plateaus({{1024, 34, 0}}).empty(), "nor have fewer than three points");
    // Many points of nearly the same size are no plateau, since they say nothing about larger sets.
    promise(find_plateaus({{1024, 34, 0}, {1032, 34, 0}, {1040, 34, 0}, {1048, 34, 0}}).empty(), "nor has one size");
    const LatencyCurve flat = {{1024, 34, 0}, {2048, 34, 0}, {4096, 34, 0}};
    promise(find_plateaus(flat).size() == 1 && find_plateaus(flat)[0].size() == 3, "three flat points have one");
}

static void parts_are_told_apart() {
    std::vector<double> lines;
    for (int i = 0; i < 2000; ++i)
        lines.push_back((random_bits(2, i) % 2 ? 223 : 283) + double(random_bits(3, i) % 7) - 3);
    lines.push_back(5000);  // an interrupted measurement
    const TwoLevels levels = split_in_two(lines);
    promise(std::fabs(levels.low - 223) <= 1 && std::fabs(levels.high - 283) <= 1, "near and far", levels.high);
    promise(!levels.is_one() && levels.low_count > 700 && levels.high_count > 700, "and how many");
    // Like an H200's lines: two kinds that almost touch. A uniform distribution, or a bell curve, is not two kinds.
    std::vector<double> wide, even, bell;
    for (int i = 0; i < 1000; ++i) {
        wide.push_back(random_bits(4, i) % 5 < 3 ? 259 + double(random_bits(5, i) % 24)
                                                 : 289 + double(random_bits(6, i) % 32));
        even.push_back(259 + double(random_bits(7, i) % 62));
        double sum = 0;
        for (int k = 0; k < 12; ++k) sum += double(random_bits(8 + k, i) % 1000) / 1000;
        bell.push_back(280 + 20 * (sum - 6));
    }
    const TwoLevels near_and_far = split_in_two(wide);
    promise(!near_and_far.is_one() && near_and_far.low < 275 && near_and_far.high > 300,
            "two wide kinds are told apart");
    promise(split_in_two(even).is_one() && split_in_two(bell).is_one(), "an even kind and a bell curve are not split");
    promise(split_in_two({200, 201, 202, 203, 204}).is_one(), "one level is not split");
    promise(split_in_two({200}).is_one() && split_in_two({200}).low == 200, "nor is one value");
}

int main() {
    cycles_visit_every_place();
    cycles_jump();
    published_levels_are_found();
    slopes_are_no_plateaus();
    parts_are_told_apart();
    return broken > 0;
}
