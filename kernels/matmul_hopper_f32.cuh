#pragma once
// f32 without tensor cores, at the rate of Hopper's multiply-add units:
//   matmul_hopper_f32   removes, from the portable kernel with asynchronous copies, the instructions of the copies (the copy
//                       engine fetches whole tiles for one thread), the transposing of A's tile by the warps that multiply
//                       (two other warps turn it), and the barriers of the whole block: each warp waits only for its data
// What remains to be issued beside the multiply-adds is six 16-byte loads from shared memory for every 128 of them.
//
// Turning A's tile so that its columns lie in memory order is worth more than it looks. A lane then needs 24 registers for the
// operands of one step along k, not 40 or more, and the compiler finds places for them in the register file's two banks: a
// multiply-add that reads two operands from one bank takes two cycles. Unturned, it was 30 % slower.
//
// Eight warps multiply. With `slices` > 1, for few tiles, groups of warps take shares of every stage along k and add their sums
// at the end: a small tile, and still 128 independent sums a lane.
#include "common/hopper_launch.cuh"
#include "common/hopper_pipeline.cuh"
#include "common/matmul_arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// How eight warps share a block's tile, and lanes their warp's.
template <int tile_m_, int tile_n_, int warp_m_, int warp_n_, int lanes_m_, int slices_, int unroll_ = 32>
struct F32Shape {
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, warp_m = warp_m_, warp_n = warp_n_, slices = slices_;
    static constexpr int unroll = unroll_; // of the loop over a stage's steps along k
    static constexpr int lanes_m = lanes_m_, lanes_n = 32 / lanes_m;
    static constexpr int rows = warp_m / lanes_m, columns = warp_n / lanes_n; // of one lane
    static constexpr int vectors = columns / 4;
    static constexpr int warps_n = tile_n / warp_n, warps = tile_m / warp_m * warps_n;
    static_assert(warps * slices == 8, "eight warps multiply");
    static_assert(columns % 4 == 0 && warp_n <= 128, "a lane loads four columns at once");
    static_assert(rows % 4 == 0 && tile_m % 64 == 0, "a lane loads four rows at once, a turning warp turns 32");
};

/// Where this warp and lane work.
template <typename Shape> struct F32Position {
    int row, column, slice, lane_row, lane_column;
    __device__ explicit F32Position(int warp, int lane)
        : row(warp % Shape::warps / Shape::warps_n * Shape::warp_m), column(warp % Shape::warps_n * Shape::warp_n),
          slice(warp / Shape::warps), lane_row(lane / Shape::lanes_n), lane_column(lane % Shape::lanes_n) {}

    /// The lane's r-th row of the tile, and the first of its v-th four columns. Neighbouring lanes take neighbouring fours.
    __device__ int row_of(int r) const { return row + (r / 4 * Shape::lanes_m + lane_row) * 4 + r % 4; }
    __device__ int column_of(int v) const { return column + (v * Shape::lanes_n + lane_column) * 4; }
};

/// The ring of stages, and beside each stage A's tile once more, turned: [32 along k][tile_m].
template <typename Shape, int stages> struct F32Shared {
    typename HopperPipeline<float, Shape::tile_m, Shape::tile_n, stages>::Shared ring;
    alignas(1024) float turned_a[stages][32 * Shape::tile_m];
    std::uint64_t turned[stages];
};

/// Turns `rows` rows of A's tile (a multiple of 32) from `first_row` on. One warp. A lane turns squares of 4 x 4: the eight lanes
/// whose accesses go together take eight squares below each other but, by the exclusive or, from different columns: neither
/// the loads from swizzled rows nor the stores meet in a bank.
template <int tile_m> __device__ inline void turn_rows(const float* a, float* turned, int first_row, int rows, int lane) {
    for (int row = first_row + lane % 8 * 4; row < first_row + rows; row += 32) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int piece = (lane / 8 + 4 * half) ^ (lane % 8 / 2);
            float4 square[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) square[i] = *reinterpret_cast<const float4*>(a + (row + i) * 32 + (piece ^ (row + i) % 8) * 4);
            float* target = turned + piece * 4 * tile_m + row;
            *reinterpret_cast<float4*>(target) = make_float4(square[0].x, square[1].x, square[2].x, square[3].x);
            *reinterpret_cast<float4*>(target + tile_m) = make_float4(square[0].y, square[1].y, square[2].y, square[3].y);
            *reinterpret_cast<float4*>(target + 2 * tile_m) = make_float4(square[0].z, square[1].z, square[2].z, square[3].z);
            *reinterpret_cast<float4*>(target + 3 * tile_m) = make_float4(square[0].w, square[1].w, square[2].w, square[3].w);
        }
    }
}

