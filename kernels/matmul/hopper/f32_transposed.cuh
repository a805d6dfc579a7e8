// SPDX-License-Identifier: MIT
#pragma once
// f32 without tensor cores on Hopper, for all but small products. A scheduler issues one instruction a cycle: of 134,
// 128 are multiply-adds and six are 16-byte loads from shared memory. All the rest is about cycles in which it issues
// nothing.
//   matmul_hopper_f32_transposed   removes, from matmul_hopper_f32,
//     - conflicts in the register file. Its two banks give one operand a cycle each: a multiply-add must find one of
//       its three operands in the reuse cache and the other two in different banks, or it takes two cycles. Warps that
//       do not multiply transpose A's tile in shared memory, so that a lane needs 24 registers for operands, not 48 or
//       more. Rows and columns are walked to and fro: one operand is the one of the multiply-add before. And the sum of
//       column c is kept in element c ^ 1: vectors of sums and of B lie in aligned groups of registers, so that a sum
//       is always in the bank that its column of B is not in;
//     - loads that return two registers in a cycle, at the expense of the multiply-adds: see TransposedAPosition;
//     - waits for loads: the operands of a step along k are loaded during the step before;
//     - waits that keep a scheduler busy: see supply_stages();
//     - the extra launch that copies matrices whose rows do not begin at multiples of 16 bytes: see row_sets.cuh.
// Stream-K shares the tiles of the last waves evenly. With few rows or columns it shares all tiles: with 16 rows, a
// tile's multiply-adds take no longer than the memory needs to deliver B.
// (Only A's tile is transposed, not the product as in transposed_product.cuh.)
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/transposed_shape.cuh"
#include "kernels/matmul/hopper/transposed_supply.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// What a lane multiplies in one step along k.
template <typename Shape>
struct TransposedAOperands {
    float left[Shape::rows], right[Shape::columns];

    /// From the lane's first row of A's transposed tile and its first column of B's, `k` steps on; what multiply()
    /// needs first comes first.
    __device__ void load(const float* a, const float* b, int k) {
        load_left(a, k, 0);
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v)
            *reinterpret_cast<float4*>(right + 4 * v) =
                *reinterpret_cast<const float4*>(b + Shape::place_of_step(k) + v * Shape::lanes_n * 4);
#pragma unroll
        for (int v = 1; v < Shape::rows / 4; ++v) load_left(a, k, v);
    }
    __device__ void load_left(const float* a, int k, int v) {
        *reinterpret_cast<float4*>(left + 4 * v) =
            *reinterpret_cast<const float4*>(a + k * Shape::tile_m + v * Shape::lanes_m * 4);
    }
    /// Bits of a register of each load: who computes with them waits for the loads, and for those before.
    __device__ unsigned bits_of_loads() const {
        unsigned bits = 0;
#pragma unroll
        for (int v = 0; v < Shape::rows / 4; ++v) bits ^= __float_as_uint(left[4 * v]);
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v) bits ^= __float_as_uint(right[4 * v]);
        return bits;
    }

    __device__ void multiply(float (&sums)[Shape::sums]) const {
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
            for (int i = 0; i < Shape::columns; ++i) {
                const int c = r % 2 == 0 ? i : Shape::columns - 1 - i;
                sums[r * Shape::columns + (c ^ 1)] += left[r] * right[c];
            }
        }
    }
};

