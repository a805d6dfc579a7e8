// SPDX-License-Identifier: MIT
#pragma once
// C = A B where C has few rows: the time is that of reading B.
//   matmul_few_rows   removes, from the tiled kernels, the rows of a tile that do not exist: a lane has one to four
//                     neighboring columns of all rows of C. Warps take rounds of sixteen rows of B in turn. All loads
//                     of a round are in flight together, and so are those of the elements of A that belong to it, which
//                     are staged in a part of shared memory that only this warp uses: no warp waits for another before
//                     the end
// Any n and k, up to 8 rows. A load is the largest power of two of elements that divides n, up to 8 bytes (4 for more
// than four rows of 16-bit elements), so that it is aligned in every row of B. If tiles of columns are too few for the
// device, blocks share k: those of a cluster, whose first block adds all sums, or others, the last of which does.
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

constexpr int few_rows = 8, few_rows_round = 16;  // rows of C, at most; rows of B that a warp loads at once
constexpr unsigned few_rows_warps = 16;           // of a block, at most
constexpr unsigned few_rows_cluster = 8;          // blocks that share k, at most: every device with clusters has these
constexpr unsigned few_rows_load_bytes = 8, few_rows_sums = 16;  // of a lane, at most

/// How many rows a kernel computes, of which the last ones may not exist.
constexpr unsigned few_rows_computed(size_t m) { return lanes_for(m); }

/// How many elements are one load; fewer than n allows if a lane would have too many sums.
template <typename T>
constexpr unsigned few_rows_length(size_t m, size_t n) {
    unsigned length = few_rows_load_bytes / sizeof(T);
    while (n % length != 0 || few_rows_computed(m) * length > few_rows_sums) length /= 2;
    return length;
}

/// How many blocks of so many warps are resident on a multiprocessor: what the registers of nvcc 13's code allow.
template <typename T>
constexpr unsigned few_rows_resident(size_t m, unsigned warps) {
    const unsigned rows = few_rows_computed(m);
    return (rows <= 2 ? 32 : rows == 4 && sizeof(T) == 4 ? 24 : 16) / warps;
}

/// How many sums of all blocks of a cluster fit into the first one's shared memory, beside 32 KiB for its own.
template <typename T>
constexpr unsigned few_rows_gathered = 15 * 1024 / sizeof(SumOf<T>);

/// How the work is divided: a block has `width` columns and `share_k` steps along k; of its warps, `column_warps` work
/// side by side.
struct FewRowsPlan {
    size_t m = 0, n = 0, k = 0;
    unsigned warps = 1, column_warps = 1, width = 0, tiles = 1, shares = 1;
    size_t share_k = 0;
    bool clusters = false;  // whether the shares of a tile are a cluster
};

/// Divides the work among blocks of so many warps, and k into at most so many shares.
template <typename T>
FewRowsPlan divide_few_rows(size_t m, size_t n, size_t k, unsigned warps, unsigned column_warps, unsigned shares,
                            bool clusters) {
    FewRowsPlan plan{m, n, k, warps, column_warps};
    plan.width = column_warps * lanes_per_warp * few_rows_length<T>(m, n);
    plan.tiles = static_cast<unsigned>(divide_up(n, plan.width));
    const size_t of_round = size_t{warps / column_warps} * few_rows_round;  // rows of B that a block loads at once
    plan.share_k = divide_up(divide_up(k, of_round), shares) * of_round;
    plan.shares = static_cast<unsigned>(divide_up(k, plan.share_k));
    plan.clusters = clusters && plan.shares > 1;
    return plan;
}

// Where clusters exist; the simulator has none.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__SIMCC__)
#define FEW_ROWS_CLUSTERS 1
#else
#define FEW_ROWS_CLUSTERS 0
#endif

