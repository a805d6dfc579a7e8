// SPDX-License-Identifier: MIT
#pragma once
// bf16 and f16 on Hopper's tensor cores, for matrices of many tiles:
//   matmul_hopper_overlapped   removes, from matmul_hopper_mma, the pause after a tile in which the tensor cores wait
//                              for its results to be stored (2700 cycles, against 65536 of work for k = 4096). Rounded
//                              to 16 bits, the results need half the registers of their sums, which leaves room for the
//                              next tile's sums: its multiplications begin at once, and a quarter of the results is
//                              stored during each of its first four stages. Narrower tiles make whole waves of other
//                              shapes; two blocks of a cluster may share B by multicast, for rows that are slow to read
// Each warp stores on its own, without waiting for the others of its warpgroup, a box of 16 rows x 64 columns at a
// time. The ladder continues in hopper/fitted.cuh.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/mma.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/wgmma.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

template <int tile_n>
struct OverlappedShape {
    static constexpr int tile_m = 128, stages = tile_n > 192 ? 4 : 5;
    /// The boxes of a warp's results. The last one may overlap the previous one: both store the same results there.
    static constexpr int box_rows = 16, box_columns = 64, boxes = (tile_n + box_columns - 1) / box_columns;
    __device__ static constexpr int box_column(int box) {
        return box < boxes - 1 ? box * box_columns : tile_n - box_columns;
    }
};

template <typename T, int tile_n>
struct HopperOverlappedShared {
    using Shape = OverlappedShape<tile_n>;
    HopperRing<T, Shape::tile_m, tile_n, Shape::stages> ring;
    alignas(1024) T results[Shape::tile_m / Shape::box_rows][Shape::box_rows * Shape::box_columns];  // a box a warp
};

/// A warp's finished results, two per register, and how many of their boxes are still to be stored.
template <int tile_n, bool many = false>
struct WaitingResults {
    using Shape = OverlappedShape<tile_n>;
    std::uint32_t pairs[tile_n / 4];
    int row = 0, column = 0, waiting = 0;
    ProductNumber<many> product{};

    template <typename T>
    __device__ void take(const float (&sums)[tile_n / 2], int tile_row, int tile_column, T,
                         ProductNumber<many> of_product = {}) {
#pragma unroll
        for (int i = 0; i < tile_n / 4; ++i) pairs[i] = pack_pair(sums[2 * i], sums[2 * i + 1], T{});
        row = tile_row;
        column = tile_column;
        product = of_product;
        waiting = Shape::boxes;
    }

    /// Called by a whole warp. Stores the next box through `memory`, if there is one.
    template <typename T>
    __device__ void store_next(const CUtensorMap& map_c, T* memory, int lane) {
        if (waiting == 0) return;
        const int next = Shape::boxes - waiting--;
#pragma unroll
        for (int box = 0; box < Shape::boxes; ++box)  // registers cannot be indexed
            if (box == next)
                store(pairs + Shape::box_column(box) / 4, column + Shape::box_column(box), map_c, memory, lane);
    }

private:
    template <typename T>
    __device__ void store(const std::uint32_t* box_pairs, int box_column, const CUtensorMap& map_c, T* memory,
                          int lane) const {
        if (lane == 0) wait_copies_out_read<0>();  // TMA has read the previous box
        __syncwarp();                              // all lanes may overwrite it
        const int fragment_row = lane / 8 % 2 * 8 + lane % 8;
#pragma unroll
        for (int i = 0; i < 4; ++i) {  // 16 columns: matrices left top, left bottom, right top, right bottom
            const int piece = (2 * i + lane / 16) ^ (fragment_row % 8);
            store_matrices(memory + fragment_row * Shape::box_columns + piece * 8, box_pairs[4 * i],
                           box_pairs[4 * i + 1], box_pairs[4 * i + 2], box_pairs[4 * i + 3]);
        }
        fence_shared_for_copies();
        __syncwarp();  // the box is complete
        if (lane != 0) return;
        copy_box_out(map_c, memory, box_column, row, product);
        commit_copies_out();
    }
};

