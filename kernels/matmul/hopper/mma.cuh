// SPDX-License-Identifier: MIT
#pragma once
// bf16 and f16 on Hopper's tensor cores:
//   matmul_hopper_mma   removes, from the portable tensor-core kernel, the loading of fragments (the tensor cores read
//                       shared memory themselves), the address arithmetic of copies (one thread requests whole tiles
//                       from TMA, the tensor memory accelerator), the waiting for them (a ring of stages) and the
//                       launching of blocks (each stays for many tiles)
// Warps are specialized: a block is one producer warpgroup, which loads tiles, and two consumer warpgroups, which
// multiply 64 rows each. Sums are in f32. The ladder continues in hopper/overlapped.cuh; this kernel remains for rows
// of C that do not begin at multiples of 16 bytes, which TMA cannot store.
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/wgmma.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

__device__ inline std::uint32_t pack_pair(float low, float high, __nv_bfloat16) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return reinterpret_cast<const std::uint32_t&>(pair);
}
__device__ inline std::uint32_t pack_pair(float low, float high, __half) {
    const __half2 pair = __floats2half2_rn(low, high);
    return reinterpret_cast<const std::uint32_t&>(pair);
}

/// Stores four 8 x 8 matrices of 16-bit elements; lane l gives the address of row l % 8 of matrix l / 8.
__device__ inline void store_matrices(void* row, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)), "r"(a),
                 "r"(b), "r"(c), "r"(d)
                 : "memory");
}

/// d (+)= 64 rows of A times a stage of B: starts a group of wgmmas.
template <typename T, int tile_n, typename Layouts = PlainLayouts>
__device__ inline void start_stage(float (&d)[tile_n / 2], const T* a_rows, const T (*b_boxes)[64 * 64],
                                   bool accumulate) {
    constexpr bool a_along_k = !Layouts::a_transposed, b_along_k = Layouts::b_transposed;
    using OfA = StageOperand<a_along_k>;
    using OfB = StageOperand<b_along_k>;
    const std::uint64_t a = OfA::descriptor(a_rows), b = OfB::descriptor(b_boxes);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i)  // 16 along k
        Wgmma<T, tile_n>::template multiply<a_along_k, b_along_k>(d, a + i * OfA::next, b + i * OfB::next,
                                                                  accumulate || i > 0);
    wgmma_commit();
}

struct MmaShape {
    static constexpr int tile_m = 128, tile_n = 256, stages = 4;
};

template <typename T>
struct HopperMmaShared {
    HopperRing<T, MmaShape::tile_m, MmaShape::tile_n, MmaShape::stages> ring;
    alignas(1024) T c[MmaShape::tile_m / 64][2][64 * 64];  // for each consumer, two boxes of outgoing results
};

/// Moves eight 16-bit elements, which begin `first` elements after the beginning of two pieces, to the first one.
__device__ inline void shift_pieces(std::uint32_t (&word)[8], unsigned first) {
#pragma unroll
    for (unsigned by = 2; by > 0; by /= 2)
        if (first & 2 * by)
#pragma unroll
            for (unsigned w = 0; w < 4 + by; ++w) word[w] = word[w + by];
#pragma unroll
    for (int w = 0; w < 4; ++w) word[w] = __funnelshift_r(word[w], word[w + 1], first % 2 * 16);
}

/// Copies a box of `rows` x 64 results from shared memory, swizzled, to rows of C, which begin anywhere, as far as they
/// exist. `row` and `column` are the box's corner. Eight lanes store a row: pieces that are aligned in C, and, one by
/// one, the elements before the first and after the last of these.
template <int rows, typename T>
__device__ inline void store_box(const T* box, T* c, int row, int column, int m, int n, unsigned thread) {
    constexpr int threads = 128, piece = 8, pieces = 64 / piece, rows_at_once = threads / pieces;
    static_assert(sizeof(T) * piece == sizeof(uint4));
    const int lane = static_cast<int>(thread) % pieces, columns = n - column < 64 ? n - column : 64;  // that exist
    int r = static_cast<int>(thread) / pieces;
    T* target = c + static_cast<size_t>(row + r) * n + column;
#pragma unroll 2
    for (; r < rows && row + r < m; r += rows_at_once, target += static_cast<size_t>(rows_at_once) * n) {
        const T* const results = box + r * 64;
        const auto place = [r](int x) { return (x / piece ^ r % 8) * piece + x % piece; };
        const int before = -static_cast<int>(reinterpret_cast<std::uintptr_t>(target) / sizeof(T)) & (piece - 1),
                  x = lane * piece + before;
        if (x + piece <= columns) {
            const uint4 left = *reinterpret_cast<const uint4*>(results + place(lane * piece)),
                        right = *reinterpret_cast<const uint4*>(results + place((lane + 1) % pieces * piece));
            std::uint32_t word[] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};
            shift_pieces(word, static_cast<unsigned>(before));
            *reinterpret_cast<uint4*>(target + x) = make_uint4(word[0], word[1], word[2], word[3]);
        }
        if (lane < before && lane < columns) target[lane] = results[place(lane)];
        const int after = before + (columns - before) / piece * piece + lane;  // (Less than a piece is left.)
        if (columns > before && after < columns) target[after] = results[place(after)];
    }
}

