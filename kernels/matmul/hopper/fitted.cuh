// SPDX-License-Identifier: MIT
#pragma once
// bf16 and f16 on Hopper's tensor cores, for matrices whose tiles do not make whole waves:
//   matmul_hopper_fitted   removes, from matmul_hopper_overlapped, the idling in the last wave (wave quantization). In
//                          the transposed product, C' = B' A', a tile may have any multiple of 8 rows: each column of
//                          tiles is cut into just as many tiles as fill whole waves. 4096 x 4096 becomes 528 tiles of
//                          240 to 256 rows and 128 columns, four for each of 132 multiprocessors
// (Fitting columns would gain less: at 4096, tiles of B that begin 32 bytes off an L2 cache line take 3 % longer on an
// H200, and 16 bytes off 21 %.)
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/fitted_tiles.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/mma.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"
#include "kernels/matmul/hopper/transposed_product.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace BACKEND {

/// A's maps, one for each height of tile.
struct FittedMaps {
    CUtensorMap of_height[4];
};

template <typename T>
struct HopperFittedShared {
    using Shape = FittedShape;
    typename HopperPipeline<T, Shape::most_rows, Shape::tile_n, Shape::stages>::Shared ring;
    alignas(
        1024) T results[Shape::tile_n / Shape::box_columns][Shape::box_rows * Shape::box_columns];  // of a warpgroup
};

/// A warpgroup's finished results, two per register, and how many of their boxes are still to be stored. The last box
/// ends with the tile and may store rows of the previous box again.
struct WaitingFittedResults {
    using Shape = FittedShape;
    static constexpr int boxes = Shape::most_rows / Shape::box_rows, box_sums = Shape::box_rows / 2;  // of a thread
    std::uint32_t pairs[boxes][box_sums / 2];
    FittedTile tile{};
    int waiting = 0;

    template <int count, typename T>
    __device__ void take(const float (&sums)[count], const FittedTile& of, T) {
#pragma unroll
        for (int box = 0; box < boxes; ++box)
#pragma unroll
            for (int i = 0; i < box_sums / 2; ++i) {
                const int first = box * box_sums < count - box_sums ? box * box_sums : count - box_sums;
                pairs[box][i] = pack_pair(sums[first + 2 * i], sums[first + 2 * i + 1], T{});
            }
        tile = of;
        waiting = (count + box_sums - 1) / box_sums;
    }

    /// Called by all threads of a warpgroup. Stores the next box through `memory`, if there is one.
    template <typename T>
    __device__ void store_next(const CUtensorMap& map_c, T* memory, unsigned consumer, unsigned thread) {
        if (waiting == 0) return;
        const int next = --waiting, last_row = tile.rows - Shape::box_rows;
#pragma unroll
        for (int box = 0; box < boxes; ++box)  // registers cannot be indexed
            if (box == next) store(pairs[box], min(box * Shape::box_rows, last_row), map_c, memory, consumer, thread);
    }

private:
    template <typename T>
    __device__ void store(const std::uint32_t (&box_pairs)[box_sums / 2], int row, const CUtensorMap& map_c, T* memory,
                          unsigned consumer, unsigned thread) const {
        constexpr unsigned threads = 128;
        const unsigned warp = thread / 32, lane = thread % 32;
        const unsigned piece = (2 * warp + lane / 8 % 2) ^ (lane % 8);
        T* target = memory + (lane / 16 * 8 + lane % 8) * Shape::box_columns + piece * 8;
        if (thread == 0) wait_copies_out_read<0>();  // TMA has read the previous box
        barrier_among(1 + consumer, threads);        // all threads may overwrite it
#pragma unroll
        for (int i = 0; i < 4; ++i)  // 16 rows: left, right; left, right below
            store_matrices_transposed(target + i * 16 * Shape::box_columns, box_pairs[4 * i], box_pairs[4 * i + 1],
                                      box_pairs[4 * i + 2], box_pairs[4 * i + 3]);
        fence_shared_for_copies();
        barrier_among(1 + consumer, threads);  // the box is complete
        if (thread != 0) return;
        copy_box_out(map_c, memory, tile.column + static_cast<int>(consumer) * Shape::box_columns, tile.row + row);
        commit_copies_out();
    }
};

/// Calls `work` with the rows of a tile as a constant: wgmma encodes it in the instruction.
template <typename Work, int... steps>
__device__ inline void with_rows(int rows, Work work, std::integer_sequence<int, steps...>) {
    using Shape = FittedShape;
    const auto is = [&](auto constant) {
        if (rows != decltype(constant)::value) return false;
        work(constant);
        return true;
    };
    (is(std::integral_constant<int, Shape::most_rows - steps * Shape::row_step>{}) || ...);
}