/// Grid plan.tiles (of columns) x plan.shares. Block 32 plan.warps.
template <typename T, int rows, int length>
__global__ void __launch_bounds__(few_rows_warps* lanes_per_warp, few_rows_resident<T>(rows, few_rows_warps))
    matmul_few_rows(const T* a, const T* b, T* c, FewRowsPlan plan, ThinShares<SumOf<T>> shares) {
    using Sum = SumOf<T>;
    using Words = LoadedWords<T, length>;
    constexpr int round = few_rows_round;
    struct alignas(sizeof(Sum) * rows < 16 ? sizeof(Sum) * rows : 16) Factors {
        Sum of_row[rows];
    };
    constexpr unsigned warp_sums = lanes_per_warp * rows * length;
    static_assert(round * rows <= warp_sums, "a warp's part of A fits into its place");
    __shared__ __align__(16) Sum staged[few_rows_warps * warp_sums];
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
    const unsigned row_warps = plan.warps / plan.column_warps;
    const unsigned column_warp = warp % plan.column_warps, row_warp = warp / plan.column_warps;
    const unsigned x = (column_warp * lanes_per_warp + lane) * length;  // in the tile
    const size_t column = size_t{blockIdx.x} * plan.width + x;
    const size_t first = blockIdx.y * plan.share_k, end = first + plan.share_k < plan.k ? first + plan.share_k : plan.k;
#if FEW_ROWS_CLUSTERS
    if (plan.clusters) __cluster_barrier_arrive_relaxed();  // this block runs: others may write to its shared memory
#endif

    Sum sums[rows][length] = {};
    Sum* const of_a = staged + warp * warp_sums;
    for (size_t k = first + row_warp * round; k < end; k += row_warps * round) {
        const unsigned steps = end - k < round ? static_cast<unsigned>(end - k) : round;
        const T* const of_b = b + k * plan.n + column;
        Words loaded[round];
#pragma unroll
        for (unsigned i = 0; i < round; ++i)
            loaded[i] = i < steps && column < plan.n ? *reinterpret_cast<const Words*>(of_b + i * plan.n) : Words{};
#pragma unroll
        for (unsigned at = lane; at < round * rows; at += lanes_per_warp) {
            const unsigned row = at / round, i = at % round;
            of_a[i * rows + row] = static_cast<Sum>(row < plan.m && i < steps ? a[row * plan.k + k + i] : T{});
        }
        __syncwarp();  // the part of A is staged
#pragma unroll
        for (int i = 0; i < round; ++i) {
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
    const unsigned share = blockIdx.y, count = gridDim.y;
    if (count == 1) {
        for (unsigned output = threadIdx.x; output < outputs; output += blockDim.x) store(output, sum_of_warps(output));
        return;
    }
    const auto store_all = [&](const Sum* of_shares) {
        for (unsigned output = threadIdx.x; output < outputs; output += blockDim.x) {
            Sum sum = 0;
            for (unsigned i = 0; i < count; ++i) sum += of_shares[i * outputs + output];
            store(output, sum);
        }
    };
#if FEW_ROWS_CLUSTERS
    if (plan.clusters) {
        __shared__ Sum gathered[few_rows_gathered<T>];
        static_assert(sizeof staged + sizeof gathered <= most_shared_bytes_without_request);
        __cluster_barrier_wait();  // the first block runs
        for (unsigned output = threadIdx.x; output < outputs; output += blockDim.x) {
            Sum* const place = gathered + share * outputs + output;
            *static_cast<Sum*>(__cluster_map_shared_rank(place, 0)) = sum_of_warps(output);
        }
        __cluster_barrier_arrive();  // this block's sums are there
        if (share != 0) return;
        __cluster_barrier_wait();  // all blocks' sums are there
        store_all(gathered);
        return;
    }
#endif
    Sum* const of_shares = shares.d_sums + size_t{blockIdx.x} * count * outputs;
    for (unsigned output = threadIdx.x; output < outputs; output += blockDim.x)
        of_shares[share * outputs + output] = sum_of_warps(output);
    if (is_last_share(shares.d_tickets + blockIdx.x, count)) store_all(of_shares);
}

template <typename T>
struct FewRows {
    static size_t workspace_bytes(const FewRowsPlan& plan) {
        return plan.shares == 1 || plan.clusters
                   ? 0
                   : size_t{plan.tiles} * plan.shares * plan.m * plan.width * sizeof(SumOf<T>);
    }

    /// Calls action(rows, length), whose values are the template arguments of a plan's kernel.
    template <typename Action>
    static LaunchShape with_kernel(const FewRowsPlan& plan, Action action) {
        return with_width(plan.m, [&](auto rows) {
            constexpr unsigned most = few_rows_length<T>(rows, few_rows_load_bytes);  // of an n that does not limit it
            const unsigned length = few_rows_length<T>(plan.m, plan.n);
            if constexpr (most >= 4)
                if (length == 4) return action(rows, std::integral_constant<int, 4>());
            if constexpr (most >= 2)
                if (length == 2) return action(rows, std::integral_constant<int, 2>());
            return action(rows, std::integral_constant<int, 1>());
        });
    }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const FewRowsPlan& plan) {
        const dim3 grid(plan.tiles, plan.shares), block(plan.warps * lanes_per_warp);
        const ThinShares<SumOf<T>> shares{static_cast<SumOf<T>*>(arguments.d_workspace),
                                          static_cast<unsigned*>(arguments.d_partials)};
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim = {1, plan.shares, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = grid;
        config.blockDim = block;
        config.stream = arguments.stream;
        config.attrs = &cluster;
        config.numAttrs = plan.clusters ? 1 : 0;
        return with_kernel(plan, [&](auto rows, auto length) {
            const auto kernel = matmul_few_rows<T, rows(), length()>;
            CHECK(cudaLaunchKernelEx(&config, kernel, arguments.d_a, arguments.d_b, arguments.d_c, plan, shares));
            return LaunchShape{grid, block, 0, address_of(kernel)};
        });
    }
};

}  // namespace BACKEND
