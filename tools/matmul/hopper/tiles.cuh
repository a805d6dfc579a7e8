// SPDX-License-Identifier: MIT
// Which tile of the Hopper kernels suits a shape. Only for nvcc.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/cli/sizes.hpp"
#include "common/cuda/buffers.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/tf32x3_workspace.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/method.cuh"
#include "tools/matmul/tile_cost.cuh"

namespace BACKEND {

inline TileTable hopper_tiles(DType dtype) {
    switch (dtype) {
        case DType::f64: return hopper_tiles<DType::f64>();
        case DType::f32: return hopper_tiles<DType::f32>();
        case DType::tf32: return hopper_tiles<DType::tf32>();
        case DType::f16: return hopper_tiles<DType::f16>();
        case DType::bf16: return hopper_tiles<DType::bf16>();
        case DType::e4m3: return hopper_tiles<DType::e4m3>();
        case DType::e5m2: return hopper_tiles<DType::e5m2>();
        default: return {};
    }
}

// The products that one launch takes: all of a batch, if TMA can read and write their rows in place, or one.
inline size_t products_at_once(const TileTable& tiles, const ProductProblem& problem) {
    constexpr size_t least_tile_m = 16, least_tile_n = 16;
    const size_t products = problem.form.products(), element_bytes = size_of(problem.dtype);
    const auto is_aligned = [=](size_t columns) { return columns * element_bytes % tensor_row_alignment == 0; };
    const Transposes& stored = problem.form.transposed;
    const bool takes_batch = std::any_of(tiles.begin(), tiles.end(),
                                         [&](auto& choice) { return choice.takes_batch && choice.stored == stored; });
    const auto [m, n, k] = problem.shape;
    const double all_tiles = double(divide_up(m, least_tile_m)) * double(divide_up(n, least_tile_n)) * double(products);
    const bool rows_aligned =
        is_aligned(stored.a ? m : k) && is_aligned(stored.b ? k : n) && is_aligned(stored.c ? m : n);
    const bool all = takes_batch && !problem.form.shares_b && rows_aligned && all_tiles < most_tiles;
    return all ? products : 1;
}

inline bool can_compute(const TileTable& tiles, const TileChoice& choice, const ProductProblem& problem) {
    return can_compute(choice, problem.shape, problem.form.transposed, products_at_once(tiles, problem),
                       unsigned(problem.device->multiprocessors));
}

// The keys of the tiles in a table that can compute a product, each once: as its matrices are stored, exchanged, or
// copied.
inline std::vector<std::string> keys_of(const TileTable& tiles, const ProductProblem& problem) {
    std::vector<std::string> keys;
    const auto add = [&](const ProductProblem& form) {
        for (const TileChoice& choice : tiles)
            if (can_compute(tiles, choice, form) && std::find(keys.begin(), keys.end(), choice.key()) == keys.end())
                keys.push_back(choice.key());
    };
    add(problem);
    if (is_plain(problem)) return keys;
    add(exchanged(problem));
    ProductProblem plain = problem;
    plain.form.transposed = plain_transposes(problem.dtype);
    add(plain);
    return keys;
}

// The tile in a table that --tile names, by "KEY" or "KEY@SHARES"; nullptr if there is none. If two share that key, the
// first one that can compute the product.
inline const TileChoice* forced_choice(const TileTable& tiles, const ProductProblem& problem, const std::string& key) {
    for (const TileChoice& choice : tiles)
        if (choice.key() == key && can_compute(tiles, choice, problem)) return &choice;
    return nullptr;
}

// nullptr if no tile computes the product.
inline const TileChoice* choice_of(const TileTable& tiles, const ProductProblem& problem, size_t products) {
    const std::string& forced = problem.forced_tile;
    if (!forced.empty()) return forced_choice(tiles, problem, forced.substr(0, forced.find('@')));
    const bool any = std::any_of(tiles.begin(), tiles.end(),
                                 [&](const TileChoice& choice) { return can_compute(tiles, choice, problem); });
    return any ? &best_choice(tiles, problem.shape, problem.form.transposed, products, product_cost_of(problem.dtype),
                              model_of(problem))
               : nullptr;
}

inline ProductMethod method_of_tiles(const TileTable& tiles, const ProductProblem& problem, size_t workspace_bytes) {
    const std::string& forced = problem.forced_tile;
    const size_t at = forced.find('@');
    const size_t products = products_at_once(tiles, problem);
    const DeviceModel device = model_of(problem);
    const TileChoice* choice = choice_of(tiles, problem, products);
    if (!choice) return {};
    const unsigned shares = at == forced.npos ? 0 : unsigned(parse_count(forced.substr(at + 1), "--tile"));
    const unsigned cluster = choice->split_k * choice->sharing_blocks(),
                   clusters = device.blocks_at_once(cluster, choice->at_once) / cluster;
    ProductMethod method;
    const StreamKCost sharing =
        choice->stream_k_cost.of(shared_operand_bytes(*choice, problem.shape), device.memory_speed);
    method.launch = [choice, shares, sharing, clusters](MatmulArguments<void> arguments) {
        arguments.stream_k_shares = shares;
        arguments.clusters = clusters;
        return choice->launch(arguments, sharing);
    };
    method.tile = choice->name();
    method.by_cost_model = true;
    method.cycles = estimated_cycles(*choice, problem.shape, products, product_cost_of(problem.dtype), device);
    if (products > 1)
        method.cycles =
            std::max(method.cycles, storing_cycles(problem.shape, problem.form.transposed.c, products,
                                                   size_of(result_dtype(problem.dtype)), device.multiprocessors));
    method.workspace_bytes = reads_row_sets(*choice, problem.shape, products) ? 0 : workspace_bytes;
    method.takes_batch = products > 1;
    method.takes_transposed = method.stores_transposed = true;  // as this tile does
    return method;
}

// Bytes of the workspace for copies of A and B with aligned rows.
inline size_t aligned_copies_bytes(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto [a, b, c] = problem.form.transposed;
    switch (size_of(problem.dtype)) {
        case 2: return HopperOperands<__half>::workspace_bytes(m, n, k, a, b);
        case 4: return HopperOperands<float>::workspace_bytes(m, n, k, a, b);
        default: return HopperOperands<double>::workspace_bytes(m, n, k, a, b);
    }
}

inline ProductMethod hopper_method(const ProductProblem& problem) {
    if (!problem.hopper || is_float8(problem.dtype)) return {};
    return method_of_tiles(hopper_tiles(problem.dtype), problem, aligned_copies_bytes(problem));
}

inline ProductMethod tf32x3_method(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    if (!problem.hopper || problem.dtype != DType::f32 || m > tf32x3_most_rows) return {};
    return method_of_tiles(tf32x3_tiles(), problem, tf32x3_workspace_bytes(m, n, k));
}

inline std::vector<std::string> tf32x3_keys(const ProductProblem& problem) { return keys_of(tf32x3_tiles(), problem); }

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

// How many clusters the current device runs at once, for a kernel whose blocks are held back by shared memory alone.
inline ClusterCounts cluster_counts() {
    ClusterCounts found;
    CHECK(cudaFuncSetAttribute(report_hopper_code, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaFuncSetAttribute(report_hopper_code, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared_bytes));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration{};
    configuration.blockDim = dim3(1);
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    for (unsigned resident = 1; resident <= ClusterCounts::most_resident; ++resident) {
        configuration.dynamicSmemBytes = size_t(most_shared_bytes_of(int(resident)));
        for (unsigned blocks = 1; blocks <= ClusterCounts::most_blocks; ++blocks) {
            configuration.gridDim = dim3(blocks);
            attribute.val.clusterDim.x = blocks;
            int clusters = 0;  // also where the device refuses such clusters
            if (cudaOccupancyMaxActiveClusters(&clusters, report_hopper_code, &configuration) != cudaSuccess)
                static_cast<void>(cudaGetLastError());
            found.counts[resident - 1][blocks - 1] = unsigned(clusters);
        }
    }
    return found;
}

}  // namespace BACKEND
