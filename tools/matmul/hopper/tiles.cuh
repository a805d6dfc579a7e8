// SPDX-License-Identifier: MIT
// Which tile of the Hopper kernels suits a shape. Only for nvcc.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "common/cli/sizes.hpp"
#include "common/cuda/buffers.cuh"
#include "kernels/matmul/hopper/fitted_tiles.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/row_set_rule.cuh"
#include "kernels/matmul/hopper/tf32x3_workspace.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/plan/work.cuh"

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
    const bool takes_batch =
        std::any_of(tiles.begin(), tiles.end(), [&](auto& row) { return row.takes_batch && row.stored == stored; });
    const auto [m, n, k] = problem.shape;
    const double all_tiles = double(divide_up(m, least_tile_m)) * double(divide_up(n, least_tile_n)) * double(products);
    const bool rows_aligned =
        is_aligned(stored.a ? m : k) && is_aligned(stored.b ? k : n) && is_aligned(stored.c ? m : n);
    const bool all = takes_batch && !problem.form.shares_b && rows_aligned && all_tiles < most_tiles;
    return all ? products : 1;
}

// Whether a tile can compute so many products at all, as its matrices are stored.
inline bool can_compute(const TileRow& row, const ProductProblem& problem, size_t products) {
    if (row.stored != problem.form.transposed) return false;
    if (products > 1 ? !row.takes_batch : row.only_batch) return false;
    if (row.needs_aligned_rows && problem.shape.n * row.element_bytes % tensor_row_alignment != 0) return false;
    return row.least_rows == 0 ||
           can_fit(fitted_tiles(problem.shape.m, problem.shape.n, unsigned(problem.device->multiprocessors)));
}

// How the tiles of a last wave that is not whole may be shared: each in equal parts; all of them, or those of a whole
// wave, too, in as many shares as there are units (blocks, or clusters of them).
inline std::vector<StreamKSharing> ways_to_share(const TileRow& row, size_t tiles, size_t steps, size_t units) {
    StreamKSharing one = row.sharing;
    std::vector<StreamKSharing> ways{one};
    const size_t left = tiles % units;
    if (!row.stream_k || left == 0) return ways;
    const auto add = [&](size_t shares, bool with_wave) {
        one.shares = unsigned(shares);
        one.with_wave = with_wave;
        ways.push_back(one);
    };
    const size_t most_parts = std::min(units / left, steps);
    for (const size_t parts : {2, 3, 4, 6, 8, 12, 16, 24, 33, 44, 66})
        if (parts < most_parts) add(parts * left, false);
    if (most_parts > 1) add(most_parts * left, false);
    if (left * steps >= units && units % left > 0) add(units, false);
    if (tiles > units) add(units, true);
    return ways;
}

// The plan of one tile of a table. workspace_bytes: for copies of A and B.
inline Plan plan_of_tile(const char* variant, const TileRow& row, const ProductProblem& problem, size_t products,
                         const StreamKSharing& sharing, size_t workspace_bytes) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const bool in_place = row.row_sets > 0 && suits_row_sets(n, k, products, row.element_bytes);
    const unsigned clusters = blocks_at_once(problem, row.cluster(), row.at_once) / row.cluster();
    Plan plan;
    plan.launch = [&row, sharing, clusters](MatmulArguments<void> arguments) {
        arguments.sharing = sharing;
        arguments.clusters = clusters;
        return row.launch(arguments);
    };
    plan.tile = row.name();
    plan.key = row.key();
    if (row.stream_k) plan.key += text("@{}{}", sharing.shares, sharing.with_wave ? "+wave" : "");
    plan.workspace_bytes = in_place ? 0 : workspace_bytes;
    plan.takes_batch = products > 1;
    plan.takes_transposed = plan.stores_transposed = true;  // as this tile does
    TileDivision by;
    by.tile = row.tile;
    by.products = products;
    by.split_k = row.split_k;
    by.cluster = row.cluster();
    by.blocks_at_once =
        row.stream_k ? multiprocessors / row.cluster() * row.cluster() : blocks_at_once(problem, row.cluster());
    by.reads_any_rows = in_place;
    if (row.stream_k) {
        by.unit = row.sharing_blocks();
        by.schedule = stream_k_schedule(row.sets_of_tiles(problem.shape) * products, k, row.tile.k,
                                        multiprocessors / by.unit, sharing);
    }
    Work work = tile_work(problem, by);
    if (row.least_rows > 0) {
        const FittedTiles tiles = fitted_tiles(m, n, multiprocessors);
        work.blocks = double(divide_up(tiles.count(), multiprocessors));
        work.stages = work.stages_of_block * fitted_rows_per_block(tiles, m, n, multiprocessors) / row.tile.m;
    }
    estimate(plan, problem,
             text("{}:{}{}{}{}", variant, row.key(), row.stored.any() || row.stored.c ? ":" + row.stored.name() : "",
                  in_place ? ":in-place" : "", products > 1 ? ":batch" : ""),
             work);
    return plan;
}

// The plans of all tiles in a table that can compute the product as its matrices are stored, with all ways to share
// tiles. (--tile KEY@SHARES names any.)
inline Plans plans_of_tiles(const char* variant, const TileTable& tiles, const ProductProblem& problem,
                            size_t workspace_bytes) {
    const std::string& forced = problem.forced_tile;
    const size_t at = forced.find('@'), products = products_at_once(tiles, problem);
    std::set<std::string> keys;  // of two with the same key, the first one that can compute the product is the faster
    Plans plans;
    for (const TileRow& row : tiles) {
        if (!can_compute(row, problem, products) || !keys.insert(row.key()).second) continue;
        const size_t units = unsigned(problem.device->multiprocessors) / row.sharing_blocks();
        std::vector<StreamKSharing> ways = ways_to_share(row, row.sets_of_tiles(problem.shape) * products,
                                                         divide_up(problem.shape.k, row.tile.k), units);
        if (at != forced.npos && forced.compare(0, at, row.key()) == 0 && forced.find('+', at) == forced.npos) {
            ways = {row.sharing};
            ways.front().shares = unsigned(parse_count(forced.substr(at + 1), "--tile"));
        }
        for (const StreamKSharing& sharing : ways)
            plans.push_back(plan_of_tile(variant, row, problem, products, sharing, workspace_bytes));
    }
    return plans;
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

inline Plans hopper_plans(const ProductProblem& problem) {
    if (!problem.hopper || is_float8(problem.dtype)) return {};
    return plans_of_tiles("hopper", hopper_tiles(problem.dtype), problem, aligned_copies_bytes(problem));
}

inline Plans tf32x3_plans(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    if (!problem.hopper || problem.dtype != DType::f32 || m > tf32x3_most_rows) return {};
    return plans_of_tiles("tf32x3", tf32x3_tiles(), problem, tf32x3_workspace_bytes(m, n, k));
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

// What the kernels need to know of a device, which is asked once.
struct HopperDevice {
    bool runs = false;  // whether the device and this build run kernels for sm_90a
    ClusterCounts clusters = {};
};

// The device must be the current one.
inline const HopperDevice& hopper_device(const DeviceInfo& device) {
    static std::mutex asking;
    static std::map<int, HopperDevice> known;  // by ordinal
    const std::lock_guard lock(asking);
    const auto found = known.find(device.ordinal);
    if (found != known.end()) return found->second;
    HopperDevice& asked = known[device.ordinal];
    asked.runs = hopper_kernels_run(device.compute_capability);
    if (asked.runs) asked.clusters = cluster_counts();
    return asked;
}

}  // namespace BACKEND
