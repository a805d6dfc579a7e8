#pragma once
// f32 without tensor cores on Hopper, for large matrices:
//   matmul_hopper_f32_turned   removes, from matmul_hopper_f32, the many registers for A: two warps that do not
//   multiply turn A's
//                              tile, so that a lane loads the four rows it needs for one step along k, not four steps
//                              of a row
// That is worth more than it looks. With 24 registers for operands, not 48 or more, the compiler finds better places
// for them in the register file's two banks: a multiply-add that reads two operands from the same bank takes two
// cycles. For the same reason results are stored one by one (16-byte stores would bind sums to groups of registers),
// rows are walked to and fro, and the loop over k is unrolled eight times and not further: all 32 steps would not fit
// in the instruction cache.
#include "common/hopper_launch.cuh"
#include "common/hopper_pipeline.cuh"
#include "common/matmul_arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// A block's tile, and how its eight warps and their lanes share it.
struct TurnedShape {
    static constexpr int tile_m = 128, tile_n = 256, warp_m = 64, warp_n = 64, lanes_m = 4, lanes_n = 8;
    static constexpr int rows = warp_m / lanes_m, columns = warp_n / lanes_n, vectors = columns / 4; // of one lane
    static constexpr int warps_n = tile_n / warp_n, stages = 3;
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages>;
};

/// Where this warp and lane work.
struct TurnedPosition {
    using Shape = TurnedShape;
    int row, column, lane_row, lane_column;
    __device__ TurnedPosition(int warp, int lane)
        : row(warp / Shape::warps_n * Shape::warp_m), column(warp % Shape::warps_n * Shape::warp_n),
          lane_row(lane / Shape::lanes_n), lane_column(lane % Shape::lanes_n) {}

    /// The lane's r-th row of the tile, and the first of its v-th four columns. Neighbouring lanes take neighbouring
    /// fours.
    __device__ int row_of(int r) const { return row + (r / 4 * Shape::lanes_m + lane_row) * 4 + r % 4; }
    __device__ int column_of(int v) const { return column + (v * Shape::lanes_n + lane_column) * 4; }
};

/// The ring of stages, and beside each stage A's tile once more, turned: [32 along k][tile_m].
struct TurnedShared {
    TurnedShape::Pipeline::Shared ring;
    alignas(1024) float turned_a[TurnedShape::stages][32 * TurnedShape::tile_m];
    std::uint64_t turned[TurnedShape::stages];
};

/// Turns `rows` rows of A's tile (a multiple of 32) from `first_row` on. One warp. A lane turns squares of 4 x 4: the
/// eight lanes whose accesses go together take eight squares below each other but, by the exclusive or, from different
/// columns: neither the loads from swizzled rows nor the stores meet in a bank.
__device__ inline void turn_rows(const float* a, float* turned, int first_row, int rows, int lane) {
    constexpr int tile_m = TurnedShape::tile_m;
    for (int row = first_row + lane % 8 * 4; row < first_row + rows; row += 32) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int piece = (lane / 8 + 4 * half) ^ (lane % 8 / 2);
            float4 square[4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                square[i] = *reinterpret_cast<const float4*>(a + (row + i) * 32 + (piece ^ (row + i) % 8) * 4);
            float* target = turned + piece * 4 * tile_m + row;
            *reinterpret_cast<float4*>(target) = make_float4(square[0].x, square[1].x, square[2].x, square[3].x);
            *reinterpret_cast<float4*>(target + tile_m) =
                make_float4(square[0].y, square[1].y, square[2].y, square[3].y);
            *reinterpret_cast<float4*>(target + 2 * tile_m) =
                make_float4(square[0].z, square[1].z, square[2].z, square[3].z);
            *reinterpret_cast<float4*>(target + 3 * tile_m) =
                make_float4(square[0].w, square[1].w, square[2].w, square[3].w);
        }
    }
}

/// sums += this lane's part of one stage: A's tile turned, B's in boxes of 32 x 32. Rows and columns are walked to and
/// fro, so that each multiply-add shares an operand with the one before.
__device__ inline void multiply_turned_stage(const float* turned_a, const float* b, const TurnedPosition& at,
                                             float (&sums)[TurnedShape::rows][TurnedShape::columns]) {
    using Shape = TurnedShape;
    constexpr int steps = 32;
    const float* a_rows = turned_a + at.row + at.lane_row * 4;
    const float* b_columns[Shape::vectors];
#pragma unroll
    for (int v = 0; v < Shape::vectors; ++v) {
        const int column = at.column_of(v);
        b_columns[v] = b + column / 32 * 1024 + column % 32;
    }
#pragma unroll(8)
    for (int k = 0; k < steps; ++k) {
        float left[Shape::rows], right[Shape::columns];
#pragma unroll
        for (int v = 0; v < Shape::rows / 4; ++v)
            *reinterpret_cast<float4*>(left + 4 * v) =
                *reinterpret_cast<const float4*>(a_rows + k * Shape::tile_m + v * Shape::lanes_m * 4);
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v)
            *reinterpret_cast<float4*>(right + 4 * v) = *reinterpret_cast<const float4*>(b_columns[v] + k * 32);
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
            for (int i = 0; i < Shape::columns; ++i) {
                const int c = r % 2 == 0 ? i : Shape::columns - 1 - i;
                sums[r][c] += left[r] * right[c];
            }
        }
    }
}