/// sums += this lane's part of `stages` stages, the last of which has `last_steps` steps along k: zeros follow. A
/// stage's first operands, too, are loaded during the step before, which is the last of another stage. The loop has
/// four steps and no more: 32 would not fit in the instruction cache.
template <typename Shape>
__device__ inline void multiply_transposed_stages(TransposedAShared<Shape>& shared,
                                                  typename Shape::Pipeline::Position& position, int stages,
                                                  int last_steps, const TransposedAPosition<Shape>& at,
                                                  float (&sums)[Shape::sums]) {
    constexpr int loop_steps = 4, loops = Shape::slice_k / loop_steps;
    int last_loops = (last_steps - at.slice * Shape::slice_k + loop_steps - 1) / loop_steps;
    if (last_loops > loops) last_loops = loops;
    if (last_loops < 1) last_loops = 1;  // a slice without steps multiplies zeros
    const float *a = nullptr, *b = nullptr;
    const auto enter_stage = [&] {
        barrier_wait(&shared.transposed[position.stage], position.parity);  // who transposed A waited for B, too
        const int first_k = at.slice * Shape::slice_k;
        a = shared.transposed_a[position.stage] + first_k * Shape::tile_m + at.row + at.lane_row * 4;
        b = shared.ring.b[position.stage][0] + Shape::place_of_step(first_k) + at.column + at.column_of(0);
    };
    TransposedAOperands<Shape> even, odd;
    enter_stage();
    even.load(a, b, 0);
    for (int loops_left = stages > 1 ? loops : last_loops;;) {
#pragma unroll
        for (int k = 0; k < loop_steps; k += 2) {
            if (k > 0) {
                even.load(a, b, k);
                odd.multiply(sums);
            }
            odd.load(a, b, k + 1);
            even.multiply(sums);
        }
        a += loop_steps * Shape::tile_m;
        b += Shape::place_of_step(loop_steps);
        if (--loops_left == 0) {
            // An arrival does not wait for loads that are in flight, see HopperPipeline::release(), so its address
            // depends on what they return. That takes 0.5 % of the time. (To keep the zero in a register of its own
            // takes 1.2 %.)
            const unsigned zero = threadIdx.y;  // blocks have one row, which the compiler does not know
            barrier_arrive(&shared.ring.emptied[position.stage] + (odd.bits_of_loads() & zero));
            position.advance();
            if (--stages == 0) break;
            loops_left = stages > 1 ? loops : last_loops;
            enter_stage();
        }
        even.load(a, b, 0);
        odd.multiply(sums);
    }
    odd.multiply(sums);
}

/// Where results lie in shared memory during a round, in fours of a row; and which row of the tile that is.
template <typename Shape>
struct TransposedARound {
    static constexpr int row_fours = Shape::tile_n / 4, warp_rows = Shape::round_rows * Shape::lanes_m;
    static constexpr int fours = Shape::tile_m / Shape::rounds * row_fours;  // of one slice
    static constexpr int fours_of_thread = fours / Shape::consumers;

    /// Every other row is swizzled, for the banks.
    __device__ static int place(int row, int four) {
        return row * row_fours + (row_fours >= 8 ? four ^ row % 2 * 4 : four);
    }
    __device__ static int tile_row(int round, int row) {
        const int r = round * Shape::round_rows + row % warp_rows / Shape::lanes_m, lane_row = row % Shape::lanes_m;
        return row / warp_rows * Shape::warp_m + (r / 4 * Shape::lanes_m + lane_row) * 4 + r % 4;
    }
};

/// Passes sums through shared memory, where the slices' are added, in rounds: finish(round) is called after each, and
/// may ask for total_of_slices().
template <typename Shape, typename Finish>
__device__ inline void add_slices(float4* results, int thread, const float (&sums)[Shape::sums], const Finish& finish) {
    using Round = TransposedARound<Shape>;
    const TransposedAPosition<Shape> at(thread / 32, thread % 32);
    const int first_row = at.row / Shape::warp_m * Round::warp_rows + at.lane_row;
#pragma unroll
    for (int round = 0; round < Shape::rounds; ++round) {
        barrier_among(1, Shape::consumers);  // all have read the results before
#pragma unroll
        for (int r = 0; r < Shape::round_rows; ++r)
#pragma unroll
            for (int v = 0; v < Shape::vectors; ++v) {
                const float* four = sums + (round * Shape::round_rows + r) * Shape::columns + 4 * v;
                results[at.slice * Round::fours +
                        Round::place(first_row + r * Shape::lanes_m, (at.column + at.column_of(v)) / 4)] =
                    make_float4(four[0], four[1], four[2], four[3]);
            }
        barrier_among(1, Shape::consumers);  // all results are there
        finish(round);
    }
}

/// Of a round's results, a thread gets the fours `thread`, `thread` + 256, ...: neighbors have neighboring columns.
template <typename Shape>
__device__ inline float4 total_of_slices(const float4* results, int thread, int i) {
    using Round = TransposedARound<Shape>;
    const int number = thread + i * Shape::consumers;
    const float4* four = results + Round::place(number / Round::row_fours, number % Round::row_fours);
    float4 total = *four;
#pragma unroll
    for (int slice = 1; slice < Shape::slices; ++slice) {
        const float4 more = four[slice * Round::fours];
        total = make_float4(total.x + more.x, total.y + more.y, total.z + more.z, total.w + more.w);
    }
    return total;
}

