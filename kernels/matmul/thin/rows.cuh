#pragma once
// C = A B where C has few rows: the time is that of reading B.
//   matmul_few_rows   removes, from the tiled kernels, the rows of a tile that do not exist: a lane has one to four
//                     neighboring columns of all rows of C. Warps take parts of B of sixteen rows in turn; all loads of
//                     a part are in flight together, and so are those of the elements of A that belong to it, which
//                     pass through the warp's own place in shared memory: no warp waits for another before the end
// Any n and k, up to 8 rows. A load has the most elements, up to 8 bytes, that all of B's rows are multiples of: rows
// that begin anywhere need no other kernel. If tiles of columns are too few for the device, the blocks of a cluster
// share k, and the first one adds their sums. The simulator has no clusters: there, a block has all of k.
#include "common/cuda/check.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/packed_results.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

constexpr int few_rows = 8, few_rows_in_flight = 16;          // rows of C; rows of B that a warp loads at once
constexpr unsigned few_rows_warps = 16, few_rows_shares = 8;  // the most; every device with clusters has those of 8

/// How many rows a kernel computes, of which the last ones may not exist.
constexpr unsigned few_rows_computed(size_t m) { return lanes_for(m); }

/// How many elements are one load. (A lane has 16 sums at most.)
template <typename T>
constexpr unsigned few_rows_length(size_t m, size_t n) {
    constexpr unsigned most_bytes = 8, most_sums = 16;
    unsigned length = most_bytes / sizeof(T);
    while (n % length != 0 || few_rows_computed(m) * length > most_sums) length /= 2;
    return length;
}

/// How many blocks of so many warps are resident on a multiprocessor: registers limit them.
template <typename T>
constexpr unsigned few_rows_resident(size_t m, unsigned warps) {
    const unsigned rows = few_rows_computed(m);
    return (rows <= 2 ? 32 : rows == 4 && sizeof(T) == 4 ? 24 : 16) / warps;
}

/// How many sums of all blocks of a cluster fit into the first one's shared memory.
template <typename T>
constexpr unsigned few_rows_gathered = 16 * 1024 / sizeof(SumOf<T>);

/// How the work is divided: a block has `width` columns and `share_k` steps along k; of its warps, `column_warps` work
/// side by side.
struct FewRowsPlan {
    size_t m = 0, n = 0, k = 0;
    unsigned warps = 1, column_warps = 1, width = 0, tiles = 1, shares = 1;
    size_t share_k = 0;
};

/// The plan for blocks of so many warps, up to few_rows_warps, and at most so many shares of k.
template <typename T>
FewRowsPlan few_rows_plan(size_t m, size_t n, size_t k, unsigned warps, unsigned column_warps, unsigned shares) {
    FewRowsPlan plan{m, n, k, warps, column_warps};
    plan.width = column_warps * lanes_per_warp * few_rows_length<T>(m, n);
    plan.tiles = static_cast<unsigned>(divide_up(n, plan.width));
    const size_t part = size_t{warps / column_warps} * few_rows_in_flight;  // rows of B that a block loads at once
    plan.share_k = divide_up(divide_up(k, part), shares) * part;
    plan.shares = static_cast<unsigned>(divide_up(k, plan.share_k));
    return plan;
}

/// Grid plan.tiles (of columns) x plan.shares, which are a cluster. Block 32 plan.warps.
template <typename T, int rows, int length>
__global__ void __launch_bounds__(few_rows_warps* lanes_per_warp, rows <= 2 ? 2 : 1)
    matmul_few_rows(const T* a, const T* b, T* c, FewRowsPlan plan) {
    using Sum = SumOf<T>;
    using Words = LoadedWords<T, length>;
    constexpr int in_flight = few_rows_in_flight;
    struct alignas(sizeof(Sum) * rows < 16 ? sizeof(Sum) * rows : 16) Factors {
        Sum of_row[rows];
    };
    constexpr unsigned warp_sums = lanes_per_warp * rows * length;
    static_assert(in_flight * rows <= warp_sums, "a warp's part of A fits into its place");
    __shared__ __align__(16) Sum staged[few_rows_warps * warp_sums];
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
    const unsigned row_warps = plan.warps / plan.column_warps;
    const unsigned column_warp = warp % plan.column_warps, row_warp = warp / plan.column_warps;
    const unsigned x = (column_warp * lanes_per_warp + lane) * length;  // in the tile
    const size_t column = size_t{blockIdx.x} * plan.width + x;
    const size_t first = blockIdx.y * plan.share_k, end = first + plan.share_k < plan.k ? first + plan.share_k : plan.k;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__SIMCC__)
    if (gridDim.y > 1) __cluster_barrier_arrive_relaxed();  // this block runs: others may write to its shared memory