/// Stores the lane's sums; (row, column) is the corner of the block's tile.
__device__ inline void store_turned(float* c, int row, int column, int m, int n, const TurnedPosition& at,
                                    const float (&sums)[TurnedShape::rows][TurnedShape::columns]) {
#pragma unroll
    for (int r = 0; r < TurnedShape::rows; ++r) {
        const int y = row + at.row_of(r);
        if (y >= m) continue;
#pragma unroll
        for (int s = 0; s < TurnedShape::columns; ++s) {
            const int x = column + at.column_of(s / 4) + s % 4;
            if (x < n) c[static_cast<size_t>(y) * n + x] = sums[r][s];
        }
    }
}

/// Brings the tiles' stages (thread 256) and turns A's (warps 9 and 10).
__device__ inline void supply_turned_stages(TurnedShared& shared, const CUtensorMap& map_a, const CUtensorMap& map_b,
                                            int steps, const TileOrder& order) {
    using Shape = TurnedShape;
    using Pipeline = Shape::Pipeline;
    Pipeline::Position position;
    const int warp = static_cast<int>(threadIdx.x) / 32 - 8, lane = static_cast<int>(threadIdx.x) % 32;
    for (unsigned tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
        if (warp == 0 && lane == 0) {
            unsigned tile_row = 0, tile_column = 0;
            order.place(tile, tile_row, tile_column);
            Pipeline::produce(shared.ring, position, map_a, map_b, static_cast<int>(tile_row) * Shape::tile_m,
                              static_cast<int>(tile_column) * Shape::tile_n, 0, steps, 0);
        }
        if (warp != 1 && warp != 2) continue;
        for (int step = 0; step < steps; ++step, position.advance()) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            turn_rows(shared.ring.a[stage], shared.turned_a[stage], (warp - 1) * Shape::tile_m / 2, Shape::tile_m / 2,
                      lane);
            __syncwarp(); // all lanes have stored
            if (lane == 0) barrier_arrive(&shared.turned[stage]);
        }
    }
}

/// Grid: at most one block per multiprocessor. Block 384: warps 0 to 7 multiply.
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_f32_turned(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                             float* c, int m, int n, int k, TileOrder order) {
#if HOPPER_CODE
    using Shape = TurnedShape;
    using Pipeline = Shape::Pipeline;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<TurnedShared*>(memory);
    const int steps = (k + Pipeline::tile_k - 1) / Pipeline::tile_k;
    if (threadIdx.x == 0) {
        for (std::uint64_t& barrier : shared.turned) barrier_init(&barrier, 2);
        Pipeline::init(shared.ring, 8);
    }
    __syncthreads();

    if (threadIdx.x >= 256) {

        supply_turned_stages(shared, map_a, map_b, steps, order);
    } else {

        const TurnedPosition at(static_cast<int>(threadIdx.x) / 32, static_cast<int>(threadIdx.x) % 32);
        Pipeline::Position position;
        for (unsigned tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
            float sums[Shape::rows][Shape::columns] = {};
            for (int step = 0; step < steps; ++step, position.advance()) {
                const int stage = position.stage;
                barrier_wait(&shared.ring.filled[stage], position.parity);
                barrier_wait(&shared.turned[stage], position.parity);
                multiply_turned_stage(shared.turned_a[stage], shared.ring.b[stage][0], at, sums);
                __syncwarp(); // all lanes have read the stage
                Pipeline::release(shared.ring, stage, threadIdx.x % 32);
            }
            unsigned tile_row = 0, tile_column = 0;
            order.place(tile, tile_row, tile_column);
            store_turned(c, static_cast<int>(tile_row) * Shape::tile_m, static_cast<int>(tile_column) * Shape::tile_n,
                         m, n, at, sums);
        }
    }
#endif
}

inline LaunchShape launch_hopper_f32_turned(const MatmulArguments<float>& arguments, unsigned group = 8) {
    const HopperOperands<float> operands(arguments);
    const TileOrder order{grid_for(arguments.m, TurnedShape::tile_m), grid_for(arguments.n, TurnedShape::tile_n),
                          group};
    return launch_hopper(matmul_hopper_f32_turned, persistent_grid(order, arguments.multiprocessors, 1), 384,
                         sizeof(TurnedShared), 1, arguments.stream, operands.map_a(TurnedShape::tile_m),
                         operands.map_b(CU_TENSOR_MAP_SWIZZLE_NONE), arguments.d_c, int(arguments.m), int(arguments.n),
                         int(arguments.k), order);
}

} // namespace BACKEND