/// Stores four neighbors that total_of_slices() gave to this thread, whose pairs are the wrong way round: see
/// TransposedAOperands::multiply(). `c` is the corner of the tile, of which `rows` x `columns` elements exist.
template <typename Shape>
__device__ inline void store_total(float* c, size_t row_elements, int rows, int columns, int thread, int round, int i,
                                   float4 total) {
    using Round = TransposedARound<Shape>;
    const int number = thread + i * Shape::consumers;
    store_four(c, row_elements, Round::tile_row(round, number / Round::row_fours), number % Round::row_fours * 4, rows,
               columns, make_float4(total.y, total.x, total.w, total.z));
}

/// Grid: at most one block per multiprocessor. Block 384: warps 0 to 7 multiply, the others load and transpose. `many`:
/// for the products of a batch, whose C begin stride_c elements after each other. `last_steps`: the steps along k of a
/// tile's last stage.
template <typename Shape, bool many>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_f32_transposed(const __grid_constant__ typename Shape::Maps maps, float* c, size_t stride_c, int m,
                                 int n, int last_steps, TileOrder order, StreamKSchedule schedule,
                                 PartialSums partial) {
#if HOPPER_CODE
    using Pipeline = typename Shape::Pipeline;
    extern __shared__ __align__(1024) unsigned char memory[];
    static_assert(sizeof(TransposedAShared<Shape>) <= most_shared_bytes);
    auto& shared = *reinterpret_cast<TransposedAShared<Shape>*>(memory);
    if (threadIdx.x == 0) {
        Pipeline::prefetch(maps);
        for (std::uint64_t& barrier : shared.transposed) barrier_init(&barrier, Shape::producers);
        Pipeline::init(shared.ring, Shape::consumers);
    }
    Pipeline::begin();

    if (threadIdx.x >= Shape::consumers) {
        give_up_registers<88>();
        supply_transposed_stages<many>(shared, maps, order, schedule);
    } else {
        take_registers<208>();
        const TransposedAPosition<Shape> at(static_cast<int>(threadIdx.x) / 32, static_cast<int>(threadIdx.x) % 32);
        typename Pipeline::Position position;
        using Round = TransposedARound<Shape>;
        using Shares = SumsOfShares<Shape::consumers, float, Shape::totals, (Shape::slices > 1)>;
        TileSegment segment;
        for (unsigned index = 0; find_segment(schedule, index, segment); ++index) {
            float sums[Shape::sums] = {};
            const bool has_last = segment.end == static_cast<int>(schedule.steps);
            multiply_transposed_stages(shared, position, segment.end - segment.first,
                                       has_last ? last_steps : hopper_tile_k<float>, at, sums);
            unsigned tile_row = 0, tile_column = 0;
            ProductNumber<many> product{};
            order.place(segment.tile, tile_row, tile_column, product);
            const int row = static_cast<int>(tile_row) * Shape::tile_m,
                      column = static_cast<int>(tile_column) * Shape::tile_n;
            int thread;  // read again here: what follows from it would else stay in registers while multiplying
            asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
            const auto store = [&](int round, int i, float4 four) {
                store_total<Shape>(matrix_of(product, c, stride_c) + static_cast<size_t>(row) * n + column,
                                   static_cast<size_t>(n), m - row, n - column, thread, round, i, four);
            };
            if constexpr (Shape::slices == 1) {
                if (!Shares::complete(sums, segment, schedule, partial, threadIdx.x)) continue;
                add_slices<Shape>(shared.results, thread, sums, [&](int round) {
#pragma unroll 1
                    for (int i = 0; i < Round::fours_of_thread; ++i)
                        store(round, i, total_of_slices<Shape>(shared.results, thread, i));
                });
            } else {
                float totals[Shape::totals];
                add_slices<Shape>(shared.results, thread, sums, [&](int round) {
#pragma unroll
                    for (int i = 0; i < Round::fours_of_thread; ++i) {
                        const float4 total = total_of_slices<Shape>(shared.results, thread, i);
                        const int first = (round * Round::fours_of_thread + i) * 4;
                        totals[first] = total.x;
                        totals[first + 1] = total.y;
                        totals[first + 2] = total.z;
                        totals[first + 3] = total.w;
                    }
                });
                if (!Shares::complete(totals, segment, schedule, partial, threadIdx.x)) continue;
                // Instructions that run once take longer to fetch than to run: a loop that is not unrolled.
                barrier_among(1, Shape::consumers);  // all have read the results
                constexpr int fours = Shape::totals / 4, room = Shape::round_sums / 4,
                              at_once = fours < room ? fours : room;
#pragma unroll
                for (int first = 0; first < fours; first += at_once) {
#pragma unroll
                    for (int i = 0; i < at_once; ++i) {
                        const float* four = totals + (first + i) * 4;
                        shared.results[i * Shape::consumers + thread] = make_float4(four[0], four[1], four[2], four[3]);
                    }
#pragma unroll 1
                    for (int i = 0; i < at_once; ++i)
                        store((first + i) / Round::fours_of_thread, (first + i) % Round::fours_of_thread,
                              shared.results[i * Shape::consumers + thread]);
                }
            }
        }
        if constexpr (Shape::slices > 1)
            Shares::add_part(schedule, partial, memory, threadIdx.x, [&](unsigned tile) {
                unsigned tile_row = 0, tile_column = 0;
                ProductNumber<many> product{};
                order.place(tile, tile_row, tile_column, product);
                const int row = static_cast<int>(tile_row) * Shape::tile_m,
                          column = static_cast<int>(tile_column) * Shape::tile_n;
                float* const corner = matrix_of(product, c, stride_c) + static_cast<size_t>(row) * n + column;
                return [=](int piece, int thread, const float(&four)[4]) {
                    store_total<Shape>(corner, static_cast<size_t>(n), m - row, n - column, thread,
                                       piece / Round::fours_of_thread, piece % Round::fours_of_thread,
                                       make_float4(four[0], four[1], four[2], four[3]));
                };
            });
    }
#endif
}

