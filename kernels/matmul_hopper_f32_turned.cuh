#pragma once
// f32 without tensor cores on Hopper, for large matrices. A scheduler issues one instruction a cycle: of 134, 128 are
// multiply-adds and six are 16-byte loads from shared memory. All else is about the cycles in which it issues none.
//   matmul_hopper_f32_turned   removes, from matmul_hopper_f32,
//     - conflicts in the register file. Its two banks give one operand a cycle each: a multiply-add must find one of
//       its three operands in the reuse cache and the other two in different banks, or it takes two cycles. Warps that
//       do not multiply turn A's tile, so that a lane needs 24 registers for operands, not 48 or more. Rows and columns
//       are walked to and fro: one operand is the one of the multiply-add before. And the sum of column c is kept in
//       element c ^ 1: vectors of sums and of B lie in aligned groups of registers, so that a sum is always in the bank
//       that its column of B is not in;
//     - loads that bring two registers in a cycle, at the expense of the multiply-adds: see TurnedPosition;
//     - waits for loads: the operands of a step along k are loaded during the step before;
//     - waits that keep a scheduler busy: see supply_turned_stages().
// The tiles of the last waves are shared out evenly.
#include "common/hopper_launch.cuh"
#include "common/hopper_pipeline.cuh"
#include "common/hopper_shares.cuh"
#include "common/matmul_arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// A block's tile, and how its eight warps and their lanes share it.
struct TurnedShape {
    static constexpr int tile_m = 128, tile_n = 256, warp_m = 64, warp_n = 64, lanes_m = 4, lanes_n = 8;
    static constexpr int rows = warp_m / lanes_m, columns = warp_n / lanes_n, vectors = columns / 4; // of one lane
    static constexpr int warps_n = tile_n / warp_n, multipliers = 256, stages = 3;
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages, tile_n>;
};

/// Where this warp and lane work. Two lanes whose numbers differ in bit 0 only, or in bit 1 only, have different rows
/// and different columns: where all such pairs load the same values, shared memory returns two registers in a cycle,
/// not one, and each load costs a multiply-add's cycle.
struct TurnedPosition {
    using Shape = TurnedShape;
    int row, column, lane_row, lane_column;
    __device__ TurnedPosition(int warp, int lane)
        : row(warp / Shape::warps_n * Shape::warp_m), column(warp % Shape::warps_n * Shape::warp_n),
          lane_row(lane % Shape::lanes_m), lane_column((lane / Shape::lanes_m) ^ (lane % Shape::lanes_m)) {}

    /// The first of the lane's v-th four columns, in its warp's tile. Neighbours take neighbouring fours.
    __device__ int column_of(int v) const { return (v * Shape::lanes_n + lane_column) * 4; }
};

/// The ring of stages; beside each stage A's tile once more, turned: [32 along k][tile_m]; and for each warp a row of
/// results of every row of lanes, with a gap that spreads them over the banks.
struct TurnedShared {
    static constexpr int result_row = TurnedShape::warp_n + 16;
    TurnedShape::Pipeline::Shared ring;
    alignas(1024) float turned_a[TurnedShape::stages][32 * TurnedShape::tile_m];
    alignas(16) float results[TurnedShape::multipliers / 32][TurnedShape::lanes_m * result_row];
    std::uint64_t turned[TurnedShape::stages];
};

/// Turns 32 rows of A's tile from `first_row` on. One warp. A lane turns squares of 4 x 4: the eight lanes whose
/// accesses go together take eight squares below each other but, by the exclusive or, from different columns: neither
/// the loads from swizzled rows nor the stores meet in a bank.
__device__ inline void turn_rows(const float* a, float* turned, int first_row, int lane) {
    constexpr int tile_m = TurnedShape::tile_m;
    const int row = first_row + lane % 8 * 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int piece = (lane / 8 + 4 * half) ^ (lane % 8 / 2);
        float4 square[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            square[i] = *reinterpret_cast<const float4*>(a + (row + i) * 32 + (piece ^ (row + i) % 8) * 4);
        auto* target = reinterpret_cast<float4*>(turned + piece * 4 * tile_m + row);
        target[0] = make_float4(square[0].x, square[1].x, square[2].x, square[3].x);
        target[tile_m / 4] = make_float4(square[0].y, square[1].y, square[2].y, square[3].y);
        target[tile_m / 2] = make_float4(square[0].z, square[1].z, square[2].z, square[3].z);
        target[tile_m / 4 * 3] = make_float4(square[0].w, square[1].w, square[2].w, square[3].w);
    }
}

