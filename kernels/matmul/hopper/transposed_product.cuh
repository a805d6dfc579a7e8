// SPDX-License-Identifier: MIT
#pragma once
// bf16 and f16 products of middle size on Hopper's tensor cores:
//   matmul_hopper_transposed   removes, from matmul_hopper_mma, most of the idling in the last wave. In the transposed
//                              product, C' = B' A', a tile may have any multiple of 8 rows, so that for many shapes
//                              some tile makes exactly as many tiles as there are multiprocessors: 1536 x 1536 is 132
//                              tiles of 144 x 128. Few rows, where the time is that of reading B, get tiles of 16 or
//                              32; few tiles are shared along k, by split-K in a cluster or, if k is long, by Stream-K.
//                              If rows of B do not begin at sectors of the L2 cache, reading them takes longest: two
//                              blocks share them by multicast
// A block is one or two consumer warpgroups, which multiply tile_m x 64 each, and one producer warp, which loads tiles.
// Sums are in f32. When a block begins, nothing is cached, not even its code, so little runs before the first copy.
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/mma.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Like store_matrices(), but each matrix is transposed.
__device__ inline void store_matrices_transposed(void* row, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                 std::uint32_t d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}
__device__ inline void store_matrices_transposed(void* row, std::uint32_t a, std::uint32_t b) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)), "r"(a),
                 "r"(b)
                 : "memory");
}

/// Fills a box in shared memory with a warpgroup's rows x 64 results: the fragments `d`, which hold columns of C,
/// become rows. Called once TMA has read the previous results.
template <int rows, typename T>
__device__ inline void fill_box_transposed(T* box, const float* d, unsigned thread) {
    const unsigned warp = thread / 32, lane = thread % 32;
    const unsigned piece = (2 * warp + lane / 8 % 2) ^ (lane % 8);
    T* target = box + (lane / 16 * 8 + lane % 8) * 64 + piece * 8;
#pragma unroll
    for (int group = 0; group < rows / 8; group += 2, target += 16 * 64) {  // 16 rows: left, right; left, right below
        const float* value = &d[4 * group];
        const std::uint32_t left = pack_pair(value[0], value[1], T{}), right = pack_pair(value[2], value[3], T{});
        if (group + 1 == rows / 8) store_matrices_transposed(target, left, right);
        else
            store_matrices_transposed(target, left, right, pack_pair(value[4], value[5], T{}),
                                      pack_pair(value[6], value[7], T{}));
    }
}

/// Copies the box out once it is filled. Called by all threads of the warpgroup `consumer`.
template <typename T, typename Product>
__device__ inline void copy_filled_box_out(const T* box, const CUtensorMap& map_c, int row, int column, Product product,
                                           unsigned consumer, unsigned thread) {
    fence_shared_for_copies();
    barrier_among(1 + consumer, 128);  // the box is complete
    if (thread != 0) return;
    copy_box_out(map_c, box, column, row, product);
    commit_copies_out();
}

/// Waits until all threads of the warpgroup may overwrite a box that was copied out.
__device__ inline void wait_for_box(unsigned consumer, unsigned thread) {
    if (thread == 0) wait_copies_out_read<0>();  // TMA has read the previous results
    barrier_among(1 + consumer, 128);
}

/// Writes a warpgroup's tile_m x 64 results through a box in shared memory, which leaves in one copy. If C's rows are
/// not aligned for TMA, the threads store them.
template <typename T, int tile_m, typename Product>
__device__ inline void store_transposed(const float (&d)[tile_m / 2], T (&box)[tile_m * 64], const CUtensorMap& map_c,
                                        T* c, int row, int column, Product product, int m, int n, bool tma_store,
                                        unsigned consumer, unsigned thread) {
    wait_for_box(consumer, thread);
    fill_box_transposed<tile_m>(box, d, thread);
    if (tma_store) return copy_filled_box_out(box, map_c, row, column, product, consumer, thread);
    barrier_among(1 + consumer, 128);  // the box is complete
    store_box<tile_m>(box, c, row, column, m, n, thread);
}

/// Stores a thread's sums of eight rows x 64 columns.
template <typename T>
__device__ inline void store_eight_rows(const float (&sums)[4], T* c, int row, int column, int m, int n, int thread) {
    const int first_row = row + thread % 4 * 2, first_column = column + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int r = first_row + i % 2, of_c = first_column + i / 2 * 8;
        if (r < m && of_c < n) c[static_cast<size_t>(r) * n + of_c] = T(sums[i]);
    }
}

/// Where a block receives the other blocks' sums of its rows: [sender][group of eight rows][thread].
template <int tile_m, int threads, int split_k>
struct ClusterSums {
    float4 sums[split_k][tile_m / 8 / split_k][threads];
};
template <int tile_m, int threads>
struct ClusterSums<tile_m, threads, 1> {};

