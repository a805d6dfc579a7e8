// The Hopper kernels in the tile sizes that pay, and which of them suits a shape. Only for nvcc.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "kernels/matmul/hopper/f32.cuh"
#include "kernels/matmul/hopper/f32_transposed.cuh"
#include "kernels/matmul/hopper/fitted.cuh"
#include "kernels/matmul/hopper/mma.cuh"
#include "kernels/matmul/hopper/overlapped.cuh"
#include "kernels/matmul/hopper/split.cuh"
#include "kernels/matmul/hopper/swapped.cuh"
#include "kernels/matmul/hopper/tf32.cuh"
#include "kernels/matmul/hopper/tf32x3.cuh"
#include "tools/matmul/types.cuh"

namespace BACKEND {

// One kernel with one tile size, and what decides how long it takes.
template <typename T>
struct TileChoice {
    const char* tile;  // m x n x k of a stage
    unsigned tile_m, tile_n;
    unsigned splits;         // blocks of a cluster that share one tile along k
    double cycles_per_step;  // of a stage: the larger of multiplying and loading, as measured
    double fixed_cycles;     // filling the pipeline, storing the tile
    SharingCost sharing;     // of the tiles of the last wave
    LaunchShape (*launch)(const MatmulArguments<T>&);
    unsigned sharers = 1;        // blocks of a cluster with the same columns of B, each of which brings its part
    bool needs_aligned = false;  // rows of C
    bool fitted = false;         // tiles have tile_m rows or fewer, so that they fill their waves
};

template <int... shape>
TileChoice<float> turned_choice(const char* tile) {
    using Shape = TurnedShape<shape...>;
    return {tile,
            Shape::tile_m,
            Shape::tile_n,
            1,
            turned_stage_cycles<Shape>,
            7000,
            turned_sharing<Shape>(),
            [](const MatmulArguments<float>& a) { return launch_hopper_f32_turned<Shape>(a); }};
}

// f32: the multiply-add units do 128 a cycle; what a shape reaches of them was measured. The three last tiles have less
// to fetch and to wait for before and after: where all is done in some microseconds, they are faster.
inline const std::vector<TileChoice<float>>& f32_choices() {
    using A = const MatmulArguments<float>&;
    static const std::vector<TileChoice<float>> choices = {
        turned_choice<128, 256, 64, 64>("128x256x32"),
        turned_choice<64, 256, 64, 64>("64x256x32"),
        turned_choice<64, 128, 64, 64>("64x128x32"),
        turned_choice<128, 64, 64, 64>("128x64x32"),
        turned_choice<64, 64, 64, 64>("64x64x32"),
        turned_choice<32, 256, 32, 128>("32x256x32"),
        turned_choice<16, 256, 16, 128>("16x256x32"),
        turned_choice<128, 16, 128, 16, 8>("128x16x32"),
        {"96x48x32", 96, 48, 1, 1152 / 0.58, 4000, no_sharing,
         [](A a) { return launch_hopper_f32<F32Shape<96, 48, 96, 48, 8, 8>, 8>(a); }},
        {"64x64x32", 64, 64, 1, 1024 / 0.65, 4000, no_sharing,
         [](A a) { return launch_hopper_f32<F32Shape<64, 64, 64, 64, 4, 8>, 8>(a); }},
        {"64x32x32", 64, 32, 1, 512 / 0.64, 4000, no_sharing,
         [](A a) { return launch_hopper_f32<F32Shape<64, 32, 64, 32, 4, 8>, 8>(a); }},
    };
    return choices;
}

// Small tiles, shared by as many blocks as pay where k is long; the cycles of a stage as measured.
template <typename T, int tile_m, int warpgroups, int stage_cycles>
TileChoice<T> shared_swapped_choice(const char* tile) {
    static constexpr SharingCost sharing = grouped_sharing(tile_m * warpgroups * 64, stage_cycles);
    return {tile, tile_m, warpgroups * 64, 1, stage_cycles, 5000, sharing, [](const MatmulArguments<T>& a) {
                return launch_hopper_swapped<T, tile_m, warpgroups, 1, 1, true>(a, sharing);
            }};
}

// Tensor cores take tile_m * tile_n / 32 cycles for a stage of 64 along k. The largest tile is fitted to products of
// n = 2304 to 8192, in steps of 256, to within 0.8 %, the others to those of 512 to 3072 for which they make whole
// waves. The largest is there three times: with and without the code to share tiles, which costs 1 %, and with as
// many rows as fill the waves. Tiles of 16, 32 and 64 rows all wait for B. Sharing B costs another 1 %; it pays where
// rows of B are slow to read.
template <typename T>
const std::vector<TileChoice<T>>& mma_choices() {
    using A = const MatmulArguments<T>&;
    static const std::vector<TileChoice<T>> choices = {
        {"128x256x64", 128, 256, 1, 1016, 1700, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 256, false>(a); }},
        {"128x256x64", 128, 256, 1, 1016, 1700, tensor_core_sharing,
         [](A a) { return launch_hopper_overlapped<T, 256, true>(a); }},
        {"128x240x64", 128, 240, 1, 952, 1700, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 240, false>(a); }, 1, true},
        {"128x224x64", 128, 224, 1, 905, 1700, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 224, false>(a); }, 1, true},
        {"128x192x64", 128, 192, 1, 757, 1700, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 192, false>(a); }, 1, true},
        {"168..256x128x64", 256, 128, 1, 1016, 1700, no_sharing, [](A a) { return launch_hopper_fitted(a); }, 1, true,
         true},
        {"240x128x64", 240, 128, 1, 960, 1920, no_sharing, [](A a) { return launch_hopper_swapped<T, 240, 2>(a); }},
        {"200x128x64", 200, 128, 1, 820, 1800, no_sharing, [](A a) { return launch_hopper_swapped<T, 200, 2>(a); }},
        {"192x128x64", 192, 128, 1, 765, 1770, no_sharing, [](A a) { return launch_hopper_swapped<T, 192, 2>(a); }},
        {"168x128x64", 168, 128, 1, 687, 1690, no_sharing, [](A a) { return launch_hopper_swapped<T, 168, 2>(a); }},
        {"144x128x64", 144, 128, 1, 600, 2300, no_sharing, [](A a) { return launch_hopper_swapped<T, 144, 2>(a); }},
        {"128x128x64", 128, 128, 1, 520, 2300, no_sharing, [](A a) { return launch_hopper_swapped<T, 128, 2>(a); }},
        {"120x128x64", 120, 128, 1, 505, 2300, no_sharing, [](A a) { return launch_hopper_swapped<T, 120, 2>(a); }},
        {"104x128x64", 104, 128, 1, 470, 2300, no_sharing, [](A a) { return launch_hopper_swapped<T, 104, 2>(a); }},
        {"88x128x64", 88, 128, 1, 440, 2200, no_sharing, [](A a) { return launch_hopper_swapped<T, 88, 2>(a); }},
        {"64x128x64", 64, 128, 1, 380, 2300, no_sharing, [](A a) { return launch_hopper_swapped<T, 64, 2>(a); }},
        {"128x64x64", 128, 64, 1, 393, 1600, no_sharing, [](A a) { return launch_hopper_swapped<T, 128, 1>(a); }},
        {"72x64x64", 72, 64, 1, 286, 2000, no_sharing, [](A a) { return launch_hopper_swapped<T, 72, 1>(a); }},
        {"16x64x64", 16, 64, 1, 270, 2000, no_sharing, [](A a) { return launch_hopper_swapped<T, 16, 1>(a); }},
        {"32x64x64", 32, 64, 1, 270, 2000, no_sharing, [](A a) { return launch_hopper_swapped<T, 32, 1>(a); }},
        {"64x64x64", 64, 64, 1, 270, 2000, no_sharing, [](A a) { return launch_hopper_swapped<T, 64, 1>(a); }},
        {"16x64x64/2", 16, 64, 2, 270, 4200, no_sharing, [](A a) { return launch_hopper_swapped<T, 16, 1, 2>(a); }},
        {"32x64x64/2", 32, 64, 2, 270, 4200, no_sharing, [](A a) { return launch_hopper_swapped<T, 32, 1, 2>(a); }},
        {"64x64x64/2", 64, 64, 2, 270, 5800, no_sharing, [](A a) { return launch_hopper_swapped<T, 64, 1, 2>(a); }},
        {"32x64x64/4", 32, 64, 4, 270, 7800, no_sharing, [](A a) { return launch_hopper_swapped<T, 32, 1, 4>(a); }},
        {"64x64x64/4", 64, 64, 4, 270, 8500, no_sharing, [](A a) { return launch_hopper_swapped<T, 64, 1, 4>(a); }},
        shared_swapped_choice<T, 16, 1, 270>("16x64x64"),
        shared_swapped_choice<T, 64, 2, 380>("64x128x64"),
        {"128x256x64", 128, 256, 1, 1026, 2300, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 256, false, 2>(a); }, 2, true},
        {"128x256x64", 128, 256, 1, 1026, 2300, tensor_core_sharing,
         [](A a) { return launch_hopper_overlapped<T, 256, true, 2>(a); }, 2, true},
        {"128x240x64", 128, 240, 1, 962, 2300, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 240, false, 2>(a); }, 2, true},
        {"128x224x64", 128, 224, 1, 914, 2300, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 224, false, 2>(a); }, 2, true},
        {"128x192x64", 128, 192, 1, 767, 2300, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, 192, false, 2>(a); }, 2, true},
        {"192x128x64", 192, 128, 1, 775, 1900, no_sharing,
         [](A a) { return launch_hopper_swapped<T, 192, 2, 1, 2>(a); }, 2},
        {"144x128x64", 144, 128, 1, 608, 2400, no_sharing,
         [](A a) { return launch_hopper_swapped<T, 144, 2, 1, 2>(a); }, 2},
        {"128x128x64", 128, 128, 1, 528, 2400, no_sharing,
         [](A a) { return launch_hopper_swapped<T, 128, 2, 1, 2>(a); }, 2},
        {"104x128x64", 104, 128, 1, 477, 2400, no_sharing,
         [](A a) { return launch_hopper_swapped<T, 104, 2, 1, 2>(a); }, 2},
        {"64x128x64", 64, 128, 1, 393, 2400, no_sharing,
         [](A a) { return launch_hopper_swapped<T, 64, 2, 1, 2>(a); }, 2},
    };
    return choices;
}

