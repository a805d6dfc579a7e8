// SPDX-License-Identifier: MIT
#pragma once
// f64 on Hopper's tensor cores:
//   matmul_hopper_f64   removes, from matmul_direct, the copies by threads, which hold registers and wait at barriers
//                       of the whole block (TMA brings whole tiles), half of the loads from shared memory (a lane
//                       loads two neighbors at once, if they are aligned), and the launching of blocks (each stays
//                       for many tiles and shares those of the last wave: Stream-K). Rows of A and B may begin
//                       anywhere: see row_sets.cuh. What is where in a warp: f64_stage.cuh
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/f64_stage.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/row_sets.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

namespace BACKEND {

/// The threads of a block that load tiles, if so many blocks are resident.
template <int resident>
constexpr unsigned f64_producers = resident > 1 ? 32 : 128;
/// All threads of such a block.
template <int resident>
constexpr unsigned f64_threads = f64_producers<resident> + 256;

/// Stores two of a lane's sums, number 2 * piece and the next: in places 2 t and 2 t + 1 of an instruction's rows, and
/// in one column.
template <typename Shape>
__device__ inline void store_piece_f64(double* c, int tile_row, int tile_column, int m, int n,
                                       const F64Position<Shape>& at, int piece, const double (&sums)[2]) {
    const int i = piece / 2 / Shape::sixteens, j = piece / 2 % Shape::sixteens,
              column = tile_column + at.column + at.column_in(j) + piece % 2;
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
        const int row = tile_row + at.row + at.row_in(i, 2 * at.t + odd);
        if (row >= m || column >= n) continue;
        c[Shape::Layouts::c_transposed ? static_cast<size_t>(column) * m + row
                                       : static_cast<size_t>(row) * n + column] = sums[odd];
    }
}

/// Stores a lane's sums: two neighbors in each of two of an instruction's eight rows. Eight lanes fill 128 bytes of a
/// row or, if C is stored transposed, four lanes 32 bytes.
template <typename Shape>
__device__ inline void store_f64(double* c, int tile_row, int tile_column, int m, int n, const F64Position<Shape>& at,
                                 const double (&sums)[Shape::sums]) {
#pragma unroll
    for (int i = 0; i < Shape::eights; ++i)
#pragma unroll
        for (int odd = 0; odd < 2; ++odd)
#pragma unroll
            for (int j = 0; j < Shape::sixteens; ++j) {
                constexpr bool c_transposed = Shape::Layouts::c_transposed;
                const int row = tile_row + at.row + at.row_in(i, 2 * at.t + odd),
                          column = tile_column + at.column + at.column_in(j);
                if (row >= m || column >= n) continue;
                const size_t to_next = c_transposed ? m : 1;
                double* target = c_transposed ? c + static_cast<size_t>(column) * m + row
                                              : c + static_cast<size_t>(row) * n + column;
                const double* of_rows = sums + Shape::first_sum(i, j) + odd;
                const double two[2] = {of_rows[0], of_rows[2]};
                if (!c_transposed && n % 2 == 0) {
                    *reinterpret_cast<double2*>(target) = make_double2(two[0], two[1]);
                } else {
                    target[0] = two[0];
                    if (column + 1 < n) target[to_next] = two[1];
                }
            }
}