/// Adds the sums of a cluster's blocks, in the order of the blocks. Each block has all tile_m rows of a tile for its
/// part of k, and gets the totals of its part of the rows.
template <int tile_m, int threads, int split_k>
__device__ inline void exchange_sums(ClusterSums<tile_m, threads, split_k>& shared, unsigned rank,
                                     const float (&d)[tile_m / 2], float (&total)[tile_m / 2 / split_k]) {
    constexpr int groups = tile_m / 8 / split_k;
    cluster_wait();  // all blocks are running: their shared memory exists
#pragma unroll
    for (int group = 0; group < tile_m / 8; ++group)
        store_to_block(&shared.sums[rank][group % groups][threadIdx.x], group / groups,
                       make_float4(d[4 * group], d[4 * group + 1], d[4 * group + 2], d[4 * group + 3]));
    cluster_barrier();  // all sums have arrived
#pragma unroll
    for (int group = 0; group < groups; ++group) {
        float4 sum = shared.sums[0][group][threadIdx.x];
#pragma unroll
        for (int sender = 1; sender < split_k; ++sender) {
            const float4 more = shared.sums[sender][group][threadIdx.x];
            sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
        }
        total[4 * group] = sum.x;
        total[4 * group + 1] = sum.y;
        total[4 * group + 2] = sum.z;
        total[4 * group + 3] = sum.w;
    }
}

template <typename T, int tile_m, int warpgroups, int stages, int split_k>
struct HopperTransposedShared {
    HopperRing<T, tile_m, 64 * warpgroups, stages> ring;
    alignas(1024) T c[warpgroups][tile_m / split_k * 64];  // outgoing results
    ClusterSums<tile_m, 128 * warpgroups, split_k> cluster;
};

/// At which of a tile's steps the block starts; it takes the earlier ones last. If B's rows are shorter than a line of
/// the L2 cache, B lies in few lines, which all blocks would want at the same time: they start at different places.
__device__ inline int steps_for_the_end(int steps, unsigned tile_row, bool short_rows) {
    return short_rows ? static_cast<int>(spread(tile_row, static_cast<unsigned>(steps))) : 0;
}

/// This block's segment number `index`. With split-K, the only segment is the block's part of its cluster's tile.
template <int split_k, bool stream_k>
__device__ inline bool find_segment_of_cluster(const StreamKSchedule& schedule, unsigned index, TileSegment& segment) {
    if (split_k == 1) return find_segment<stream_k>(schedule, index, segment);
    const unsigned rank = blockIdx.x % split_k;
    segment = {blockIdx.x / split_k, static_cast<int>(schedule.steps * rank / split_k),
               static_cast<int>(schedule.steps * (rank + 1) / split_k)};
    return index == 0;
}

/// Grid: at most one block per multiprocessor (or the tile's `at_once`, in batches); or, in clusters of `split_k` that
/// share a tile along k, tiles * split_k. Block 128 per 64 columns of the tile, plus 32. `multicast`: how many blocks of
/// a cluster share B. `many`: for the products of a batch, whose Cs are stride_c elements apart.
template <typename T, int tile_m, int warpgroups, int stages, int split_k, int multicast, bool stream_k, bool many,
          typename Layouts>