template <int tile_m, int stages, int stage_cycles>
TileChoice<float> shared_tf32_choice(const char* tile) {
    static constexpr SharingCost sharing = grouped_sharing(tile_m * 64, stage_cycles);
    return {tile, tile_m, 64, 1, stage_cycles, 2000, sharing,
            [](const MatmulArguments<float>& a) { return launch_hopper_tf32<tile_m, 1, stages, true>(a, sharing); }};
}

inline const std::vector<TileChoice<float>>& tf32_choices() {
    using A = const MatmulArguments<float>&;
    static const std::vector<TileChoice<float>> choices = {
        {"256x128x32", 256, 128, 1, 1340, 2500, no_sharing,
         [](A a) { return launch_hopper_tf32<256, 2, 4, false>(a); }},
        {"256x128x32", 256, 128, 1, 1340, 2500, tensor_core_sharing,
         [](A a) { return launch_hopper_tf32<256, 2, 4, true>(a, tensor_core_sharing); }},
        {"192x128x32", 192, 128, 1, 1020, 2400, no_sharing,
         [](A a) { return launch_hopper_tf32<192, 2, 5, false>(a); }},
        {"64x128x32", 64, 128, 1, 580, 1600, no_sharing,
         [](A a) { return launch_hopper_tf32<64, 2, 8, false>(a); }},
        {"64x64x32", 64, 64, 1, 417, 1000, no_sharing,
         [](A a) { return launch_hopper_tf32<64, 1, 12, false>(a); }},
        {"64x64x32/2", 64, 64, 2, 417, 5000, no_sharing,
         [](A a) { return launch_hopper_split<float, 64, 1, 12>(a, 2); }},
        shared_tf32_choice<64, 12, 417>("64x64x32"),
        shared_tf32_choice<16, 16, 380>("16x64x32"),
        {"16x64x32/2", 16, 64, 2, 380, 5000, no_sharing,
         [](A a) { return launch_hopper_split<float, 16, 1, 16>(a, 2); }},
    };
    return choices;
}