/// The host's part of every such tile.
template <typename Maps>
__attribute__((noinline)) LaunchShape launch_hopper_f32_transposed(
    void (*kernel)(Maps, float*, size_t, int, int, int, TileOrder, StreamKSchedule, PartialSums), unsigned tile_m,
    unsigned tile_n, size_t shared_bytes, const MatmulArguments<float>& arguments, const Maps& maps,
    const HopperStream& stream) {
    constexpr unsigned group = 8;
    const TileOrder order = order_of(arguments, tile_m, tile_n, group);
    const StreamKSchedule schedule = schedule_of(arguments, order);
    return launch_hopper(kernel, stream_k_grid(schedule, arguments.multiprocessors), 384, shared_bytes, 1, stream, maps,
                         arguments.d_c, arguments.stride_c, int(arguments.m), int(arguments.n),
                         int((arguments.k - 1) % hopper_tile_k<float>) + 1, order, schedule, partial_sums(arguments));
}

template <int tile_m_, int tile_n_, int warp_m, int warp_n, int lanes_m = 4, bool batch = false>
struct F32TransposedTile : HopperTile {
    using Element = float;
    using Shape = TransposedAShape<tile_m_, tile_n_, warp_m, warp_n, lanes_m>;
    using ShapeOfSets = TransposedAShape<tile_m_, tile_n_, warp_m, warp_n, lanes_m, true>;
    static constexpr unsigned tile_m = tile_m_, tile_n = tile_n_;
    static constexpr bool stream_k = true, can_exchange = Shape::slices > 1, takes_batch = batch;
    /// With three stages, straightening would hold the consumers up: copying is faster.
    static constexpr unsigned row_sets = ShapeOfSets::stages > 3 ? f32_row_sets : 0;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        if constexpr (row_sets > 0) {
            if (can_read_row_sets(arguments))
                return launch_hopper_f32_transposed(matmul_hopper_f32_transposed<ShapeOfSets, false>, tile_m, tile_n,
                                                    sizeof(TransposedAShared<ShapeOfSets>), arguments,
                                                    row_set_maps<f32_row_sets>(arguments, tile_m, tile_n),
                                                    arguments.stream);
        }
        const HopperOperands<float> operands(arguments);
        return launch_hopper_f32_transposed(kernel_of<batch>(arguments, matmul_hopper_f32_transposed<Shape, false>,
                                                             matmul_hopper_f32_transposed<Shape, batch>),
                                            tile_m, tile_n, sizeof(TransposedAShared<Shape>), arguments,
                                            MapPairByValue{operands.map_a(tile_m), operands.map_b_rows(tile_n)},
                                            operands.stream());
    }
};

}  // namespace BACKEND