__global__ void __launch_bounds__(128 * warpgroups + 32, 1)
    matmul_hopper_transposed(const __grid_constant__ OperandMaps maps, const __grid_constant__ CUtensorMap map_c, T* c,
                             size_t stride_c, int m, int n, TileOrder order, StreamKSchedule schedule,
                             PartialSums partial, bool tma_store) {
#if HOPPER_CODE
    constexpr int tile_n = 64 * warpgroups, consumers = 128 * warpgroups, rows = tile_m / split_k;
    using Shares = SumsOfShares<consumers, float, tile_m / 2>;
    using Pipeline = HopperPipeline<T, tile_m, tile_n, stages, 64, ClusterOf<multicast, 1>, Layouts>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperTransposedShared<T, tile_m, warpgroups, stages, split_k>*>(memory);
    const unsigned rank = blockIdx.x % split_k;
    typename Pipeline::Position position;
    TileSegment segment;
    unsigned tile_row = 0, tile_column = 0;
    ProductNumber<many> product{};
    if (threadIdx.x == consumers) {
        prefetch_tensor_map(maps.first_a());
        prefetch_tensor_map(maps.b);
        prefetch_tensor_map(map_c);
        Pipeline::init(shared.ring, warpgroups);
    }
    Pipeline::begin();
    if (split_k > 1) cluster_arrive();  // for exchange_sums()

    if (threadIdx.x >= consumers) {
        if (!is_elected_lane()) return;
        for (unsigned index = 0; find_segment_of_cluster<split_k, stream_k>(schedule, index, segment); ++index) {
            order.place(segment.tile, tile_row, tile_column, product);
            const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;
            const int for_the_end = steps_for_the_end(segment.end - segment.first, tile_row / multicast,
                                                      !Layouts::b_transposed && n < Pipeline::tile_k);
            int step = segment.first + for_the_end;
            for (int i = segment.first; i < segment.end; ++i, position.advance()) {
                Pipeline::load_stage(shared.ring, position, maps, row, column, step, product);
                if (++step == segment.end) step = segment.first;
            }
        }
        return;
    }
    const unsigned consumer = threadIdx.x / 128, thread = threadIdx.x % 128;
    int refills = Pipeline::refills(stream_k ? schedule.stages_of(blockIdx.x, gridDim.x)
                                             : order.tiles_of(blockIdx.x, gridDim.x) * schedule.steps);
    for (unsigned index = 0; find_segment_of_cluster<split_k, stream_k>(schedule, index, segment); ++index) {
        float d[tile_m / 2];
        if (split_k > 1 && segment.first == segment.end)
            for (float& sum : d) sum = 0;
        int previous = 0;
        for (int step = segment.first; step < segment.end; ++step) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            TransposedOperand<T, Layouts> operand;
            operand.load(shared.ring.b[stage], static_cast<int>(threadIdx.x) / 32, static_cast<int>(thread) % 32);
            const std::uint64_t a = decltype(operand)::OfA::descriptor(shared.ring.a[stage]);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < 4; ++i)  // 16 along k
                operand.template multiply<tile_m>(d, i, a, step > segment.first || i > 0);
            wgmma_commit();
            if (step > segment.first) {
                wgmma_wait<1>();  // the previous group has read its stage
                Pipeline::release(shared.ring, previous, thread, refills);
            }
            previous = stage;
            position.advance();
        }
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared.ring, previous, thread, refills);
        if constexpr (stream_k)
            if (!Shares::complete(d, segment, schedule, partial, threadIdx.x)) continue;
        order.place(segment.tile, tile_row, tile_column, product);
        const int row = static_cast<int>(tile_row) * tile_m + static_cast<int>(rank) * rows,
                  column = static_cast<int>(tile_column) * tile_n + static_cast<int>(consumer) * 64;
        if constexpr (split_k > 1) {
            float total[rows / 2];
            exchange_sums<tile_m, consumers, split_k>(shared.cluster, rank, d, total);
            store_transposed<T, rows>(total, shared.c[consumer], map_c, matrix_of(product, c, stride_c), row, column,
                                      product, m, n, tma_store, consumer, thread);
        } else {
            store_transposed<T, rows>(d, shared.c[consumer], map_c, matrix_of(product, c, stride_c), row, column,
                                      product, m, n, tma_store, consumer, thread);
        }
    }
    if constexpr (stream_k)
        Shares::add_part(schedule, partial, memory, threadIdx.x, [&](unsigned tile) {
            order.place(tile, tile_row, tile_column, product);
            T* const of_product = matrix_of(product, c, stride_c);
            const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;
            return [=](int piece, int of_thread, const float(&sums)[4]) {
                store_eight_rows(sums, of_product, row + 8 * piece, column + of_thread / 128 * 64, m, n,
                                 of_thread % 128);
            };
        });
    if (thread == 0) wait_copies_out_read<0>();  // shared memory must outlive the copies that read it
#endif
}

/// As many stages as fit next to the results, at most 12, if a multiprocessor holds `at_once` blocks.
template <typename T, int tile_m, int warpgroups, int split_k, int at_once>
constexpr int transposed_stages() {
    constexpr int enough = 12;
    using OneStage = HopperTransposedShared<T, tile_m, warpgroups, 1, split_k>;
    using TwoStages = HopperTransposedShared<T, tile_m, warpgroups, 2, split_k>;
    constexpr int stage = sizeof(TwoStages) - sizeof(OneStage);
    constexpr int fit = 1 + (most_shared_bytes_of(at_once) - int{sizeof(OneStage)}) / stage;
    return fit < enough ? fit : enough;
}

/// The parameters of a launch that do not depend on the kernel's type. `multicast`: how many blocks of a cluster share
/// B; `split_k` and `at_once` as in HopperTile.
struct TransposedProductLaunch {
    unsigned tile_m, warpgroups, split_k, multicast, at_once, b_box_rows, shared_bytes;
};

template <typename T>
using TransposedProductKernel = void(OperandMaps, CUtensorMap, T*, size_t, int, int, TileOrder, StreamKSchedule,
                                     PartialSums, bool);