/// Grid: at most one block per multiprocessor. Block 384: a producer warpgroup, which loads tiles, and two consumers,
/// which multiply 64 columns each. `least_rows`: the lowest tile that there is code for. With code for three heights
/// instead of twelve, 4096 takes 0.5 % less time.
template <typename T, int least_rows>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_fitted(const __grid_constant__ FittedMaps maps_a, const __grid_constant__ CUtensorMap map_b,
                         const __grid_constant__ CUtensorMap map_c, const __grid_constant__ FittedTiles tiles,
                         int steps) {
#if HOPPER_CODE
    using Shape = FittedShape;
    using Pipeline = HopperPipeline<T, Shape::most_rows, Shape::tile_n, Shape::stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperFittedShared<T>*>(memory);
    typename Pipeline::Position position;
    Pipeline::begin(shared.ring, maps_a.of_height[0], map_b, 2);

    if (threadIdx.x < 128) {
        give_up_registers<40>();
        if (threadIdx.x >= 32 || !is_elected_lane()) return;
        for (unsigned number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
            const FittedTile tile = tiles.tile(number);
            const unsigned bytes = static_cast<unsigned>(tile.rows + Shape::tile_n) * 128;
            for (int step = 0; step < steps; ++step, position.advance())
                Pipeline::load_stage(shared.ring, position, MapPair{maps_a.of_height[tile.height], map_b}, tile.row,
                                     tile.column, step, OnlyProduct{}, bytes);
        }
        return;
    }
    take_registers<232>();
    // The shuffle tells the compiler that this is uniform: it then computes the operands' addresses once per warp.
    const unsigned consumer = __shfl_sync(~0U, threadIdx.x / 128 - 1, 0), thread = threadIdx.x % 128;
    WaitingFittedResults results;
    FittedTile tile = tiles.tile(blockIdx.x), next = tile;
    for (unsigned number = blockIdx.x; number < tiles.count(); number += gridDim.x, tile = next) {
        float sums[Shape::most_rows / 2];
        const auto multiply = [&](auto constant) {
            constexpr int rows = decltype(constant)::value;
            auto& d = reinterpret_cast<float(&)[rows / 2]>(sums);
            int previous = 0;
            for (int step = 0; step < steps; ++step) {
                const int stage = position.stage;
                barrier_wait(&shared.ring.filled[stage], position.parity);
                using Operand = TransposedOperand<T>;
                const std::uint64_t a = Operand::OfA::descriptor(shared.ring.a[stage]);
                Operand operand;
                operand.of_b = Operand::OfB::descriptor(shared.ring.b[stage][consumer]);
                wgmma_fence();
#pragma unroll
                for (int i = 0; i < 4; ++i) operand.template multiply<rows>(d, i, a, step > 0 || i > 0);
                wgmma_commit();
                results.store_next(map_c, shared.results[consumer], consumer, thread);  // of the previous tile
                if (step > 0) {
                    wgmma_wait<1>();  // the previous group has read its stage
                    Pipeline::release(shared.ring, previous, thread);
                }
                previous = stage;
                position.advance();
            }
            while (results.waiting > 0) results.store_next(map_c, shared.results[consumer], consumer, thread);
            if (number + gridDim.x < tiles.count())
                next = tiles.tile(number + gridDim.x);  // before the last stage ends
            wgmma_wait<0>();
            wgmma_settle(d);
            Pipeline::release(shared.ring, previous, thread);
            results.take(d, tile, T{});
        };
        constexpr int heights = (Shape::most_rows - least_rows) / Shape::row_step + 1;
        with_rows(tile.rows, multiply, std::make_integer_sequence<int, heights>{});
    }
    while (results.waiting > 0) results.store_next(map_c, shared.results[consumer], consumer, thread);
    if (thread == 0) wait_copies_out_read<0>();  // shared memory must outlive the copies that read it
#endif
}

/// Only if can_fit().
template <typename T>
struct FittedHopperTile : HopperTile {
    using Element = T;
    using Shape = FittedShape;
    static constexpr unsigned tile_m = Shape::most_rows, tile_n = Shape::tile_n, least_rows = Shape::least_rows;
    static constexpr bool needs_aligned_rows = true;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const HopperOperands<T> operands(arguments);
        const FittedTiles tiles = fitted_tiles(arguments.m, arguments.n, arguments.multiprocessors);
        FittedMaps maps_a;
        for (int height = 0; height < 4; ++height) maps_a.of_height[height] = operands.map_a(tiles.rows(height));
        const unsigned grid = tiles.count() < arguments.multiprocessors ? tiles.count() : arguments.multiprocessors;
        constexpr int usual_least_rows = 240;
        const bool usual = tiles.least_rows() >= usual_least_rows;
        return launch_hopper(
            usual ? matmul_hopper_fitted<T, usual_least_rows> : matmul_hopper_fitted<T, Shape::least_rows>, grid, 384,
            sizeof(HopperFittedShared<T>), 1, operands.stream(), maps_a, operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B),
            map_of_c(arguments, Shape::box_rows, Shape::box_columns), tiles,
            static_cast<int>(divide_up(arguments.k, hopper_tile_k<T>)));
    }
};

}  // namespace BACKEND
