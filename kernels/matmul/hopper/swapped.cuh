#pragma once
// bf16 and f16 products of middle size on Hopper's tensor cores:
//   matmul_hopper_swapped   removes, from matmul_hopper_mma, most of the idling in the last wave. Computed the other
//                           way round, C' = B' A', a tile may have any multiple of 8 rows, so that for many shapes
//                           there is one with just as many tiles as there are multiprocessors: of 1536 x 1536, 132
//                           have 144 x 128 elements. Few rows, where reading B is all that matters, get tiles of 16
//                           or 32; few tiles are shared along k, by the blocks of a cluster or, where k is long, by
//                           any blocks. Where rows of B begin between sectors of the L2 cache, reading them takes
//                           longest: two blocks share them
// A block is one or two warpgroups that multiply tile_m x 64 each and one warp that brings tiles. Sums are in f32.
// Nothing is in a cache when it begins, its code included: what runs before the first copy is kept short.
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/shares.cuh"
#include "kernels/matmul/hopper/swapped_operands.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/mma.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// As store_matrices(), with the rows and columns of each matrix swapped.
__device__ inline void store_matrices_swapped(void* row, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                              std::uint32_t d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}
__device__ inline void store_matrices_swapped(void* row, std::uint32_t a, std::uint32_t b) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)), "r"(a),
                 "r"(b)
                 : "memory");
}

/// Writes a warpgroup's tile_m x 64 results through a box in shared memory: the fragments, which hold columns of C,
/// become its rows, and the rows one copy. Where C's rows are not aligned for the copy engine, its threads store them.
template <typename T, int tile_m>
__device__ inline void store_swapped(const float (&d)[tile_m / 2], T (&box)[tile_m * 64], const CUtensorMap& map_c,
                                     T* c, int row, int column, int m, int n, bool copy_engine, unsigned consumer,
                                     unsigned thread) {
    constexpr unsigned threads = 128;
    const unsigned warp = thread / 32, lane = thread % 32;
    const unsigned piece = (2 * warp + lane / 8 % 2) ^ (lane % 8);
    T* target = box + (lane / 16 * 8 + lane % 8) * 64 + piece * 8;
    if (thread == 0) wait_copies_out_read<0>(); // the tile before has left
    barrier_among(1 + consumer, threads);
#pragma unroll
    for (int group = 0; group < tile_m / 8; group += 2, target += 16 * 64) { // 16 rows: left, right; left, right below
        const float* value = &d[4 * group];
        const std::uint32_t left = pack_pair(value[0], value[1], T{}), right = pack_pair(value[2], value[3], T{});
        if (group + 1 == tile_m / 8) store_matrices_swapped(target, left, right);
        else
            store_matrices_swapped(target, left, right, pack_pair(value[4], value[5], T{}),
                                   pack_pair(value[6], value[7], T{}));
    }
    if (copy_engine) fence_shared_for_copies();
    barrier_among(1 + consumer, threads);
    if (copy_engine) {
        if (thread == 0) {
            copy_box_out(map_c, box, column, row);
            commit_copies_out();
        }
        return;
    }
    for (unsigned i = thread; i < tile_m * 64; i += threads) {
        const int r = static_cast<int>(i / 64), x = static_cast<int>(i % 64);
        if (row + r < m && column + x < n)
            c[static_cast<size_t>(row + r) * n + column + x] = box[r * 64 + (x / 8 ^ r % 8) * 8 + x % 8];
    }
}

/// Sums on their way from block to block of a cluster: [sender][eight rows][thread], of the receiver's rows.
template <int tile_m, int threads, int blocks> struct ClusterSums {
    float4 sums[blocks][tile_m / 8 / blocks][threads];
};
template <int tile_m, int threads> struct ClusterSums<tile_m, threads, 1> {};

/// Adds the sums of a cluster's blocks, in the order of the blocks: each has all of tile_m rows of a tile for its share
/// of k, and gets the totals of its share of the rows.
template <int tile_m, int threads, int blocks>
__device__ inline void exchange_sums(ClusterSums<tile_m, threads, blocks>& shared, unsigned rank,
                                     const float (&d)[tile_m / 2], float (&total)[tile_m / 2 / blocks]) {
    constexpr int groups = tile_m / 8 / blocks;
    cluster_wait(); // all blocks have begun: their shared memory is there
#pragma unroll
    for (int group = 0; group < tile_m / 8; ++group)
        store_to_block(&shared.sums[rank][group % groups][threadIdx.x], group / groups,
                       make_float4(d[4 * group], d[4 * group + 1], d[4 * group + 2], d[4 * group + 3]));
    cluster_barrier(); // all sums have arrived
#pragma unroll
    for (int group = 0; group < groups; ++group) {
        float4 sum = shared.sums[0][group][threadIdx.x];
#pragma unroll
        for (int sender = 1; sender < blocks; ++sender) {
            const float4 more = shared.sums[sender][group][threadIdx.x];
            sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
        }
        total[4 * group] = sum.x;
        total[4 * group + 1] = sum.y;
        total[4 * group + 2] = sum.z;
        total[4 * group + 3] = sum.w;
    }
}