#endif

    Sum sums[rows][length] = {};
    Sum* const of_a = staged + warp * warp_sums;
    for (size_t k = first + row_warp * in_flight; k < end; k += row_warps * in_flight) {
        const unsigned steps = end - k < in_flight ? static_cast<unsigned>(end - k) : in_flight;
        const T* const of_b = b + k * plan.n + column;
        Words loaded[in_flight];
#pragma unroll
        for (unsigned i = 0; i < in_flight; ++i)
            loaded[i] = i < steps && column < plan.n
                            ? load_neighbors<true, T, length>(reinterpret_cast<const Words*>(of_b + i * plan.n))
                            : Words{};
#pragma unroll
        for (unsigned at = lane; at < in_flight * rows; at += lanes_per_warp) {
            const unsigned row = at / in_flight, i = at % in_flight;
            of_a[i * rows + row] = static_cast<Sum>(row < plan.m && i < steps ? a[row * plan.k + k + i] : T{});
        }
        __syncwarp();  // the part of A is staged
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            const Factors factors = reinterpret_cast<const Factors*>(of_a)[i];
            const auto elements = neighbors_of<T, length>(loaded[i]);
#pragma unroll
            for (int e = 0; e < length; ++e)
#pragma unroll
                for (int row = 0; row < rows; ++row)
                    sums[row][e] += factors.of_row[row] * static_cast<Sum>(elements.values[e]);
        }
        __syncwarp();  // the part of A has been read
    }

    __syncthreads();  // all parts of A have been read: their place is free for the warps' sums
    const unsigned outputs = static_cast<unsigned>(plan.m) * plan.width, row_sums = rows * plan.width;
#pragma unroll
    for (int row = 0; row < rows; ++row)
#pragma unroll
        for (int e = 0; e < length; ++e) staged[row_warp * row_sums + row * plan.width + x + e] = sums[row][e];
    __syncthreads();  // all warps' sums are in shared memory
    const auto store = [&](unsigned output, Sum sum) {
        const size_t of_row = output / plan.width, of_column = size_t{blockIdx.x} * plan.width + output % plan.width;
        if (of_column < plan.n) c[of_row * plan.n + of_column] = static_cast<T>(sum);
    };
    const auto sum_of_warps = [&](unsigned output) {
        Sum sum = 0;
        for (unsigned w = 0; w < row_warps; ++w) sum += staged[w * row_sums + output];
        return sum;
    };
    if (gridDim.y == 1) {
        for (unsigned output = threadIdx.x; output < outputs; output += blockDim.x) store(output, sum_of_warps(output));
        return;
    }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__SIMCC__)
    __shared__ Sum gathered[few_rows_gathered<T>];
    __cluster_barrier_wait();  // the first block runs
    for (unsigned output = threadIdx.x; output < outputs; output += blockDim.x) {
        Sum* const place = gathered + blockIdx.y * outputs + output;
        *static_cast<Sum*>(__cluster_map_shared_rank(place, 0)) = sum_of_warps(output);
    }
    __cluster_barrier_arrive();  // this block's sums are there
    if (blockIdx.y != 0) return;
    __cluster_barrier_wait();  // all blocks' sums are there
    for (unsigned output = threadIdx.x; output < outputs; output += blockDim.x) {
        Sum sum = 0;
        for (unsigned share = 0; share < gridDim.y; ++share) sum += gathered[share * outputs + output];
        store(output, sum);
    }
#endif
}

template <typename T>
struct FewRows {
    static size_t workspace_bytes(const FewRowsPlan&) { return 0; }

    /// Calls action(rows, length), whose values are the template arguments of a plan's kernel.
    template <typename Action>
    static LaunchShape with_kernel(const FewRowsPlan& plan, Action action) {
        return with_width(plan.m, [&](auto rows) {
            constexpr int sums = 16 / rows;
            const unsigned length = few_rows_length<T>(plan.m, plan.n);
            if constexpr (sizeof(T) <= 2 && sums >= 4)
                if (length == 4) return action(rows, std::integral_constant<int, 4>());
            if constexpr (sizeof(T) <= 4 && sums >= 2)
                if (length == 2) return action(rows, std::integral_constant<int, 2>());
            return action(rows, std::integral_constant<int, 1>());
        });
    }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const FewRowsPlan& plan) {
        const dim3 grid(plan.tiles, plan.shares), block(plan.warps * lanes_per_warp);
        return with_kernel(plan, [&](auto rows, auto length) {
            const auto kernel = matmul_few_rows<T, rows(), length()>;
            if (plan.shares == 1)
                kernel<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
#ifndef __SIMCC__
            if (plan.shares > 1) {
                cudaLaunchAttribute cluster{};
                cluster.id = cudaLaunchAttributeClusterDimension;
                cluster.val.clusterDim = {1, plan.shares, 1};
                cudaLaunchConfig_t config{};
                config.gridDim = grid;
                config.blockDim = block;
                config.stream = arguments.stream;
                config.attrs = &cluster;
                config.numAttrs = 1;
                CHECK(cudaLaunchKernelEx(&config, kernel, arguments.d_a, arguments.d_b, arguments.d_c, plan));
            }
#endif
            return LaunchShape{grid, block, 0, address_of(kernel)};
        });
    }
};

}  // namespace BACKEND