/// The height of the bands in TileOrder. Blocks side by side, mostly sixteen or eighteen, run on one GPC, the group of
/// multiprocessors in which a cluster must fit (seen on an H100, where clusters lie on GPCs in turn). If they read the
/// same rows at the same time, they receive them faster, so that their tiles should lie in few rows and columns: 2432 x
/// 384 x 8192 in bf16 in tiles of 128 x 64 takes 32.6 us in bands of eight, 27.0 in bands of three. Tiles of 64 to 128
/// x 64 were 3 to 5 % slower than in the best of nine orders in bands of three, 17 to 21 % in bands of eight; tiles of
/// 64 and of 88 x 128 1 % in bands of four, 4 % in bands of eight (means of 10 to 19 products). Other tiles, and
/// batches, stay as they were.
inline unsigned band_height(const TransposedProductLaunch& tile, size_t products) {
    constexpr unsigned high = 8;
    if (tile.multicast > 1 || tile.split_k > 1 || products > 1) return high;
    if (tile.warpgroups == 1) return tile.tile_m >= 64 ? 3 : high;
    return tile.tile_m <= 88 ? 4 : high;
}

template <typename T>
__attribute__((noinline)) LaunchShape launch_hopper_transposed(TransposedProductKernel<T>* kernel,
                                                               const TransposedProductLaunch& tile,
                                                               const MatmulArguments<T>& arguments) {
    const HopperOperands<T> operands(arguments);
    const bool tma_store = rows_are_aligned(arguments.d_c, arguments.n);
    const OperandMaps maps = operands.maps(tile.tile_m, tile.b_box_rows);
    const CUtensorMap map_c = tma_store ? map_of_c(arguments, tile.tile_m / tile.split_k, 64) : maps.b;  // not used
    const TileOrder order =
        order_of(arguments, tile.tile_m, 64 * tile.warpgroups, band_height(tile, arguments.batch), tile.multicast);
    const StreamKSchedule schedule = schedule_of(arguments, order, tile.multicast);
    const unsigned grid = tile.split_k > 1 ? order.tiles() * tile.split_k
                          : schedule.shares > 0
                              ? stream_k_grid(schedule, arguments.multiprocessors)  // whole clusters
                              : persistent_grid(order, arguments.multiprocessors * tile.at_once, tile.multicast);
    return launch_hopper(kernel, grid, 128 * tile.warpgroups + 32, tile.shared_bytes, tile.split_k * tile.multicast,
                         operands.stream(), maps, map_c, arguments.d_c, arguments.stride_c, int(arguments.m),
                         int(arguments.n), order, schedule, partial_sums(arguments), tma_store);
}

template <typename T, int tile_m_, int warpgroups, int split_k_ = 1, int multicast_ = 1, bool stream_k_ = false,
          bool batch = false, typename Layouts_ = PlainLayouts, int at_once_ = 1>
struct TransposedProductTile : HopperTile {
    using Element = T;
    using Layouts = Layouts_;
    static constexpr unsigned tile_m = tile_m_, tile_n = 64 * warpgroups, split_k = split_k_, cluster_rows = multicast_,
                              at_once = at_once_;
    static constexpr bool stream_k = stream_k_, can_exchange = stream_k, deals_side_by_side = true, takes_batch = batch,
                          only_batch = at_once_ > 1;
    static_assert(at_once == 1 || batch, "only batches have so many tiles");
    static_assert((split_k > 1) + stream_k + batch <= 1 && (split_k == 1 || cluster_rows == 1) &&
                      !(cluster_rows > 1 && batch),
                  "one way of sharing k, and only one product's B is shared");
    static_assert(cluster_rows <= 2, "StreamKSchedule knows pairs");
    static_assert(!Layouts::c_transposed);

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        constexpr int stages = transposed_stages<T, tile_m_, warpgroups, split_k_, at_once_>();
        constexpr bool only_many = Layouts::only_many || only_batch;
        using Pipeline = HopperPipeline<T, tile_m_, tile_n, stages, 64, ClusterOf<multicast_, 1>, Layouts>;
        return launch_hopper_transposed<T>(
            kernel_of<batch>(arguments,
                             matmul_hopper_transposed<T, tile_m_, warpgroups, stages, split_k_, multicast_, stream_k_,
                                                      only_many, Layouts>,
                             matmul_hopper_transposed<T, tile_m_, warpgroups, stages, split_k_, multicast_, stream_k_,
                                                      (batch || only_many), Layouts>),
            {tile_m, warpgroups, split_k, cluster_rows, at_once, Pipeline::b_box_rows,
             sizeof(HopperTransposedShared<T, tile_m_, warpgroups, stages, split_k_>)},
            arguments);
    }
};

}  // namespace BACKEND