/// Brings the block's stages and turns A's. Four warps, one for each of the multiprocessor's schedulers: those that
/// multiply go on in step, so that what one scheduler has to do besides would delay all. The first warp asks for a
/// stage when it has turned its part of the one before the last. All its lanes wait for the stage to be emptied: that
/// suspends the warp, whereas a lane that waits alone would poll, and take its scheduler's time from the warps that
/// multiply.
__device__ inline void supply_turned_stages(TurnedShared& shared, const CUtensorMap& map_a, const CUtensorMap& map_b,
                                            const TileOrder& order, const TileShares& shares) {
    using Shape = TurnedShape;
    using Pipeline = Shape::Pipeline;
    const int warp = (static_cast<int>(threadIdx.x) - Shape::multipliers) / 32,
              lane = static_cast<int>(threadIdx.x) % 32;
    Pipeline::Position asked, turned;
    TileSegment segment;
    unsigned asked_segments = 0;
    int row = 0, column = 0;
    const auto ask = [&] {
        if (segment.first == segment.end) {
            if (!find_segment(shares, asked_segments++, segment)) {
                segment = {};
                return;
            }
            unsigned tile_row = 0, tile_column = 0;
            order.place(segment.tile, tile_row, tile_column);
            row = static_cast<int>(tile_row) * Shape::tile_m;
            column = static_cast<int>(tile_column) * Shape::tile_n;
        }
        const int step = segment.first++;
        barrier_wait(&shared.ring.emptied[asked.stage], asked.parity ^ 1); // as produce() will, in vain
        Pipeline::Position position = asked;
        if (lane == 0) Pipeline::produce(shared.ring, position, map_a, map_b, row, column, step, step + 1);
        asked.advance();
        __syncwarp();
    };
    for (int stage = 0; warp == 0 && stage < Shape::stages - 1; ++stage) ask();
    TileSegment turning;
    for (unsigned index = 0; find_segment(shares, index, turning); ++index)
        for (int step = turning.first; step < turning.end; ++step, turned.advance()) {
            const int stage = turned.stage;
            barrier_wait(&shared.ring.filled[stage], turned.parity);
            turn_rows(shared.ring.a[stage], shared.turned_a[stage], warp * 32, lane);
            barrier_arrive(&shared.turned[stage]); // each lane for what it stored
            if (warp == 0) ask();
        }
}

/// What a lane multiplies in one step along k.
struct TurnedOperands {
    using Shape = TurnedShape;
    float left[Shape::rows], right[Shape::columns];

    /// From the lane's first row of A's turned tile and its first column of B's, `k` steps on; what multiply() needs
    /// first comes first.
    __device__ void load(const float* a, const float* b, int k) {
        load_left(a, k, 0);
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v)
            *reinterpret_cast<float4*>(right + 4 * v) =
                *reinterpret_cast<const float4*>(b + k * Shape::tile_n + v * Shape::lanes_n * 4);
#pragma unroll
        for (int v = 1; v < Shape::rows / 4; ++v) load_left(a, k, v);
    }
    __device__ void load_left(const float* a, int k, int v) {
        *reinterpret_cast<float4*>(left + 4 * v) =
            *reinterpret_cast<const float4*>(a + k * Shape::tile_m + v * Shape::lanes_m * 4);
    }

    __device__ void multiply(float (&sums)[Shape::rows * Shape::columns]) const {
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

/// sums += this lane's part of `stages` stages. A stage's first operands, too, are loaded during the step before, which
/// is the last of another stage. The loop has four steps and no more: 32 would not fit in the instruction cache.
__device__ inline void multiply_turned_stages(TurnedShared& shared, TurnedShape::Pipeline::Position& position,
                                              int stages, const TurnedPosition& at,
                                              float (&sums)[TurnedShape::rows * TurnedShape::columns]) {
    using Shape = TurnedShape;
    constexpr int loop_steps = 4, loops = 32 / loop_steps;
    const float *a = nullptr, *b = nullptr;
    const auto enter_stage = [&] {
        barrier_wait(&shared.turned[position.stage], position.parity); // those who turned A waited for B, too
        a = shared.turned_a[position.stage] + at.row + at.lane_row * 4;
        b = shared.ring.b[position.stage][0] + at.column + at.column_of(0);
    };
    TurnedOperands even, odd;
    enter_stage();
    even.load(a, b, 0);
    for (int loops_left = loops;;) {
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
        b += loop_steps * Shape::tile_n;
        if (--loops_left == 0) {
            barrier_arrive(&shared.ring.emptied[position.stage]); // the stage's last operands are in registers
            position.advance();
            if (--stages == 0) break;
            loops_left = loops;
            enter_stage();
        }
        even.load(a, b, 0);
        odd.multiply(sums);
    }
    odd.multiply(sums);
}

/// Stores a warp's sums, one row of each row of lanes at a time, through shared memory, where vectors of sums may lie
/// as they do in registers. `c` is the corner of the warp's tile, of which `rows` x `columns` elements exist.
__device__ inline void store_turned(float* c, size_t row_elements, int rows, int columns, const TurnedPosition& at,
                                    float* results, const float (&sums)[TurnedShape::rows * TurnedShape::columns]) {
    using Shape = TurnedShape;
    constexpr int lanes_of_row = Shape::warp_n / 4;
    const int lane = static_cast<int>(threadIdx.x) % 32, x = lane % lanes_of_row * 4;
    const bool whole = row_elements % 4 == 0 && x + 4 <= columns;
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
        __syncwarp(); // all lanes have read the rows before
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v) {
            const float* four = sums + r * Shape::columns + 4 * v;
            *reinterpret_cast<float4*>(results + at.lane_row * TurnedShared::result_row + at.column_of(v)) =
                make_float4(four[0], four[1], four[2], four[3]);
        }
        __syncwarp(); // all lanes have written
#pragma unroll
        for (int i = lane / lanes_of_row; i < Shape::lanes_m; i += 32 / lanes_of_row) {
            const int y = (r / 4 * Shape::lanes_m + i) * 4 + r % 4;
            if (y >= rows) continue;
            const float4 swapped = *reinterpret_cast<const float4*>(results + i * TurnedShared::result_row + x);
            const float4 four = make_float4(swapped.y, swapped.x, swapped.w, swapped.z);
            float* target = c + static_cast<size_t>(y) * row_elements + x;
            if (whole) {
                *reinterpret_cast<float4*>(target) = four;
            } else {
                if (x < columns) target[0] = four.x;
                if (x + 1 < columns) target[1] = four.y;
                if (x + 2 < columns) target[2] = four.z;
                if (x + 3 < columns) target[3] = four.w;
            }
        }
    }
}