/// Writes a warpgroup's 64 x tile_n results, 64 columns at a time, through shared memory: the fragments become rows,
/// and neighboring threads store neighbors. Two boxes alternate, so that one barrier per box is enough.
template <typename T, int tile_n>
__device__ inline void store_tile(const float (&d)[tile_n / 2], T (&boxes)[2][64 * 64], T* c, int row, int column,
                                  int m, int n, unsigned consumer, unsigned thread) {
    static_assert(tile_n / 64 % 2 == 0, "the two boxes alternate from tile to tile, too");
    constexpr unsigned threads = 128;
    const unsigned lane = thread % 32;
    const unsigned fragment_row = thread / 32 * 16 + (lane / 8 % 2) * 8 + lane % 8;
#pragma unroll
    for (int box = 0; box < tile_n / 64; ++box) {
        T* target = boxes[box % 2];
#pragma unroll
        for (int pair = 0; pair < 4; ++pair) {  // 16 columns: matrices left top, left bottom, right top, right bottom
            const float* value = &d[box * 32 + pair * 8];
            const unsigned piece = (2 * pair + lane / 16) ^ (fragment_row % 8);
            store_matrices(target + fragment_row * 64 + piece * 8, pack_pair(value[0], value[1], T{}),
                           pack_pair(value[2], value[3], T{}), pack_pair(value[4], value[5], T{}),
                           pack_pair(value[6], value[7], T{}));
        }
        barrier_among(1 + consumer, threads);  // the box is filled, and the other one has been read
        store_box<64>(target, c, row, column + box * 64, m, n, thread);
    }
}

/// Grid: at most one block per multiprocessor. Block 384. Any m, n and k.
template <typename T>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_mma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, T* c, int m,
                      int n, int steps, TileOrder order) {
#if HOPPER_CODE
    constexpr int tile_m = MmaShape::tile_m, tile_n = MmaShape::tile_n;
    using Pipeline = HopperPipeline<T, tile_m, tile_n, MmaShape::stages>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperMmaShared<T>*>(memory);
    const unsigned warpgroup = threadIdx.x / 128, thread = threadIdx.x % 128;
    typename Pipeline::Position position;
    Pipeline::begin(shared.ring, map_a, map_b, tile_m / 64);

    unsigned tile_row = 0, tile_column = 0;
    if (warpgroup == 0) {
        give_up_registers<40>();
        if (threadIdx.x >= 32 || !is_elected_lane()) return;
        for (unsigned tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
            order.place(tile, tile_row, tile_column);
            Pipeline::produce(shared.ring, position, MapPair{map_a, map_b}, static_cast<int>(tile_row) * tile_m,
                              static_cast<int>(tile_column) * tile_n, 0, steps);
        }
        return;
    }
    take_registers<232>();
    const unsigned consumer = warpgroup - 1;
    for (unsigned tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
        float d[tile_n / 2];
        int previous = 0;
        for (int step = 0; step < steps; ++step) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            start_stage<T, tile_n>(d, &shared.ring.a[stage][consumer * 64 * 64], shared.ring.b[stage], step > 0);
            if (step > 0) {
                wgmma_wait<1>();  // the previous group has read its stage
                Pipeline::release(shared.ring, previous, thread);
            }
            previous = stage;
            position.advance();
        }
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared.ring, previous, thread);
        order.place(tile, tile_row, tile_column);
        const int row = static_cast<int>(tile_row) * tile_m + static_cast<int>(consumer) * 64;
        store_tile<T, tile_n>(d, shared.c[consumer], c, row, static_cast<int>(tile_column) * tile_n, m, n, consumer,
                              thread);
    }
#endif
}

template <typename T>
struct MmaTile : HopperTile {
    using Element = T;
    static constexpr unsigned tile_m = MmaShape::tile_m, tile_n = MmaShape::tile_n;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        constexpr unsigned group = 8;
        const HopperOperands<T> operands(arguments);
        const TileOrder order{grid_for(arguments.m, tile_m), grid_for(arguments.n, tile_n), group};
        return launch_hopper(matmul_hopper_mma<T>, persistent_grid(order, arguments.multiprocessors), 384,
                             sizeof(HopperMmaShared<T>), 1, operands.stream(), operands.map_a(tile_m),
                             operands.map_b(CU_TENSOR_MAP_SWIZZLE_128B), arguments.d_c, int(arguments.m),
                             int(arguments.n), int(divide_up(arguments.k, hopper_tile_k<T>)), order);
    }
};

}  // namespace BACKEND
