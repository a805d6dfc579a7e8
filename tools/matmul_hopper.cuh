// The Hopper kernels in the tile sizes that pay, and which of them suits a shape. Only for nvcc.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/buffers.cuh"
#include "kernels/matmul_hopper_f32.cuh"
#include "kernels/matmul_hopper_f32_turned.cuh"
#include "kernels/matmul_hopper_mma.cuh"
#include "kernels/matmul_hopper_overlapped.cuh"
#include "kernels/matmul_hopper_split.cuh"
#include "kernels/matmul_hopper_tf32.cuh"
#include "kernels/matmul_hopper_tf32x3.cuh"
#include "tools/matmul_types.cuh"

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
};

// f32: the multiply-add units do 128 a cycle; what a shape reaches of them was measured.
inline const std::vector<TileChoice<float>>& f32_choices() {
    using A = const MatmulArguments<float>&;
    static const std::vector<TileChoice<float>> choices = {
        {"128x256x32", 128, 256, 1, 8192 / 0.88, 4000, f32_sharing, [](A a) { return launch_hopper_f32_turned(a); }},
        {"128x64x32", 128, 64, 1, 2048 / 0.70, 4000, no_sharing,
         [](A a) { return launch_hopper_f32<F32Shape<128, 64, 64, 64, 4, 4>, 6>(a); }},
        {"96x48x32", 96, 48, 1, 1152 / 0.58, 4000, no_sharing,
         [](A a) { return launch_hopper_f32<F32Shape<96, 48, 96, 48, 8, 8>, 8>(a); }},
        {"64x64x32", 64, 64, 1, 1024 / 0.65, 4000, no_sharing,
         [](A a) { return launch_hopper_f32<F32Shape<64, 64, 64, 64, 4, 8>, 8>(a); }},
        {"64x32x32", 64, 32, 1, 512 / 0.64, 4000, no_sharing,
         [](A a) { return launch_hopper_f32<F32Shape<64, 32, 64, 32, 4, 8>, 8>(a); }},
    };
    return choices;
}

// Tensor cores take tile_m / 64 * tile_n * 2 cycles for a stage of 64 along k; a multiprocessor receives 55 bytes a
// cycle. Fitted to products of n = 2304 to 8192, in steps of 256, to within 0.8 %. The largest tile is there twice: with
// and without the code to share tiles, which costs 1 %.
template <typename T>
const std::vector<TileChoice<T>>& mma_choices() {
    using A = const MatmulArguments<T>&;
    static const std::vector<TileChoice<T>> choices = {
        {"128x256x64", 128, 256, 1, 1016, 1700, no_sharing,
         [](A a) { return launch_hopper_overlapped<T, false>(a); }},
        {"128x256x64", 128, 256, 1, 1016, 1700, tensor_core_sharing,
         [](A a) { return launch_hopper_overlapped<T, true>(a); }},
        {"128x192x64", 128, 192, 1, 765, 2150, no_sharing,
         [](A a) { return launch_hopper_mma<T, 128, 192, 4, false>(a); }},
        {"128x128x64", 128, 128, 1, 511, 1380, no_sharing,
         [](A a) { return launch_hopper_mma<T, 128, 128, 6, false>(a); }},
        {"64x128x64", 64, 128, 1, 343, 1150, no_sharing,
         [](A a) { return launch_hopper_mma<T, 64, 128, 8, false>(a); }},
        {"64x64x64", 64, 64, 1, 229, 770, no_sharing,
         [](A a) { return launch_hopper_mma<T, 64, 64, 12, false>(a); }},
        {"16x64x64", 16, 64, 1, 222, 1540, no_sharing, [](A a) { return launch_hopper_split<T, 16, 1, 12>(a, 1); }},
        {"16x64x64/2", 16, 64, 2, 222, 3850, no_sharing, [](A a) { return launch_hopper_split<T, 16, 1, 12>(a, 2); }},
    };
    return choices;
}

inline const std::vector<TileChoice<float>>& tf32_choices() {
    using A = const MatmulArguments<float>&;
    static const std::vector<TileChoice<float>> choices = {
        {"256x128x32", 256, 128, 1, 1340, 2500, no_sharing,
         [](A a) { return launch_hopper_tf32<256, 2, 4, false>(a); }},
        {"256x128x32", 256, 128, 1, 1340, 2500, tensor_core_sharing,
         [](A a) { return launch_hopper_tf32<256, 2, 4, true>(a); }},
        {"192x128x32", 192, 128, 1, 1020, 2400, no_sharing,
         [](A a) { return launch_hopper_tf32<192, 2, 5, false>(a); }},
        {"64x128x32", 64, 128, 1, 580, 1600, no_sharing,
         [](A a) { return launch_hopper_tf32<64, 2, 8, false>(a); }},
        {"64x64x32", 64, 64, 1, 417, 1000, no_sharing,
         [](A a) { return launch_hopper_tf32<64, 1, 12, false>(a); }},
        {"64x64x32/2", 64, 64, 2, 417, 5000, no_sharing,
         [](A a) { return launch_hopper_split<float, 64, 1, 12>(a, 2); }},
        {"16x64x32", 16, 64, 1, 380, 2000, no_sharing, [](A a) { return launch_hopper_split<float, 16, 1, 16>(a, 1); }},
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

// How many cycles a choice takes: blocks come in waves of one per multiprocessor, and a wave takes as long as a tile,
// or as the shares of the last one.
template <typename T>
double estimated_cycles(const TileChoice<T>& choice, size_t m, size_t n, size_t k, unsigned multiprocessors) {
    constexpr unsigned tile_k = 128 / sizeof(T);
    const size_t tiles = divide_up(m, choice.tile_m) * divide_up(n, choice.tile_n);
    const TileShares shares = tile_shares(tiles, k, tile_k, multiprocessors, choice.sharing);
    const double waves = double(divide_up(size_t{shares.whole} * choice.splits, multiprocessors));
    const double steps = double(divide_up(k, tile_k)) / choice.splits;
    double cycles = waves * (steps * choice.cycles_per_step + choice.fixed_cycles);
    if (shares.whole < tiles)
        cycles += shared_stages(tiles - shares.whole, shares.steps, shares.shares, choice.sharing) *
                      choice.cycles_per_step +
                  choice.fixed_cycles;
    return cycles;
}

template <typename T>
const TileChoice<T>& best_choice(const std::vector<TileChoice<T>>& choices, size_t m, size_t n, size_t k,
                                 unsigned multiprocessors) {
    return *std::min_element(choices.begin(), choices.end(), [&](const TileChoice<T>& one, const TileChoice<T>& other) {
        return estimated_cycles(one, m, n, k, multiprocessors) < estimated_cycles(other, m, n, k, multiprocessors);
    });
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