template <typename T, int tile_m, int warpgroups, int stages, int blocks> struct HopperSwappedShared {
    HopperRing<T, tile_m, 64 * warpgroups, stages> ring;
    alignas(1024) T c[warpgroups][tile_m / blocks * 64]; // results on their way out
    ClusterSums<tile_m, 128 * warpgroups, blocks> cluster;
};

/// How many of a tile's steps are left for the end. A matrix B with rows shorter than a line of the L2 cache lies in
/// few lines, where all blocks would meet at the same time; so they start at different places along k.
__device__ inline int steps_for_the_end(int steps, unsigned tile_row, bool short_rows) {
    constexpr unsigned golden_ratio = 0x9e3779b9; // of 2^32: its multiples are spread evenly
    return short_rows ? static_cast<int>(__umulhi(tile_row * golden_ratio, static_cast<unsigned>(steps))) : 0;
}

/// This block's segment number `index`: in a cluster, its part of the cluster's only tile.
template <int blocks, bool may_share>
__device__ inline bool find_segment_of_cluster(const TileShares& shares, unsigned index, TileSegment& segment) {
    if (blocks == 1) return find_segment<may_share>(shares, index, segment);
    const unsigned rank = blockIdx.x % blocks;
    segment = {blockIdx.x / blocks, static_cast<int>(shares.steps * rank / blocks),
               static_cast<int>(shares.steps * (rank + 1) / blocks)};
    return index == 0;
}

/// Grid: at most one block per multiprocessor, or, in clusters of `blocks` that share a tile along k, tiles x blocks.
/// Block 128 per 64 columns of the tile, and 32 more. `sharers`: blocks of a cluster that share B.
template <typename T, int tile_m, int warpgroups, int stages, int blocks, int sharers, bool may_share>
__global__ void __launch_bounds__(128 * warpgroups + 32, 1)
    matmul_hopper_swapped(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                          const __grid_constant__ CUtensorMap map_c, T* c, int m, int n, TileOrder order,
                          TileShares shares, PartialSums partial, bool copy_engine) {
#if HOPPER_CODE
    constexpr int tile_n = 64 * warpgroups, multipliers = 128 * warpgroups, rows = tile_m / blocks;
    using Pipeline = HopperPipeline<T, tile_m, tile_n, stages, 64, sharers>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperSwappedShared<T, tile_m, warpgroups, stages, blocks>*>(memory);
    const unsigned rank = blockIdx.x % blocks;
    typename Pipeline::Position position;
    TileSegment segment;
    unsigned tile_row = 0, tile_column = 0;
    if (threadIdx.x == multipliers) {
        prefetch_tensor_map(map_a);
        prefetch_tensor_map(map_b);
        prefetch_tensor_map(map_c);
        Pipeline::init(shared.ring, warpgroups);
    }
    Pipeline::begin();
    if (blocks > 1) cluster_arrive(); // for exchange_sums()

    if (threadIdx.x >= multipliers) {
        if (threadIdx.x > multipliers) return;
        for (unsigned index = 0; find_segment_of_cluster<blocks, may_share>(shares, index, segment); ++index) {
            order.place(segment.tile, tile_row, tile_column);
            const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;
            const int for_the_end =
                steps_for_the_end(segment.end - segment.first, tile_row / sharers, n < Pipeline::tile_k);
            int step = segment.first + for_the_end;
            for (int i = segment.first; i < segment.end; ++i, position.advance()) {
                Pipeline::bring(shared.ring, position, map_a, map_b, row, column, step);
                if (++step == segment.end) step = segment.first;
            }
        }
        return;
    }
    const unsigned consumer = threadIdx.x / 128, thread = threadIdx.x % 128;
    int refills = Pipeline::refills(order.own_tiles() * shares.steps);
    for (unsigned index = 0; find_segment_of_cluster<blocks, may_share>(shares, index, segment); ++index) {
        float d[tile_m / 2];
        if (blocks > 1 && segment.first == segment.end)
            for (float& sum : d) sum = 0;
        int previous = 0;
        for (int step = segment.first; step < segment.end; ++step) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            SwappedOperand<T> operand;
            operand.load(shared.ring.b[stage], static_cast<int>(threadIdx.x) / 32, static_cast<int>(thread) % 32);
            const std::uint64_t a = wgmma_operand(shared.ring.a[stage], 16, 1024);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < 4; ++i) // 16 along k: 32 bytes of A's rows
                operand.template multiply<tile_m>(d, i, a + i * 2, step > segment.first || i > 0);
            wgmma_commit();
            if (step > segment.first) {
                wgmma_wait<1>(); // the group before this one has read its stage
                Pipeline::release(shared.ring, previous, thread, refills);
            }
            previous = stage;
            position.advance();
        }
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared.ring, previous, thread, refills);
        if constexpr (may_share)
            if (!complete_tile<multipliers>(d, segment, shares, partial)) continue;
        order.place(segment.tile, tile_row, tile_column);
        const int row = static_cast<int>(tile_row) * tile_m + static_cast<int>(rank) * rows,
                  column = static_cast<int>(tile_column) * tile_n + static_cast<int>(consumer) * 64;
        if constexpr (blocks > 1) {
            float total[rows / 2];
            exchange_sums<tile_m, multipliers, blocks>(shared.cluster, rank, d, total);
            store_swapped<T, rows>(total, shared.c[consumer], map_c, c, row, column, m, n, copy_engine, consumer,
                                   thread);
        } else {
            store_swapped<T, rows>(d, shared.c[consumer], map_c, c, row, column, m, n, copy_engine, consumer, thread);
        }
    }
    if (thread == 0) wait_copies_out_read<0>(); // shared memory outlives the copies that read it