inline const std::vector<TileChoice<float>>& tf32x3_choices() {
    using A = const MatmulArguments<float>&;
    static const std::vector<TileChoice<float>> choices = {
        {"128x128x32", 128, 128, 1, 1580, 2500, tf32x3_sharing,
         [](A a) { return launch_hopper_tf32x3<128, 4, true>(a); }},
        {"64x128x32", 64, 128, 1, 1100, 1600, no_sharing, [](A a) { return launch_hopper_tf32x3<64, 6, false>(a); }},
    };
    return choices;
}

// The cycles that a multiprocessor needs to receive a stage. Rows of A and B come in pieces of 128 bytes; those that
// begin between the L2 cache's sectors of 32 bytes take longer, less so if two blocks share them. Half of the time is
// waiting for the other multiprocessors, of which `busy` is the part that have tiles.
template <typename T>
double loading_cycles(const TileChoice<T>& choice, size_t n, size_t k, double busy) {
    constexpr double aligned = 2.05, slow_a = 3.3, slow_b = 4, slow_b_shared = 2.6;
    const auto is_slow = [](size_t columns) {
        const size_t bytes = columns * sizeof(T);
        return bytes % tensor_row_alignment == 0 && bytes % 32 != 0;  // others are copied before
    };
    const double cycles = choice.tile_m * (is_slow(k) ? slow_a : aligned) +
                          choice.tile_n * (!is_slow(n) ? aligned : choice.sharers > 1 ? slow_b_shared : slow_b);
    return cycles * (1 + busy) / 2;
}