/// Grid: see stream_k_grid() and resident_grid(). Block 384: a producer warpgroup, which loads tiles, and two
/// consumers, which multiply. If several blocks are resident, one stores while others multiply; they have whole tiles,
/// never parts, and only a producer warp: block 288. `many`: for the products of a batch, whose Cs are stride_c
/// elements apart. Any m, n and k.
template <typename Shape, bool many, int resident = 1>
__global__ void __launch_bounds__(f64_threads<resident>, resident)
    matmul_hopper_f64(const __grid_constant__ typename Shape::Maps maps, double* c, size_t stride_c, int m, int n,
                      TileOrder order, StreamKSchedule schedule, PartialSums partial) {
#if HOPPER_CODE
    using Pipeline = typename Shape::Pipeline;
    using Shares = SumsOfShares<256, double, Shape::sums>;
    constexpr bool stream_k = resident == 1, moves_registers = resident == 1;
    constexpr unsigned producers = f64_producers<resident>;
    static_assert(Pipeline::asking_warps * 32 <= producers);
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& ring = *reinterpret_cast<typename Pipeline::Shared*>(memory);
    typename Pipeline::Position position;
    if constexpr (Shape::by_row_sets) Pipeline::begin(ring, maps, 8);
    else Pipeline::begin(ring, maps.first_a(), maps.b, 8);

    if (threadIdx.x < producers) {
        if (moves_registers) give_up_registers<40>();
        if (threadIdx.x >= Pipeline::asking_warps * 32 || !is_elected_lane()) return;
        produce_segments<Pipeline, stream_k, many>(ring, maps, order, schedule);
        return;
    }
    if (moves_registers) take_registers<232>();
    const unsigned thread = threadIdx.x - producers;
    const int lane = static_cast<int>(thread) % 32;
    const F64Position<Shape> at(static_cast<int>(thread) / 32, lane);
    TileSegment segment;
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, segment); ++index) {
        double sums[Shape::sums] = {};
        int previous = 0;
#pragma unroll 1
        for (int step = segment.first; step < segment.end; ++step, position.advance()) {
            barrier_wait(&ring.filled[position.stage], position.parity);
            // (mma.sync, which needs the operands of all lanes, has multiplied the previous stage.)
            if (step > segment.first) Pipeline::release(ring, previous, static_cast<unsigned>(lane));
            if constexpr (Shape::by_row_sets) multiply_f64_row_sets<Shape>(ring, position.stage, maps, at, sums);
            else multiply_f64_stage<Shape>(ring.a[position.stage], ring.b[position.stage], at, sums);
            previous = position.stage;
        }
        Pipeline::release(ring, previous, static_cast<unsigned>(lane));
        if constexpr (stream_k)
            if (!Shares::complete(sums, segment, schedule, partial, thread)) continue;
        unsigned tile_row = 0, tile_column = 0;
        ProductNumber<many> product{};
        order.place(segment.tile, tile_row, tile_column, product);
        store_f64<Shape>(matrix_of(product, c, stride_c), static_cast<int>(tile_row) * Shape::tile_m,
                         static_cast<int>(tile_column) * Shape::tile_n, m, n, at, sums);
    }
    if constexpr (stream_k)
        Shares::add_part(schedule, partial, memory, thread, [&](unsigned tile) {
            unsigned tile_row = 0, tile_column = 0;
            ProductNumber<many> product{};
            order.place(tile, tile_row, tile_column, product);
            double* const of_product = matrix_of(product, c, stride_c);
            const int row = static_cast<int>(tile_row) * Shape::tile_m,
                      column = static_cast<int>(tile_column) * Shape::tile_n;
            return [=](int piece, int of_thread, const double(&two)[2]) {
                const F64Position<Shape> place(of_thread / 32, of_thread % 32);
                store_piece_f64(of_product, row, column, m, n, place, piece, two);
            };
        });
#endif
}

/// `resident`: blocks of a multiprocessor. (Products with k of 192 to 256 took 8 to 14 % less time with three.)
template <int tile_m_, int tile_n_, int warps_m, int stages, typename Layouts_ = PlainLayouts, int resident = 1>
struct F64Tile : HopperTile {
    using Element = double;
    using Layouts = Layouts_;
    using Shape = F64Shape<tile_m_, tile_n_, warps_m, stages, Layouts>;
    static constexpr unsigned tile_m = tile_m_, tile_n = tile_n_, at_once = resident;
    static constexpr bool stream_k = resident == 1, can_exchange = stream_k, takes_batch = resident == 1;
    static constexpr unsigned row_sets = Layouts::plain && resident == 1 ? f64_row_sets : 0;
    static_assert(sizeof(typename Shape::Pipeline::Shared) <= most_shared_bytes_of(resident));
    static_assert(resident == 1 || Layouts::plain);

    static LaunchShape enqueue(const MatmulArguments<double>& arguments) {
        if constexpr (row_sets > 0) {
            constexpr int other_bytes = 1536;  // at most: barriers, alignment, and rest_of_b, which is not used
            constexpr int room = (most_shared_bytes - other_bytes) /
                                 RowSetPipeline<double, f64_row_sets, tile_m, tile_n, 1>::stage_bytes;
            using ShapeOfSets = F64Shape<tile_m_, tile_n_, warps_m, std::min(stages, room), Layouts, true>;
            if (can_read_row_sets(arguments))
                return launch(matmul_hopper_f64<ShapeOfSets, false>, sizeof(typename ShapeOfSets::Pipeline::Shared),
                              arguments, row_set_maps<f64_row_sets>(arguments, tile_m, tile_n), arguments.stream);
        }
        const HopperOperands<double> operands(arguments);
        return launch(kernel_of<takes_batch>(arguments, matmul_hopper_f64<Shape, Layouts::only_many, resident>,
                                             matmul_hopper_f64<Shape, (takes_batch || Layouts::only_many), resident>),
                      sizeof(typename Shape::Pipeline::Shared), arguments,
                      operands.maps(tile_m, Layouts::b_transposed ? tile_n : hopper_tile_k<double>), operands.stream());
    }

private:
    template <typename Maps>
    static LaunchShape launch(void (*kernel)(Maps, double*, size_t, int, int, TileOrder, StreamKSchedule, PartialSums),
                              size_t shared_bytes, const MatmulArguments<double>& arguments, const Maps& maps,
                              const HopperStream& stream) {
        constexpr unsigned group = 8;
        const TileOrder order = order_of(arguments, tile_m, tile_n, group);
        const StreamKSchedule schedule = schedule_of(arguments, order);
        const unsigned grid =
            stream_k ? stream_k_grid(schedule, arguments.multiprocessors)
                     : resident_grid(order, arguments.multiprocessors * resident, tile_m * tile_n * arguments.k);
        return launch_hopper(kernel, grid, f64_threads<resident>, shared_bytes, 1, stream, maps, arguments.d_c,
                             arguments.stride_c, int(arguments.m), int(arguments.n), order, schedule,
                             partial_sums(arguments));
    }
};

}  // namespace BACKEND