#endif
}

/// As many stages as fit beside the results.
template <typename T, int tile_m, int warpgroups, int blocks> constexpr int swapped_stages() {
    constexpr int enough = 12;
    using OneStage = HopperSwappedShared<T, tile_m, warpgroups, 1, blocks>;
    using TwoStages = HopperSwappedShared<T, tile_m, warpgroups, 2, blocks>;
    constexpr int stage = sizeof(TwoStages) - sizeof(OneStage);
    constexpr int fit = 1 + (most_shared_bytes - int{sizeof(OneStage)}) / stage;
    return fit < enough ? fit : enough;
}

/// blocks: how many of a cluster share a tile along k, 1, 2 or 4; sharers: how many share B, 1 or 2. `sharing`: which
/// tiles pay to be shared by any blocks.
template <typename T, int tile_m, int warpgroups, int blocks = 1, int sharers = 1, bool may_share = false>
LaunchShape launch_hopper_swapped(const MatmulArguments<T>& arguments, const SharingCost& sharing = no_sharing) {
    static_assert((blocks > 1) + (sharers > 1) + may_share <= 1, "one way of sharing at a time");
    constexpr int tile_n = 64 * warpgroups, stages = swapped_stages<T, tile_m, warpgroups, blocks>();
    constexpr unsigned group = 8, cluster = blocks * sharers;
    using Pipeline = HopperPipeline<T, tile_m, tile_n, stages, 64, sharers>;
    const HopperOperands<T> operands(arguments);
    const bool copy_engine = rows_are_aligned(arguments.d_c, arguments.n);
    const CUtensorMap map_a = operands.map_a(tile_m),
                      map_b = operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B, tensor_map_type<T>, Pipeline::box_rows);
    const CUtensorMap map_c = copy_engine ? tensor_map(arguments.d_c, arguments.m, arguments.n, arguments.n,
                                                       tile_m / blocks, 64, CU_TENSOR_MAP_SWIZZLE_128B)
                                          : map_b; // not used
    const TileOrder order{grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group, sharers};
    const TileShares shares =
        tile_shares(order.tiles(), arguments.k, Pipeline::tile_k, arguments.multiprocessors, sharing);
    const unsigned grid = blocks > 1          ? order.tiles() * blocks
                          : shares.shares > 0 ? shares_grid(shares, arguments.multiprocessors)
                                              : persistent_grid(order, arguments.multiprocessors, sharers);
    return launch_hopper(matmul_hopper_swapped<T, tile_m, warpgroups, stages, blocks, sharers, may_share>, grid,
                         128 * warpgroups + 32, sizeof(HopperSwappedShared<T, tile_m, warpgroups, stages, blocks>),
                         cluster, arguments.stream, map_a, map_b, map_c, arguments.d_c, int(arguments.m),
                         int(arguments.n), order, shares, partial_sums(arguments), copy_engine);
}

} // namespace BACKEND
