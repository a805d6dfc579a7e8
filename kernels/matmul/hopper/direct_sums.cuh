// SPDX-License-Identifier: MIT
#pragma once
// The end of direct.cuh's kernel: blocks that share k add their sums, and each stores some rows of the tile.
#include "common/cuda/arrivals.cuh"
#include "common/cuda/bulk_copy.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/matmul/generic/packed_results.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Blocks that share k: `clusters` clusters of `cluster` blocks. If there are several clusters, d_sums has room for a
/// tile of each, and d_tickets is zero between launches and has one for each tile and each block of a cluster.
struct DirectShares {
    unsigned cluster = 1, clusters = 1;
    void* d_sums = nullptr;
    unsigned* d_tickets = nullptr;

    __host__ __device__ unsigned blocks() const { return cluster * clusters; }
};

/// A block's part of its tile: `rows` rows from first_row on, whose sums it adds up at their place in its own shared
/// memory. All threads of the block call each function.
template <typename Shape>
struct DirectPart {
    using T = typename Shape::T;
    using Sum = typename Shape::Sum;
    static constexpr int length = 16 / sizeof(Sum), vectors = Shape::tile_n / length;

    Sum* sums;  // of the whole tile, in rows of Shape::row_c
    int first_row, rows;
    size_t tile_row, tile_column, c_rows, c_columns;  // where the tile begins in C, and C's extents

    __device__ Vector<Sum>* place_of(int vector) const {
        return reinterpret_cast<Vector<Sum>*>(sums + (first_row + vector / vectors) * Shape::row_c +
                                              vector % vectors * length);
    }
    __device__ bool exists(int row, int column) const {
        return tile_row + row < c_rows && tile_column + column < c_columns;
    }
    __device__ static void add(Vector<Sum>& total, const float4& bits) {
        const auto& more = reinterpret_cast<const Vector<Sum>&>(bits);
#pragma unroll
        for (int e = 0; e < length; ++e) total.values[e] += more.values[e];
    }

    /// Adds the sums of all blocks of the cluster.
    __device__ void add_blocks(unsigned cluster, int thread) const {
        cluster_barrier();  // all blocks' sums are in shared memory
#pragma unroll 1
        for (int i = thread; i < rows * vectors; i += Shape::threads) {
            if (!exists(first_row + i / vectors, i % vectors * length)) continue;
            Vector<Sum> total = {};
#pragma unroll 4
            for (unsigned block = 0; block < cluster; ++block)
                add(total, load_from_block(reinterpret_cast<const float*>(place_of(i)), block));
            *place_of(i) = total;
        }
        cluster_barrier();  // the totals are in place, and no block reads the shared memory of one that has exited
    }

    /// Adds the sums of all clusters; `rank` is the block's among those that share k. False if another block adds them,
    /// which finishes later.
    __device__ bool add_clusters(const DirectShares& shares, unsigned tile, unsigned rank, int thread) const {
        const unsigned in_cluster = rank % shares.cluster;
        const size_t part = size_t(rows) * vectors, tile_part = part * shares.cluster;
        float4* const d_sums =
            static_cast<float4*>(shares.d_sums) + tile * shares.clusters * tile_part + in_cluster * part;
#pragma unroll 1
        for (int i = thread; i < rows * vectors; i += Shape::threads)
            __stcg(d_sums + rank / shares.cluster * tile_part + i, *reinterpret_cast<const float4*>(place_of(i)));
        __syncthreads();  // all threads have written their sums
        if (!is_last_block(shares.d_tickets + tile * shares.cluster + in_cluster, shares.clusters)) return false;
#pragma unroll 1
        for (int i = thread; i < rows * vectors; i += Shape::threads) {
            Vector<Sum> total = {};
#pragma unroll 8
            for (unsigned cluster = 0; cluster < shares.clusters; ++cluster)
                add(total, __ldcg(d_sums + cluster * tile_part + i));
            *place_of(i) = total;
        }
        __syncthreads();  // the sums of all clusters are in place
        return true;
    }

    /// Stores the part's rows: in vectors if all rows of C are aligned to them, otherwise neighboring lanes store
    /// neighboring elements.
    __device__ void store(T* c, int thread) const {
        if (c_columns % length == 0) {
#pragma unroll 2
            for (int i = thread; i < rows * vectors; i += Shape::threads) {
                const int r = first_row + i / vectors, x = i % vectors * length;
                if (!exists(r, x)) continue;
                const Vector<Sum> total = *place_of(i);
                PackedResults<T, length> results;
#pragma unroll
                for (int e = 0; e < length; ++e) results.values[e] = static_cast<T>(total.values[e]);
                store_packed(c + (tile_row + r) * c_columns + tile_column + x, results);
            }
            return;
        }
        constexpr int of_lane = Shape::tile_n / 32;
        const int lane = thread % 32, warp = thread / 32;
#pragma unroll 4
        for (int r = first_row + warp; r < first_row + rows; r += Shape::threads / 32) {
            if (tile_row + r >= c_rows) break;
            T* const target = c + (tile_row + r) * c_columns + tile_column + lane;
#pragma unroll
            for (int i = 0; i < of_lane; ++i)
                if (tile_column + lane + i * 32 < c_columns)
                    target[i * 32] = static_cast<T>(sums[r * Shape::row_c + lane + i * 32]);
        }
    }
};

}  // namespace BACKEND
