#pragma once
// The host's side of the Hopper matrix kernels: operands as the copy engine wants them, which tiles are shared, and
// launches in clusters.
#include "kernels/matmul/hopper/shares.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/tensor_map.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Whether the copy engine can read or write a matrix as it lies: its rows begin at multiples of 16 bytes.
template <typename T> bool rows_are_aligned(const T* d_matrix, size_t columns) {
    return reinterpret_cast<std::uintptr_t>(d_matrix) % tensor_row_alignment == 0 &&
           columns * sizeof(T) % tensor_row_alignment == 0;
}

/// Columns that fill pieces of `bytes`: the least that the copy engine reads, or whole lines of the caches.
template <typename T> constexpr size_t padded_columns(size_t columns, size_t bytes = tensor_row_alignment) {
    return divide_up(columns * sizeof(T), bytes) * bytes / sizeof(T);
}

/// A 16-byte piece of a row; zero beyond its end. `whole_pieces`: all rows begin at multiples of 16 bytes.
template <typename T>
__device__ inline float4 load_piece(const T* row, size_t column, size_t columns, bool whole_pieces) {
    constexpr unsigned elements = sizeof(float4) / sizeof(T);
    if (whole_pieces && column < columns) return *reinterpret_cast<const float4*>(row + column);
    alignas(16) T piece[elements] = {};
#pragma unroll
    for (unsigned e = 0; e < elements; ++e)
        if (column + e < columns) piece[e] = row[column + e];
    return *reinterpret_cast<const float4*>(piece);
}

/// Copies a matrix to one with longer rows. Neighbouring threads move neighbouring 16-byte pieces of the target, four
/// each at a time, so that four loads are in flight.
template <typename T>
__global__ void pad_rows(const T* __restrict__ source, size_t rows, size_t columns, T* __restrict__ target,
                         size_t target_columns) {
    constexpr unsigned elements = sizeof(float4) / sizeof(T), loads_in_flight = 4;
    const size_t pieces = target_columns / elements, grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    const size_t next_row = grid_stride / pieces, next_piece = grid_stride % pieces; // divisions take long: only here
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool whole_pieces = columns % elements == 0 && reinterpret_cast<std::uintptr_t>(source) % sizeof(float4) == 0;
    size_t row = first / pieces, piece = first % pieces;
    while (row < rows) {
        float4 loaded[loads_in_flight];
        float4* to[loads_in_flight];
#pragma unroll
        for (unsigned i = 0; i < loads_in_flight; ++i) {
            const bool exists = row < rows;
            to[i] = exists ? reinterpret_cast<float4*>(target + row * target_columns) + piece : nullptr;
            if (exists) loaded[i] = load_piece(source + row * columns, piece * elements, columns, whole_pieces);
            row += next_row;
            piece += next_piece;
            if (piece >= pieces) {
                piece -= pieces;
                ++row;
            }
        }
#pragma unroll
        for (unsigned i = 0; i < loads_in_flight; ++i)
            if (to[i]) *to[i] = loaded[i];
    }
}

/// Blocks of grid_stride_threads for a kernel with so much to do: no more than are resident at once.
constexpr unsigned grid_stride_threads = 256;
inline unsigned grid_stride_blocks(size_t threads, unsigned multiprocessors, unsigned blocks_per_multiprocessor = 8) {
    const size_t needed = divide_up(threads, grid_stride_threads),
                 resident = size_t{multiprocessors} * blocks_per_multiprocessor;
    return static_cast<unsigned>(needed < resident ? needed : resident);
}

/// The memory of a matrix with padded rows.
template <typename T> size_t padded_bytes(size_t rows, size_t columns, size_t row_alignment = tensor_row_alignment) {
    return divide_up(rows * padded_columns<T>(columns, row_alignment) * sizeof(T), 256) * 256;
}

/// Copies a matrix to `target` by a kernel ahead of the product. Returns the copy.
template <typename T>
const T* copy_with_padded_rows(const T* source, size_t rows, size_t columns, T* target,
                               const MatmulArguments<T>& arguments, size_t row_alignment = tensor_row_alignment) {
    const size_t target_columns = padded_columns<T>(columns, row_alignment);
    const size_t pieces = rows * target_columns * sizeof(T) / tensor_row_alignment;
    pad_rows<<<grid_stride_blocks(pieces, arguments.multiprocessors), grid_stride_threads, 0, arguments.stream>>>(
        source, rows, columns, target, target_columns);
    return target;
}

