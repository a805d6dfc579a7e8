#pragma once
// The host side of the Hopper matrix kernels: operands prepared for TMA, and launches in clusters.
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "kernels/matmul/hopper/stream_k_cost.cuh"
#include "kernels/matmul/hopper/tensor_map.cuh"
#include "kernels/matmul/tile_order.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Whether TMA can read or write a matrix in place: all its rows begin at multiples of 16 bytes.
template <typename T>
bool rows_are_aligned(const T* d_matrix, size_t columns) {
    return reinterpret_cast<std::uintptr_t>(d_matrix) % tensor_row_alignment == 0 &&
           columns * sizeof(T) % tensor_row_alignment == 0;
}

/// Columns rounded up to whole pieces of `bytes` bytes: TMA's row alignment, or cache lines.
template <typename T>
constexpr size_t padded_columns(size_t columns, size_t bytes = tensor_row_alignment) {
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

/// Copies a matrix to one with longer rows; any grid and block. Neighboring threads move neighboring 16-byte pieces
/// of the target, each thread four at a time, so that four loads are in flight.
template <typename T>
__global__ void pad_rows(const T* __restrict__ source, size_t rows, size_t columns, T* __restrict__ target,
                         size_t target_columns) {
    constexpr unsigned elements = sizeof(float4) / sizeof(T), loads_in_flight = 4;
    const size_t pieces = target_columns / elements, grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    const size_t next_row = grid_stride / pieces, next_piece = grid_stride % pieces;  // divide once: it is slow
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

/// How many blocks of grid_stride_threads to launch for `threads` threads' work: no more than are resident at once.
constexpr unsigned grid_stride_threads = 256;
inline unsigned grid_stride_blocks(size_t threads, unsigned multiprocessors, unsigned blocks_per_multiprocessor = 8) {
    const size_t needed = divide_up(threads, grid_stride_threads),
                 resident = size_t{multiprocessors} * blocks_per_multiprocessor;
    return static_cast<unsigned>(needed < resident ? needed : resident);
}

/// The bytes of a matrix with padded rows.
template <typename T>
size_t padded_bytes(size_t rows, size_t columns, size_t row_alignment = tensor_row_alignment) {
    return divide_up(rows * padded_columns<T>(columns, row_alignment) * sizeof(T), 256) * 256;
}

/// Enqueues a kernel that copies a matrix to `target` with padded rows. Returns the copy.
template <typename T>
const T* copy_with_padded_rows(const T* source, size_t rows, size_t columns, T* target,
                               const MatmulArguments<T>& arguments, size_t row_alignment = tensor_row_alignment) {
    const size_t target_columns = padded_columns<T>(columns, row_alignment);
    const size_t pieces = rows * target_columns * sizeof(T) / tensor_row_alignment;
    pad_rows<<<grid_stride_blocks(pieces, arguments.multiprocessors), grid_stride_threads, 0, arguments.stream>>>(
        source, rows, columns, target, target_columns);
    return target;
}

/// A matrix with aligned rows: the source itself, or a copy.
template <typename T>
const T* with_aligned_rows(const T* source, size_t rows, size_t columns, T* target,
                           const MatmulArguments<T>& arguments) {
    if (rows_are_aligned(source, columns)) return source;
    return copy_with_padded_rows(source, rows, columns, target, arguments);
}

/// The matrices of an operand, `stride` elements apart. (See StoredLayouts::only_many.)
template <typename T>
MatrixCount matrices_of(const MatmulArguments<T>& arguments, size_t stride) {
    return {arguments.batch, stride, arguments.a_transposed || arguments.b_transposed || arguments.c_transposed};
}

/// A and B as they are stored, with aligned rows, copied if need be. A copy's rows begin at cache lines. In a batch all
/// rows are aligned.
template <typename T>
class HopperOperands {
public:
    explicit HopperOperands(const MatmulArguments<T>& arguments)
        : a_(extents_of(arguments.m, arguments.k, arguments.a_transposed)),
          b_(extents_of(arguments.k, arguments.n, arguments.b_transposed)),
          a_transposed_(arguments.a_transposed) {
        auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
        const auto align = [&](Stored& stored, const T* d_matrix, size_t stride) {
            stored.d_matrix = d_matrix;
            stored.count = matrices_of(arguments, stride);
            if (rows_are_aligned(d_matrix, stored.columns)) return;
            stored.d_matrix = copy_with_padded_rows(d_matrix, stored.rows, stored.columns,
                                                    reinterpret_cast<T*>(workspace), arguments, cache_line_bytes);
            stored.row_elements = padded_columns<T>(stored.columns, cache_line_bytes);
            workspace += padded_bytes<T>(stored.rows, stored.columns, cache_line_bytes);
        };
        align(a_, arguments.d_a, arguments.stride_a);
        align(b_, arguments.d_b, arguments.stride_b);
    }

    /// The workspace that a launch may need.
    static size_t workspace_bytes(size_t m, size_t n, size_t k, bool a_transposed, bool b_transposed) {
        const auto bytes = [](const Stored& stored) {
            const bool aligned = stored.columns * sizeof(T) % tensor_row_alignment == 0;
            return aligned ? 0 : padded_bytes<T>(stored.rows, stored.columns, cache_line_bytes);
        };
        return bytes(extents_of(m, k, a_transposed)) + bytes(extents_of(k, n, b_transposed));
    }

    /// For A's tile in one box or, if A is stored transposed, in square ones.
    CUtensorMap map_a(unsigned tile_m, CUtensorMapDataType type = tensor_map_type<T>) const {
        return map_of(a_, a_transposed_ ? box : tile_m, box, CU_TENSOR_MAP_SWIZZLE_128B, type);
    }
    CUtensorMap map_b(CUtensorMapSwizzle swizzle, CUtensorMapDataType type = tensor_map_type<T>,
                      unsigned box_rows = box) const {
        return map_of(b_, box_rows, box, swizzle, type);
    }
    /// For B's tile in one box: rows of tile_n elements, not swizzled.
    CUtensorMap map_b_rows(unsigned tile_n) const {
        return map_of(b_, box, tile_n, CU_TENSOR_MAP_SWIZZLE_NONE, tensor_map_type<T>);
    }
    /// The same for the tile of an A that is stored transposed.
    CUtensorMap map_a_rows(unsigned tile_m) const {
        return map_of(a_, box, tile_m, CU_TENSOR_MAP_SWIZZLE_NONE, tensor_map_type<T>);
    }

private:
    static constexpr unsigned box = 128 / sizeof(T);
    static constexpr size_t cache_line_bytes = 128;

    struct Stored {
        size_t rows, columns, row_elements;  // row_elements: from one row to the next
        const T* d_matrix = nullptr;
        MatrixCount count = {};
    };
    static Stored extents_of(size_t rows, size_t columns, bool transposed) {
        return transposed ? Stored{columns, rows, rows} : Stored{rows, columns, columns};
    }
    static CUtensorMap map_of(const Stored& of, unsigned box_rows, unsigned box_columns, CUtensorMapSwizzle swizzle,
                              CUtensorMapDataType type) {
        return tensor_map(of.d_matrix, of.rows, of.columns, of.row_elements, box_rows, box_columns, swizzle, type,
                          of.count);
    }

    Stored a_, b_;
    bool a_transposed_;
};

/// A stage is always as many steps along k as 128 bytes of a row have.
template <typename T>
constexpr unsigned hopper_tile_k = 128 / sizeof(T);

template <typename T>
size_t columns_of_c(const MatmulArguments<T>& arguments) {
    return arguments.c_transposed ? arguments.m : arguments.n;
}

/// C as it is stored, for copies out in boxes of box_rows x box_columns.
template <typename T>
CUtensorMap map_of_c(const MatmulArguments<T>& arguments, unsigned box_rows, unsigned box_columns) {
    using Result = typename MatmulArguments<T>::Result;
    const size_t columns = columns_of_c(arguments), rows = arguments.c_transposed ? arguments.n : arguments.m;
    return tensor_map(arguments.d_c, rows, columns, columns, box_rows, box_columns, CU_TENSOR_MAP_SWIZZLE_128B,
                      tensor_map_type<Result>, matrices_of(arguments, arguments.stride_c));
}

/// The tiles of a product, or of all those of a batch.
template <typename T>
TileOrder order_of(const MatmulArguments<T>& arguments, unsigned tile_m, unsigned tile_n, unsigned group,
                   unsigned together = 1) {
    return {grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group, together, arguments.batch};
}

/// Which of the tiles Stream-K shares.
template <typename T>
StreamKSchedule schedule_of(const MatmulArguments<T>& arguments, const TileOrder& order, const StreamKCost& cost) {
    return stream_k_schedule(order.tiles(), arguments.k, hopper_tile_k<T>, arguments.multiprocessors, cost,
                             arguments.stream_k_shares);
}

/// One block per multiprocessor, in whole clusters, and no more than there are tiles.
inline unsigned persistent_grid(const TileOrder& order, unsigned multiprocessors, unsigned cluster = 1) {
    const unsigned blocks = multiprocessors / cluster * cluster;
    return order.tiles() < blocks ? order.tiles() : blocks;
}

/// The layout of d_partials: one flag per block, then one tile's sums per block.
inline size_t partial_flags_bytes(unsigned multiprocessors) {
    return divide_up(multiprocessors * sizeof(unsigned), 256) * 256;
}
inline size_t partial_sums_bytes(unsigned multiprocessors) {
    return partial_flags_bytes(multiprocessors) + multiprocessors * partial_tile_elements * sizeof(float);
}
template <typename T>
PartialSums partial_sums(const MatmulArguments<T>& arguments) {
    auto* memory = static_cast<unsigned char*>(arguments.d_partials);
    return {reinterpret_cast<float*>(memory + partial_flags_bytes(arguments.multiprocessors)),
            reinterpret_cast<unsigned*>(memory)};
}

/// The defaults of a type that names a Hopper kernel with one tile size. Such a type also has
///     Element, tile_m, tile_n
///     enqueue(arguments, cost)   enqueues the product; `cost` decides which tiles Stream-K shares
struct HopperTile {
    static constexpr unsigned split_k = 1;             // blocks of a cluster that share one tile along k
    static constexpr unsigned multicast = 1;           // blocks of a cluster that receive the same columns of B
    static constexpr unsigned at_once = 1;             // tiles that a multiprocessor works on; > 1 only for batches
    static constexpr unsigned least_rows = 0;          // not 0: tiles have any multiple of 8 rows from here to tile_m
    static constexpr bool stream_k = false;            // can share tiles
    static constexpr bool needs_aligned_rows = false;  // of C: TMA stores them
    static constexpr bool takes_batch = false;         // all products in one launch; their rows are aligned
    using Layouts = PlainLayouts;                      // how A, B and C are stored
};

/// The kernel for one product or, if the tile takes a batch and there is one, for many.
template <bool takes_batch, typename T, typename Kernel>
Kernel* kernel_of(const MatmulArguments<T>& arguments, Kernel* one, Kernel* many) {
    return takes_batch && arguments.batch > 1 ? many : one;
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

}  // namespace BACKEND