/// Grid: at most one block per multiprocessor. Block 384: warps 0 to 7 multiply, the others bring and turn.
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_f32_turned(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                             float* c, int m, int n, TileOrder order, TileShares shares, PartialSums partial) {
#if HOPPER_CODE
    using Shape = TurnedShape;
    using Pipeline = Shape::Pipeline;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<TurnedShared*>(memory);
    if (threadIdx.x == 0) {
        for (std::uint64_t& barrier : shared.turned) barrier_init(&barrier, Shape::tile_m);
        Pipeline::init(shared.ring, Shape::multipliers);
    }
    __syncthreads();

    if (threadIdx.x >= Shape::multipliers) {
        give_up_registers<88>();
        supply_turned_stages(shared, map_a, map_b, order, shares);
    } else {
        take_registers<208>();
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        const TurnedPosition at(warp, lane);
        Pipeline::Position position;
        TileSegment segment;
        for (unsigned index = 0; find_segment(shares, index, segment); ++index) {
            float sums[Shape::rows * Shape::columns] = {};
            multiply_turned_stages(shared, position, segment.end - segment.first, at, sums);
            if (!complete_tile<Shape::multipliers>(sums, segment, shares, partial)) continue;
            unsigned tile_row = 0, tile_column = 0;
            order.place(segment.tile, tile_row, tile_column);
            const int row = static_cast<int>(tile_row) * Shape::tile_m + at.row,
                      column = static_cast<int>(tile_column) * Shape::tile_n + at.column;
            store_turned(c + static_cast<size_t>(row) * n + column, static_cast<size_t>(n), m - row, n - column, at,
                         shared.results[warp], sums);
        }
    }
#endif
}

inline LaunchShape launch_hopper_f32_turned(const MatmulArguments<float>& arguments, unsigned group = 8) {
    using Shape = TurnedShape;
    const HopperOperands<float> operands(arguments);
    const TileOrder order{grid_for(arguments.m, Shape::tile_m), grid_for(arguments.n, Shape::tile_n), group};
    const TileShares shares =
        tile_shares(order.tiles(), arguments.k, Shape::Pipeline::tile_k, arguments.multiprocessors, f32_sharing);
    return launch_hopper(matmul_hopper_f32_turned, shares_grid(shares, arguments.multiprocessors), 384,
                         sizeof(TurnedShared), 1, arguments.stream, operands.map_a(Shape::tile_m),
                         operands.map_b_rows(Shape::tile_n), arguments.d_c, int(arguments.m), int(arguments.n),
                         order, shares, partial_sums(arguments));
}

} // namespace BACKEND