/// A matrix with aligned rows: as it is, or a copy.
template <typename T>
const T* with_aligned_rows(const T* source, size_t rows, size_t columns, T* target,
                           const MatmulArguments<T>& arguments) {
    if (rows_are_aligned(source, columns)) return source;
    return copy_with_padded_rows(source, rows, columns, target, arguments);
}

/// A and B with aligned rows. Copies' rows begin at whole lines of the caches.
template <typename T> class HopperOperands {
public:
    explicit HopperOperands(const MatmulArguments<T>& arguments)
        : arguments_(arguments), d_a_(arguments.d_a), d_b_(arguments.d_b), row_a_(arguments.k), row_b_(arguments.n) {
        const size_t m = arguments.m, n = arguments.n, k = arguments.k;
        auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
        if (!rows_are_aligned(d_a_, k)) {
            d_a_ = copy_with_padded_rows(d_a_, m, k, reinterpret_cast<T*>(workspace), arguments, cache_line_bytes);
            row_a_ = padded_columns<T>(k, cache_line_bytes);
            workspace += padded_bytes<T>(m, k, cache_line_bytes);
        }
        if (!rows_are_aligned(d_b_, n)) {
            d_b_ = copy_with_padded_rows(d_b_, k, n, reinterpret_cast<T*>(workspace), arguments, cache_line_bytes);
            row_b_ = padded_columns<T>(n, cache_line_bytes);
        }
    }

    /// The workspace that a launch may need.
    static size_t workspace_bytes(size_t m, size_t n, size_t k) {
        const bool aligned_a = k * sizeof(T) % tensor_row_alignment == 0,
                   aligned_b = n * sizeof(T) % tensor_row_alignment == 0;
        return (aligned_a ? 0 : padded_bytes<T>(m, k, cache_line_bytes)) +
               (aligned_b ? 0 : padded_bytes<T>(k, n, cache_line_bytes));
    }

    CUtensorMap map_a(unsigned tile_m, CUtensorMapDataType type = tensor_map_type<T>) const {
        return tensor_map(d_a_, arguments_.m, arguments_.k, row_a_, tile_m, box, CU_TENSOR_MAP_SWIZZLE_128B, type);
    }
    CUtensorMap map_b(CUtensorMapSwizzle swizzle, CUtensorMapDataType type = tensor_map_type<T>,
                      unsigned box_rows = box) const {
        return tensor_map(d_b_, arguments_.k, arguments_.n, row_b_, box_rows, box, swizzle, type);
    }
    /// B's tile in one box, its rows of tile_n elements below each other.
    CUtensorMap map_b_rows(unsigned tile_n) const {
        return tensor_map(d_b_, arguments_.k, arguments_.n, row_b_, box, tile_n, CU_TENSOR_MAP_SWIZZLE_NONE);
    }

private:
    static constexpr unsigned box = 128 / sizeof(T);
    static constexpr size_t cache_line_bytes = 128;

    MatmulArguments<T> arguments_;
    const T *d_a_, *d_b_;
    size_t row_a_, row_b_; // elements from one row to the next
};

/// A block per multiprocessor, in whole clusters, and no more than there are tiles.
inline unsigned persistent_grid(const TileOrder& order, unsigned multiprocessors, unsigned cluster = 1) {
    const unsigned blocks = multiprocessors / cluster * cluster;
    return order.tiles() < blocks ? order.tiles() : blocks;
}

/// What sharing costs, in stages, as measured: waiting for each other takes as long as `stages_of_waiting`, adding one
/// block's sums as `stages_per_sum`. Where shares begin in the middle of tiles, blocks that run at the same time are at
/// different places along k and find less in the L2 cache: each stage takes `slowdown` times as long. `group` sums are
/// added one after another, then those of the groups.
struct SharingCost {
    double slowdown = 1, stages_per_sum = 1, stages_of_waiting = 0;
    bool possible = true;
    size_t group = 1024; // all
};
constexpr SharingCost f32_sharing = {1, 0.6}, tensor_core_sharing = {1.4, 2.3, 9}, no_sharing = {1, 1, 0, false};

