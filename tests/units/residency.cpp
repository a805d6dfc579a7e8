// SPDX-License-Identifier: MIT
// The achieved occupancy of launches that can be followed by hand. tests/forecast.bats compiles it with residency.cpp.
#include "common/simt/check/predict/residency.hpp"

#include <cmath>
#include <cstdio>

using simt::check::achieved_occupancy;
using simt::check::Residency;

static int wrong = 0;

static void expect(const char* what, const Residency& residency, double expected, double error = 1e-9) {
    const double got = achieved_occupancy(residency);
    if (std::fabs(got - expected) <= error) return;
    std::printf("%s: got %.4f, expected %.4f\n", what, got, expected);
    ++wrong;
}

// Blocks of one warp that stay for 1 ns, on 2 multiprocessors with room for 2 of them.
static Residency small_blocks(double blocks, double whole_ns) {
    Residency of;
    of.blocks = blocks;
    of.warps_per_block = 1;
    of.multiprocessors = of.blocks_per_multiprocessor = of.warps_per_multiprocessor = 2;
    of.whole_ns = whole_ns;
    of.stays = {{1, 1}};
    return of;
}

int main() {
    expect("a full round", small_blocks(4, 1), 1);
    expect("half a round, on both multiprocessors", small_blocks(2, 1), 0.5);
    expect("one multiprocessor, which alone counts", small_blocks(1, 1), 0.5);
    // The first multiprocessor has two warps, then one; the second ends after the first round.
    expect("a round and a quarter", small_blocks(5, 2), 5 / 6.0);
    expect("the same, however long it takes", small_blocks(5, 700), 5 / 6.0);
    expect("many rounds, of which a few are played", small_blocks(4e6, 1e6), 1);
    expect("many rounds, and a part of one", small_blocks(4e6 + 1, 1e6 + 1), 1, 1e-6);

    Residency unequal = small_blocks(2, 3);
    unequal.multiprocessors = 1;
    unequal.stays = {{1, 1}, {3, 1}};
    expect("a long block that is alone in the end", unequal, (1 + 3) / (3 * 2.0));

    Residency idle = small_blocks(4, 1);
    idle.stays = {{1, 0.25}};
    expect("warps that end early", idle, 0.25);

    // A block starts each ns and stays for 2: two are there, of four that fit. If it stays for longer, more are.
    Residency started = small_blocks(1000, 1001);
    started.multiprocessors = 1;
    started.blocks_per_multiprocessor = started.warps_per_multiprocessor = 4;
    started.start_ns = 1;
    started.stays = {{2, 1}};
    expect("starts that are too slow", started, 0.5, 0.002);
    started.whole_ns = 2000;
    expect("starts that are fast enough", started, 1, 0.01);

    // Warps are served one by one: of r blocks, one is served meanwhile.
    for (const double blocks : {1, 2, 4}) {
        Residency served;
        served.multiprocessors = 3;
        served.warps_per_multiprocessor = 32;
        served.blocks_per_multiprocessor = blocks;
        served.warps_per_block = 32 / blocks;
        served.blocks = 3 * blocks * 8;
        served.served_ns = 10;
        served.whole_ns = 10 * blocks * 8;
        served.stays = {{1, 1}};
        const double warps = served.warps_per_block;
        expect("warps that are served", served, 1 - (warps - 1) / (2 * warps * blocks));
    }
    return wrong > 0;
}
