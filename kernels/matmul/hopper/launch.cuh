// SPDX-License-Identifier: MIT
#pragma once
// The host side of the Hopper matrix kernels: operands prepared for TMA, and launches in clusters.
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/stream_k.cuh"
#include "kernels/matmul/hopper/tensor_map.cuh"

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

/// A matrix to copy to one with longer rows, and the blocks that do so.
template <typename T>
struct RowsToPad {
    const T* source = nullptr;
    size_t rows = 0, columns = 0;
    T* target = nullptr;
    size_t target_columns = 0;
    unsigned blocks = 0;
};

/// Copies one matrix or two. Grid: the blocks of both; any block. Neighboring threads move neighboring 16-byte pieces
/// of the target, each thread four at a time, so that four loads are in flight.
template <typename T>
__global__ void pad_rows(RowsToPad<T> first_matrix, RowsToPad<T> second_matrix) {
#if HOPPER_CODE
    let_next_kernel_begin();
#endif
    const bool is_second = blockIdx.x >= first_matrix.blocks;
    const RowsToPad<T> matrix = is_second ? second_matrix : first_matrix;
    const size_t block = is_second ? blockIdx.x - first_matrix.blocks : blockIdx.x;
    constexpr unsigned elements = sizeof(float4) / sizeof(T), loads_in_flight = 4;
    const size_t pieces = matrix.target_columns / elements, grid_stride = size_t{matrix.blocks} * blockDim.x;
    const size_t next_row = grid_stride / pieces, next_piece = grid_stride % pieces;  // divide once: it is slow
    const size_t first = block * blockDim.x + threadIdx.x;
    const bool whole_pieces =
        matrix.columns % elements == 0 && reinterpret_cast<std::uintptr_t>(matrix.source) % sizeof(float4) == 0;
    size_t row = first / pieces, piece = first % pieces;
    while (row < matrix.rows) {
        float4 loaded[loads_in_flight];
        float4* to[loads_in_flight];
#pragma unroll
        for (unsigned i = 0; i < loads_in_flight; ++i) {
            const bool exists = row < matrix.rows;
            to[i] = exists ? reinterpret_cast<float4*>(matrix.target + row * matrix.target_columns) + piece : nullptr;
            if (exists)
                loaded[i] =
                    load_piece(matrix.source + row * matrix.columns, piece * elements, matrix.columns, whole_pieces);
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

/// How many blocks of grid_stride_threads to launch for `threads` threads' work: at most so many per
/// multiprocessor.
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

/// A matrix to copy to `target`, whose rows begin at multiples of `row_alignment` bytes.
template <typename T>
RowsToPad<T> rows_to_pad(const T* source, size_t rows, size_t columns, T* target, unsigned multiprocessors,
                         size_t row_alignment = tensor_row_alignment) {
    const size_t target_columns = padded_columns<T>(columns, row_alignment);
    const size_t pieces = rows * target_columns * sizeof(T) / tensor_row_alignment;
    return {source, rows, columns, target, target_columns, grid_stride_blocks(pieces, multiprocessors)};
}

/// Enqueues the copies of one matrix or two.
template <typename T>
void enqueue_padding(const RowsToPad<T>& one, const RowsToPad<T>& other, cudaStream_t stream) {
    pad_rows<<<one.blocks + other.blocks, grid_stride_threads, 0, stream>>>(one, other);
}

/// A matrix with aligned rows: the source itself, or a copy.
template <typename T>
const T* with_aligned_rows(const T* source, size_t rows, size_t columns, T* target,
                           const MatmulArguments<T>& arguments) {
    if (rows_are_aligned(source, columns)) return source;
    enqueue_padding(rows_to_pad(source, rows, columns, target, arguments.multiprocessors), {}, arguments.stream);
    return target;
}

/// The stream of a kernel's launch, and whether the kernel may begin while the previous one, which copies what it
/// reads, still runs: it calls wait_for_previous_kernel() first.
struct HopperStream {
    cudaStream_t stream;
    bool overlaps = false;

    HopperStream(cudaStream_t stream_, bool overlaps_ = false) : stream(stream_), overlaps(overlaps_) {}
};

/// The matrices of an operand, `stride` elements apart. (See StoredLayouts::only_many.)
template <typename T>
MatrixCount matrices_of(const MatmulArguments<T>& arguments, size_t stride) {
    return {arguments.batch, stride, arguments.a_transposed || arguments.b_transposed || arguments.c_transposed};
}

/// A and B as they are stored, with aligned rows, copied if need be. A copy's rows begin at cache lines. In a batch all
/// rows are aligned. `as_batch`: see MatrixCount.
template <typename T>
class HopperOperands {
public:
    explicit HopperOperands(const MatmulArguments<T>& arguments, bool as_batch = false)
        : a_(extents_of(arguments.m, arguments.k, arguments.a_transposed)),
          b_(extents_of(arguments.k, arguments.n, arguments.b_transposed)),
          a_transposed_(arguments.a_transposed),
          n_(arguments.n),
          stream_(arguments.stream) {
        auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
        const auto align = [&](Stored& stored, const T* d_matrix, size_t stride) {
            stored.d_matrix = d_matrix;
            stored.count = matrices_of(arguments, stride);
            stored.count.as_batch |= as_batch;
            if (rows_are_aligned(d_matrix, stored.columns)) return RowsToPad<T>{};
            const RowsToPad<T> copy =
                rows_to_pad(d_matrix, stored.rows, stored.columns, reinterpret_cast<T*>(workspace),
                            arguments.multiprocessors, cache_line_bytes);
            stored.d_matrix = copy.target;
            stored.row_elements = copy.target_columns;
            workspace += padded_bytes<T>(stored.rows, stored.columns, cache_line_bytes);
            return copy;
        };
        const RowsToPad<T> copy_of_a = align(a_, arguments.d_a, arguments.stride_a),
                           copy_of_b = align(b_, arguments.d_b, arguments.stride_b);
        stream_.overlaps = copy_of_a.blocks + copy_of_b.blocks > 0;
        if (stream_.overlaps) enqueue_padding(copy_of_a, copy_of_b, arguments.stream);
    }

    /// For the launch of the product, which is the next one.
    const HopperStream& stream() const { return stream_; }

    /// The workspace that a launch may need.
    static size_t workspace_bytes(size_t m, size_t n, size_t k, bool a_transposed, bool b_transposed) {
        const auto bytes = [](const Stored& stored) {
            const bool aligned = stored.columns * sizeof(T) % tensor_row_alignment == 0;
            return aligned ? 0 : padded_bytes<T>(stored.rows, stored.columns, cache_line_bytes);
        };
        return bytes(extents_of(m, k, a_transposed)) + bytes(extents_of(k, n, b_transposed));
    }

    /// For tiles of A of tile_m rows, each in `parts` equal parts that blocks load, and of B in boxes of `b_box_rows`
    /// rows.
    OperandMaps maps(unsigned tile_m, unsigned b_box_rows, CUtensorMapDataType type = tensor_map_type<T>,
                     unsigned parts = 1) const {
        const unsigned row_step = 8 * parts;  // each part is whole groups of swizzled rows
        const size_t m = a_transposed_ ? a_.columns : a_.rows, left = m % tile_m, last_row = m - left;
        const unsigned last_rows = a_transposed_ || left == 0 ? tile_m : unsigned(divide_up(left, row_step) * row_step);
        return {map_a(tile_m / parts, type),
                map_a(last_rows / parts, type),
                map_b(CU_TENSOR_MAP_SWIZZLE_128B, type, b_box_rows),
                static_cast<int>(last_row),
                static_cast<int>(last_rows / parts),
                static_cast<int>(n_)};
    }
    /// For A's tile in one box or, if A is stored transposed, in square ones.
    CUtensorMap map_a(unsigned tile_m, CUtensorMapDataType type = tensor_map_type<T>) const {
        return map_of(a_, a_transposed_ ? box : tile_m, box, CU_TENSOR_MAP_SWIZZLE_128B, type);
    }
    CUtensorMap map_b(CUtensorMapSwizzle swizzle, CUtensorMapDataType type = tensor_map_type<T>,
                      unsigned box_rows = box) const {
        return map_of(b_, box_rows, box, swizzle, type, all_want_same_lines_of_b());
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
    // If B's rows are short and A has many, most blocks want the same lines of B at the same time: fetching two at once
    // made products of 256 and 384 columns 10 % faster. (It made those with few rows of A 5 % slower.)
    bool all_want_same_lines_of_b() const {
        constexpr size_t short_row_bytes = 1024, many_rows = 1024;
        return !a_transposed_ && a_.rows >= many_rows && b_.columns * sizeof(T) <= short_row_bytes;
    }

    static CUtensorMap map_of(const Stored& of, unsigned box_rows, unsigned box_columns, CUtensorMapSwizzle swizzle,
                              CUtensorMapDataType type, bool neighbors = false) {
        return tensor_map(of.d_matrix, of.rows, of.columns, of.row_elements, box_rows, box_columns, swizzle, type,
                          of.count, neighbors || is_batch_of_long_rows(of));
    }
    // Of such batches, too, two lines are fetched at once: a thousand products of 512 in f16 took 561 us, not 662 (tiles
    // of 192 x 128, H100). With shorter rows it made little difference.
    static bool is_batch_of_long_rows(const Stored& of) {
        constexpr size_t long_row_bytes = 1024;
        return of.count.matrices > 1 && of.columns * sizeof(T) >= long_row_bytes;
    }

    Stored a_, b_;
    bool a_transposed_;
    size_t n_;
    HopperStream stream_;
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
template <typename Order = TileOrder, typename T>
Order order_of(const MatmulArguments<T>& arguments, unsigned tile_m, unsigned tile_n, unsigned group,
               unsigned together = 1) {
    return {grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group, together, arguments.batch};
}

/// Which of the tiles Stream-K shares. `together`: 2 if the blocks of a cluster work on pairs of tiles.
template <typename T>
StreamKSchedule schedule_of(const MatmulArguments<T>& arguments, const TileOrder& order, unsigned together = 1) {
    StreamKSchedule schedule = stream_k_schedule(order.tiles() / together, arguments.k, hopper_tile_k<T>,
                                                 arguments.multiprocessors / together, arguments.sharing);
    schedule.paired = together - 1;
    return arguments.sharing.side_by_side ? side_by_side(schedule) : schedule;
}

/// One block per multiprocessor, in whole clusters, and no more than there are tiles.
inline unsigned persistent_grid(const TileOrder& order, unsigned multiprocessors, unsigned cluster = 1) {
    const unsigned blocks = multiprocessors / cluster * cluster;
    return order.tiles() < blocks ? order.tiles() : blocks;
}

/// The same for tiles of which a multiprocessor works on several, each by a block of its own. Blocks that stay load
/// their next tile while they store. But the device does not spread those that have a tile more evenly: where a second
/// round is a quarter to nine tenths full and tiles take long, blocks of one tile each are faster (by up to a sixth in
/// nine products in f64 on an H100).
inline unsigned resident_grid(const TileOrder& order, unsigned blocks, size_t multiplications_of_tile) {
    constexpr size_t least_multiplications = 600'000;
    const size_t tiles = order.tiles();
    const bool is_uneven = tiles * 4 >= size_t{blocks} * 5 && tiles * 10 <= size_t{blocks} * 19;
    return is_uneven && multiplications_of_tile >= least_multiplications ? order.tiles()
                                                                         : persistent_grid(order, blocks);
}

/// The layout of d_partials: one counter per block, then the sums that each block leaves.
inline size_t partial_counters_bytes(unsigned multiprocessors) {
    return divide_up(multiprocessors * sizeof(unsigned), 256) * 256;
}
inline size_t partial_sums_bytes(unsigned multiprocessors) {
    return partial_counters_bytes(multiprocessors) + multiprocessors * partial_tile_elements * sizeof(float);
}
template <typename T>
PartialSums partial_sums(const MatmulArguments<T>& arguments) {
    auto* memory = static_cast<unsigned char*>(arguments.d_partials);
    return {reinterpret_cast<float*>(memory + partial_counters_bytes(arguments.multiprocessors)),
            reinterpret_cast<unsigned*>(memory)};
}

/// The defaults of a type that names a Hopper kernel with one tile size. Such a type also has
///     Element, tile_m, tile_n
///     enqueue(arguments)   enqueues the product
struct HopperTile {
    static constexpr unsigned split_k = 1;          // blocks of a cluster that share one tile along k
    static constexpr unsigned cluster_rows = 1;     // blocks of a cluster with tiles below each other: they share B
    static constexpr unsigned cluster_columns = 1;  // with tiles side by side: they share A (see ClusterOf)
    static constexpr unsigned at_once = 1;          // tiles that a multiprocessor works on, in groups or in blocks
    static constexpr unsigned least_k = 0;          // not 0: multiplies so many steps of the last stage, or a multiple
    static constexpr unsigned least_rows = 0;       // not 0: tiles have any multiple of 8 rows from here to tile_m
    static constexpr bool stream_k = false;         // can share tiles
    static constexpr bool can_exchange = false;     // whose blocks can exchange their sums: see SumsOfShares
    static constexpr bool deals_side_by_side = false;  // its shares, by side_by_side()
    static constexpr unsigned row_sets = 0;            // not 0: reads unaligned rows in place, in so many sets
    static constexpr bool needs_aligned_rows = false;  // of C, for TMA or stores of 16 bytes
    static constexpr bool takes_batch = false;         // all products in one launch; their rows are aligned
    static constexpr bool only_batch = false;          // takes nothing else
    using Layouts = PlainLayouts;                      // how A, B and C are stored
};

/// The kernel for one product or, if the tile takes a batch and there is one, for many.
template <bool takes_batch, typename T, typename Kernel>
Kernel* kernel_of(const MatmulArguments<T>& arguments, Kernel* one, Kernel* many) {
    return takes_batch && arguments.batch > 1 ? many : one;
}

/// Whether all blocks of a launch with such an argument must run at the same time.
inline bool needs_all_blocks(const StreamKSchedule& schedule) { return schedule.exchanged; }
template <typename Argument>
bool needs_all_blocks(const Argument&) {
    return false;
}

/// Blocks that wait for one another are launched together or not at all, even if they cannot overlap with the launch
/// before then: of two such grids that share a GPU, each might else have half of the multiprocessors.
template <typename... Parameters, typename... Arguments>
LaunchShape launch_hopper(void (*kernel)(Parameters...), unsigned grid, unsigned block, size_t shared_bytes,
                          unsigned cluster, const HopperStream& stream, const Arguments&... arguments) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(grid);
    configuration.blockDim = dim3(block);
    configuration.dynamicSmemBytes = shared_bytes;
    configuration.stream = stream.stream;
    configuration.attrs = attributes;
    if (cluster > 1) {
        cudaLaunchAttribute& attribute = attributes[configuration.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    }
    if ((needs_all_blocks(arguments) || ...)) {
        cudaLaunchAttribute& attribute = attributes[configuration.numAttrs++];
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    } else if (stream.overlaps) {
        cudaLaunchAttribute& attribute = attributes[configuration.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    CHECK(cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...));
    return {configuration.gridDim, configuration.blockDim, shared_bytes, address_of(kernel)};
}

}  // namespace BACKEND