/// sums += this lane's part of one stage: A's tile turned, B's in boxes of 32 x 32. Rows and columns are walked to and fro, so
/// that each multiply-add shares an operand with the one before.
template <typename Shape>
__device__ inline void multiply_stage(const float* turned_a, const float* b, const F32Position<Shape>& at,
                                      float (&sums)[Shape::rows][Shape::columns]) {
    constexpr int steps = 32 / Shape::slices;
    const float* a_rows = turned_a + at.slice * steps * Shape::tile_m + at.row + at.lane_row * 4;
    const float* b_columns[Shape::vectors];
#pragma unroll
    for (int v = 0; v < Shape::vectors; ++v) {
        const int column = at.column_of(v);
        b_columns[v] = b + column / 32 * 1024 + column % 32 + at.slice * steps * 32;
    }
#pragma unroll(Shape::unroll)
    for (int k = 0; k < steps; ++k) {
        float left[Shape::rows], right[Shape::columns];
#pragma unroll
        for (int v = 0; v < Shape::rows / 4; ++v)
            *reinterpret_cast<float4*>(left + 4 * v) = *reinterpret_cast<const float4*>(a_rows + k * Shape::tile_m + v * Shape::lanes_m * 4);
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v)
            *reinterpret_cast<float4*>(right + 4 * v) = *reinterpret_cast<const float4*>(b_columns[v] + k * 32);
#pragma unroll
        for (int c = 0; c < Shape::columns; ++c) {
#pragma unroll
            for (int i = 0; i < Shape::rows; ++i) {
                const int r = c % 2 == 1 ? i : Shape::rows - 1 - i;
                sums[r][c] += left[r] * right[c];
            }
        }
    }
}

/// By elements: 16-byte stores would bind the sums to groups of registers, and make them meet the operands' banks.
__device__ inline void store_four(float* c, int row, int column, int m, int n, float4 four) {
    if (row >= m) return;
    float* target = c + static_cast<size_t>(row) * n + column;
    if (column < n) target[0] = four.x;
    if (column + 1 < n) target[1] = four.y;
    if (column + 2 < n) target[2] = four.z;
    if (column + 3 < n) target[3] = four.w;
}

/// Adds the slices' sums through shared memory, which the stages no longer need, and stores them.
template <typename Shape>
__device__ inline void add_slices(float* partial, const F32Position<Shape>& at, const float (&sums)[Shape::rows][Shape::columns], float* c,
                                  int tile_row, int tile_column, int m, int n) {
    constexpr unsigned consumers = 256;
    constexpr int tile_elements = Shape::tile_m * Shape::tile_n;
    barrier_among(1, consumers); // nobody reads the stages any more
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r)
#pragma unroll
        for (int v = 0; v < Shape::vectors; ++v) {
            const int row = at.row_of(r), column = at.column_of(v);
            *reinterpret_cast<float4*>(partial + at.slice * tile_elements + row * Shape::tile_n + column) =
                make_float4(sums[r][4 * v], sums[r][4 * v + 1], sums[r][4 * v + 2], sums[r][4 * v + 3]);
        }
    barrier_among(1, consumers); // all slices are there
    for (int i = static_cast<int>(threadIdx.x % consumers) * 4; i < tile_elements; i += consumers * 4) {
        float4 total = *reinterpret_cast<const float4*>(partial + i);
#pragma unroll
        for (int slice = 1; slice < Shape::slices; ++slice) {
            const float4 more = *reinterpret_cast<const float4*>(partial + slice * tile_elements + i);
            total = make_float4(total.x + more.x, total.y + more.y, total.z + more.z, total.w + more.w);
        }
        store_four(c, tile_row + i / Shape::tile_n, tile_column + i % Shape::tile_n, m, n, total);
    }
}