// The memory's share of the time, in cycles: so many bytes a cycle come for each multiprocessor. A matrix that only one
// row or column of tiles reads comes faster.
template <typename T>
double memory_cycles(const TileChoice<T>& choice, size_t m, size_t n, size_t k, unsigned multiprocessors) {
    constexpr double bytes_per_cycle = 18, read_once = 0.87;
    const double of_a = double(m) * (n <= choice.tile_n ? read_once : 1),
                 of_b = double(n) * (m <= choice.tile_m ? read_once : 1);
    return (of_a + of_b) * double(k) * sizeof(T) / (bytes_per_cycle * multiprocessors);
}

// The blocks that run at once. Clusters of four leave some multiprocessors of the larger groups idle.
inline unsigned blocks_at_once(unsigned cluster, unsigned multiprocessors) {
    return cluster > 2 ? multiprocessors * 10 / 11 : multiprocessors / cluster * cluster;
}

// What the block that has most to do does: how long it multiplies, in stages of a whole tile, and the tiles it stores;
// and the part of the multiprocessors that have any.
struct BlockWork {
    double stages, stores, busy;
};

template <typename T>
BlockWork longest_work(const TileChoice<T>& choice, size_t m, size_t n, size_t k, unsigned multiprocessors) {
    constexpr unsigned tile_k = 128 / sizeof(T);
    const double steps = double(divide_up(k, tile_k)) / choice.splits;
    if (choice.fitted) {
        const FittedTiles tiles = fitted_tiles(m, n, multiprocessors);
        if (!can_fit(tiles)) return {HUGE_VAL, 1, 1};
        return {steps * fitted_rows_per_block(tiles, m, n, multiprocessors) / choice.tile_m,
                double(divide_up(tiles.count(), multiprocessors)), 1};
    }
    const unsigned cluster = choice.splits * choice.sharers;
    const size_t tiles = divide_up(divide_up(m, choice.tile_m), choice.sharers) * divide_up(n, choice.tile_n);
    const TileShares shares = tile_shares(tiles, k, tile_k, multiprocessors / choice.sharers, choice.sharing);
    const double waves = double(divide_up(size_t{shares.whole} * cluster, blocks_at_once(cluster, multiprocessors)));
    if (shares.whole == tiles)
        return {waves * steps, waves, std::min(1.0, double(tiles) * cluster / multiprocessors)};
    return {waves * steps + shared_stages(tiles - shares.whole, shares.steps, shares.shares, choice.sharing),
            waves + 1, 1};
}

// How many cycles a choice takes: blocks come in waves of one per multiprocessor, and a wave takes as long as a tile,
// or as the shares of the last one. The memory has to bring A and B once meanwhile; most of the shorter time is hidden.
template <typename T>
double estimated_cycles(const TileChoice<T>& choice, size_t m, size_t n, size_t k, unsigned multiprocessors) {
    const BlockWork work = longest_work(choice, m, n, k, multiprocessors);
    const double from_memory = memory_cycles(choice, m, n, k, multiprocessors);
    const double stage_cycles = work.stages * std::max(choice.cycles_per_step, loading_cycles(choice, n, k, work.busy));
    return std::max(stage_cycles, from_memory) + 0.15 * std::min(stage_cycles, from_memory) +
           work.stores * choice.fixed_cycles;
}

// Of choices that take equally long, that with fewer tiles, since they move less; then the first, with the least rows.
template <typename T>
const TileChoice<T>& best_choice(const std::vector<TileChoice<T>>& choices, size_t m, size_t n, size_t k,
                                 unsigned multiprocessors) {
    const bool aligned = n * sizeof(T) % tensor_row_alignment == 0;
    const auto cost = [&](const TileChoice<T>& choice) {
        if (choice.needs_aligned && !aligned) return std::pair(HUGE_VAL, size_t{0});
        return std::pair(estimated_cycles(choice, m, n, k, multiprocessors),
                         divide_up(m, choice.tile_m) * divide_up(n, choice.tile_n));
    };
    using Choice = TileChoice<T>;
    return *std::min_element(choices.begin(), choices.end(),
                             [&](const Choice& one, const Choice& other) { return cost(one) < cost(other); });
}

// Whether this build's code for the device in use is for sm_90a, the only target with these kernels' instructions.
__global__ void report_hopper_code(int* built) { *built = HOPPER_CODE; }

inline bool hopper_kernels_run(int compute_capability) {
    if (compute_capability != 90) return false;
    const DeviceBuffer<int> d_built(1);
    report_hopper_code<<<1, 1>>>(d_built.data());
    CHECK(cudaGetLastError());
    int built = 0;
    CHECK(cudaMemcpy(&built, d_built.data(), sizeof built, cudaMemcpyDeviceToHost));
    return built != 0;
}

}  // namespace BACKEND