/// Of tiles whose sums are added in groups, with so many elements and cycles a stage; as measured.
constexpr SharingCost grouped_sharing(double elements, double stage_cycles) {
    const double sum_cycles = 250 + elements / 12, waiting_cycles = 5000;
    return {1, sum_cycles / stage_cycles, waiting_cycles / stage_cycles, true, sums_group};
}

/// The time of `left` tiles cut into `shares`, in stages of a whole tile.
inline double shared_stages(size_t left, size_t steps, size_t shares, const SharingCost& cost) {
    const bool equal_parts = shares % left == 0; // of each tile
    double stages = double(divide_up(left * steps, shares)) * (equal_parts ? 1 : cost.slowdown);
    for (size_t sums = divide_up(shares, left), added = 0; added != 1; sums = added) {
        added = divide_up(sums, cost.group);
        stages += double(std::min(sums, cost.group)) * cost.stages_per_sum + cost.stages_of_waiting;
    }
    return stages;
}

/// Tiles in whole waves; those of the last wave are shared out if that is faster, among all blocks or into so many
/// equal parts each. Where stages do not become slower by it, a whole wave may be shared together with them: a few
/// tiles more make its shares a little longer, whereas alone they would be cut in parts whose sums take long to add.
inline TileShares tile_shares(size_t tiles, size_t k, unsigned tile_k, unsigned blocks, const SharingCost& cost) {
    const size_t steps = divide_up(k, tile_k), left = tiles % blocks;
    size_t shared = 0, shares = 0;
    double fewest = double(steps);
    const auto consider = [&](size_t candidate_tiles, size_t candidate) {
        const size_t whole_waves = candidate_tiles / blocks;
        const double stages = shared_stages(candidate_tiles, steps, candidate, cost) - double(whole_waves * steps);
        if (stages >= fewest) return;
        fewest = stages;
        shared = candidate_tiles;
        shares = candidate;
    };
    if (cost.possible && left > 0 && (left + blocks) * steps < size_t{1} << 31) { // device code counts in 32 bits
        if (left * steps >= blocks) consider(left, blocks); // no share is empty
        for (size_t parts = 2; parts * left <= blocks && parts <= steps; ++parts) consider(left, parts * left);
        if (cost.slowdown <= 1 && tiles > blocks) consider(left + blocks, blocks);
    }
    return {static_cast<unsigned>(tiles), static_cast<unsigned>(tiles - shared), static_cast<unsigned>(steps),
            static_cast<unsigned>(shares)};
}

/// A block per multiprocessor, in whole clusters, and no more than there are tiles if they are not shared.
inline unsigned shares_grid(const TileShares& shares, unsigned multiprocessors) {
    const unsigned blocks = multiprocessors >> shares.paired;
    return (shares.shares == 0 && shares.tiles < blocks ? shares.tiles : blocks) << shares.paired;
}

/// For each block a tile's sums; before them, the flags.
inline size_t partial_flags_bytes(unsigned multiprocessors) {
    return divide_up(multiprocessors * sizeof(unsigned), 256) * 256;
}
inline size_t partial_sums_bytes(unsigned multiprocessors) {
    return partial_flags_bytes(multiprocessors) + multiprocessors * partial_tile_elements * sizeof(float);
}
template <typename T> PartialSums partial_sums(const MatmulArguments<T>& arguments) {
    auto* memory = static_cast<unsigned char*>(arguments.d_partials);
    return {reinterpret_cast<float*>(memory + partial_flags_bytes(arguments.multiprocessors)),
            reinterpret_cast<unsigned*>(memory)};
}

template <typename... Parameters, typename... Arguments>
LaunchShape launch_hopper(void (*kernel)(Parameters...), unsigned grid, unsigned block, size_t shared_bytes,
                          unsigned cluster, cudaStream_t stream, const Arguments&... arguments) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(grid);
    configuration.blockDim = dim3(block);
    configuration.dynamicSmemBytes = shared_bytes;
    configuration.stream = stream;
    configuration.attrs = &attribute;
    configuration.numAttrs = cluster > 1 ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...));
    return {configuration.gridDim, configuration.blockDim, shared_bytes, address_of(kernel)};
}

} // namespace BACKEND