/// Brings the tiles' stages (thread 256) and turns A's (warps 9 and 10).
template <typename Shape, int stages>
__device__ inline void supply_stages(F32Shared<Shape, stages>& shared, const CUtensorMap& map_a, const CUtensorMap& map_b, int steps,
                                     const TileOrder& order) {
    using Pipeline = HopperPipeline<float, Shape::tile_m, Shape::tile_n, stages>;
    typename Pipeline::Position position;
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
            turn_rows<Shape::tile_m>(shared.ring.a[stage], shared.turned_a[stage], (warp - 1) * Shape::tile_m / 2, Shape::tile_m / 2, lane);
            __syncwarp(); // all lanes have stored
            if (lane == 0) barrier_arrive(&shared.turned[stage]);
        }
    }
}

/// Grid: one block per tile if there are slices, else at most one per multiprocessor. Block 384: warps 0 to 7 multiply.
template <typename Shape, int stages>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_f32(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* c, int m, int n, int k,
                      TileOrder order) {
#if HOPPER_CODE
    using Pipeline = HopperPipeline<float, Shape::tile_m, Shape::tile_n, stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<F32Shared<Shape, stages>*>(memory);
    const int steps = (k + Pipeline::tile_k - 1) / Pipeline::tile_k;
    if (threadIdx.x == 0) {
        for (std::uint64_t& barrier : shared.turned) barrier_init(&barrier, 2);
        Pipeline::init(shared.ring, 8);
    }
    __syncthreads();

    if (threadIdx.x >= 256) {
        supply_stages<Shape, stages>(shared, map_a, map_b, steps, order);
    } else {
        const F32Position<Shape> at(threadIdx.x / 32, threadIdx.x % 32);
        typename Pipeline::Position position;
        for (unsigned tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
            float sums[Shape::rows][Shape::columns] = {};
            for (int step = 0; step < steps; ++step, position.advance()) {
                const int stage = position.stage;
                barrier_wait(&shared.ring.filled[stage], position.parity);
                barrier_wait(&shared.turned[stage], position.parity);
                multiply_stage<Shape>(shared.turned_a[stage], shared.ring.b[stage][0], at, sums);
                __syncwarp(); // all lanes have read the stage
                Pipeline::release(shared.ring, stage, threadIdx.x % 32);
            }
            unsigned tile_row = 0, tile_column = 0;
            order.place(tile, tile_row, tile_column);
            const int row = static_cast<int>(tile_row) * Shape::tile_m, column = static_cast<int>(tile_column) * Shape::tile_n;
            if constexpr (Shape::slices > 1) {
                add_slices<Shape>(shared.ring.a[0], at, sums, c, row, column, m, n);
            } else {
#pragma unroll
                for (int r = 0; r < Shape::rows; ++r)
#pragma unroll
                    for (int v = 0; v < Shape::vectors; ++v)
                        store_four(c, row + at.row_of(r), column + at.column_of(v), m, n,
                                   make_float4(sums[r][4 * v], sums[r][4 * v + 1], sums[r][4 * v + 2], sums[r][4 * v + 3]));
            }
        }
    }
#endif
}

template <typename Shape, int stages> LaunchShape launch_hopper_f32(const MatmulArguments<float>& arguments, unsigned group = 8) {
    using Pipeline = HopperPipeline<float, Shape::tile_m, Shape::tile_n, stages>;
    static_assert(Shape::slices == 1 || Shape::slices * Shape::tile_m * Shape::tile_n * sizeof(float) <= sizeof(F32Shared<Shape, stages>),
                  "the slices' sums fit where the stages were");
    const HopperOperands<float> operands(arguments);
    const TileOrder order{grid_for(arguments.m, Shape::tile_m), grid_for(arguments.n, Shape::tile_n), group};
    const unsigned grid = Shape::slices > 1 ? order.tiles() : persistent_grid(order, arguments.multiprocessors, 1);
    return launch_hopper(matmul_hopper_f32<Shape, stages>, grid, 384, sizeof(F32Shared<Shape, stages>), 1, arguments.stream,
                         operands.map_a(Pipeline::tile_m), operands.map_b(CU_TENSOR_MAP_SWIZZLE_NONE), arguments.d_c, int(arguments.m),
                         int(arguments.n), int(arguments.k), order);
}

} // namespace BACKEND