/// Grid: at most one block per multiprocessor. Block 384: a producer warpgroup, which loads tiles, and two consumers,
/// which multiply 64 rows each. `stream_k`: with the code to share tiles along k, which costs 1 %. `multicast`: how
/// many blocks of a cluster share B. `many`: for the products of a batch.
template <typename T, int tile_n, bool stream_k, int multicast, bool many, typename Layouts>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_overlapped(const __grid_constant__ OperandMaps maps, const __grid_constant__ CUtensorMap map_c,
                             TileOrder order, StreamKSchedule schedule, PartialSums partial) {
#if HOPPER_CODE
    using Shape = OverlappedShape<tile_n>;
    using Pipeline = HopperPipeline<T, Shape::tile_m, tile_n, Shape::stages, 64, ClusterOf<multicast, 1>, Layouts>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperOverlappedShared<T, tile_n>*>(memory);
    typename Pipeline::Position position;
    Pipeline::begin(shared.ring, maps.first_a(), maps.b, 2);

    TileSegment segment;
    unsigned tile_row = 0, tile_column = 0;
    if (threadIdx.x < 128) {
        give_up_registers<40>();
        if (threadIdx.x >= 32 || !is_elected_lane()) return;
        produce_segments<Pipeline, stream_k, many>(shared.ring, maps, order, schedule);
        return;
    }
    take_registers<232>();
    const int consumer = static_cast<int>(threadIdx.x) / 128 - 1, warp = static_cast<int>(threadIdx.x) / 32 - 4,
              lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned thread = threadIdx.x % 128;
    T* box = shared.results[warp];
    WaitingResults<tile_n, many> results;
    int refills = Pipeline::refills(schedule.stages_of(blockIdx.x, gridDim.x));
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, segment); ++index) {
        float d[tile_n / 2];
        int previous = 0;
        for (int step = segment.first; step < segment.end; ++step) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            start_stage<T, tile_n, Layouts>(d, &shared.ring.a[stage][consumer * 64 * 64], shared.ring.b[stage],
                                            step > segment.first);
            results.store_next(map_c, box, lane);  // of the previous tile, while this one is multiplied
            if (step > segment.first) {
                wgmma_wait<1>();  // the previous group has read its stage
                Pipeline::release(shared.ring, previous, thread, refills);
            }
            previous = stage;
            position.advance();
        }
        while (results.waiting > 0) results.store_next(map_c, box, lane);
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared.ring, previous, thread, refills);
        if constexpr (stream_k)
            if (!SumsOfShares<256, float, tile_n / 2, false>::complete(d, segment, schedule, partial,
                                                                       threadIdx.x - 128))
                continue;
        ProductNumber<many> product{};
        order.place(segment.tile, tile_row, tile_column, product);
        results.take(d, static_cast<int>(tile_row) * Shape::tile_m + warp * Shape::box_rows,
                     static_cast<int>(tile_column) * tile_n, T{}, product);
    }
    while (results.waiting > 0) results.store_next(map_c, box, lane);
    if (lane == 0) wait_copies_out_read<0>();  // shared memory must outlive the copies that read it
#endif
}

/// The parameters of a launch that do not depend on the kernel's type.
struct OverlappedLaunch {
    unsigned tile_m, tile_n, multicast, b_box_rows, shared_bytes;
};

template <typename T>
__attribute__((noinline)) LaunchShape launch_hopper_overlapped(void (*kernel)(OperandMaps, CUtensorMap, TileOrder,
                                                                              StreamKSchedule, PartialSums),
                                                               const OverlappedLaunch& tile,
                                                               const MatmulArguments<T>& arguments) {
    constexpr unsigned group = 8;
    using Shape = OverlappedShape<256>;  // the boxes of results are the same for all shapes
    const HopperOperands<T> operands(arguments);
    const TileOrder order = order_of(arguments, tile.tile_m, tile.tile_n, group, tile.multicast);
    const StreamKSchedule schedule = schedule_of(arguments, order, tile.multicast);
    return launch_hopper(kernel, stream_k_grid(schedule, arguments.multiprocessors), 384, tile.shared_bytes,
                         tile.multicast, operands.stream(), operands.maps(tile.tile_m, tile.b_box_rows),
                         map_of_c(arguments, Shape::box_rows, Shape::box_columns), order, schedule,
                         partial_sums(arguments));
}

template <typename T, int tile_n_, bool stream_k_, int multicast_ = 1, bool batch = false,
          typename Layouts_ = PlainLayouts, bool only_batch_ = false>
struct OverlappedTile : HopperTile {
    using Element = T;
    using Layouts = Layouts_;
    using Shape = OverlappedShape<tile_n_>;
    static constexpr unsigned tile_m = Shape::tile_m, tile_n = tile_n_, cluster_rows = multicast_;
    static constexpr bool stream_k = stream_k_, deals_side_by_side = true, needs_aligned_rows = true,
                          takes_batch = batch, only_batch = only_batch_;
    static_assert(cluster_rows == 1 || cluster_rows == 2, "StreamKSchedule knows pairs");
    static_assert(cluster_rows == 1 || !batch, "only B of one product is shared");
    static_assert(!Layouts::c_transposed);

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        using Pipeline =
            HopperPipeline<T, Shape::tile_m, tile_n_, Shape::stages, 64, ClusterOf<multicast_, 1>, Layouts>;
        constexpr bool only_many = Layouts::only_many || only_batch;
        return launch_hopper_overlapped<T>(
            kernel_of<batch>(
                arguments, matmul_hopper_overlapped<T, tile_n_, stream_k_, multicast_, only_many, Layouts>,
                matmul_hopper_overlapped<T, tile_n_, stream_k_, multicast_, (batch || only_many), Layouts>),
            {tile_m, tile_n, cluster_rows, Pipeline::b_box_rows, sizeof(HopperOverlappedShared<T, tile_n_>)},
            arguments);
    }
};

}  // namespace BACKEND
