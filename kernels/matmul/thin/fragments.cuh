// SPDX-License-Identifier: MIT
#pragma once
// C = A B on tensor cores where a launch, its instructions and a few round trips to memory are most of the time:
//   matmul_fragments   removes, from hopper/direct.cuh, the copies to shared memory and the barriers: each lane loads
//                      the elements of its fragments of A and B straight from global memory, in whatever size their
//                      alignment allows. The warps of a block share fragments through the L1 cache alone, and only
//                      results pass through shared memory, a warp's own, so that it stores whole rows of its tile. The
//                      code is short: with cold caches, a kernel also waits for its instructions
// Any m, n and k: for few steps along k, since every warp loads its fragments again. For nvcc only.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/hopper/warp_product.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// The elements of one register of a fragment, as they lie in memory, and the steps along k of one instruction.
/// (float: tf32.)
template <typename T>
struct FragmentOf {
    static constexpr unsigned length = 1, steps = 8;
    using Operand = std::conditional_t<std::is_same_v<T, double>, double, std::uint32_t>;
    using Raw = T;
    using Elements = T;
    __device__ static Elements elements(const Raw (&raw)[1]) { return raw[0]; }
    __device__ static Operand operand(Elements elements) {
        if constexpr (std::is_same_v<T, float>) return bits_of_nearest_tf32(elements);
        else return elements;
    }
};
struct FragmentOf16Bit {
    static constexpr unsigned length = 2, steps = 16;
    using Operand = std::uint32_t;
    using Raw = unsigned short;
    using Elements = std::uint32_t;
    __device__ static Elements elements(const Raw (&raw)[2]) { return raw[0] | Elements{raw[1]} << 16; }
    __device__ static Operand operand(Elements elements) { return elements; }
};
template <>
struct FragmentOf<__half> : FragmentOf16Bit {};
template <>
struct FragmentOf<__nv_bfloat16> : FragmentOf16Bit {};

/// A warp's tile, and how many instructions' fragments along k are in flight.
template <typename T, int tiles_m_, int tiles_n_, int in_flight_>
struct FragmentShape {
    static constexpr int tiles_m = tiles_m_, tiles_n = tiles_n_, in_flight = in_flight_, warps_m = 2, warps_n = 2,
                         warps = warps_m * warps_n;
    static constexpr unsigned tile_m = warps_m * tiles_m * 16, tile_n = warps_n * tiles_n * 8,
                              threads = warps * lanes_per_warp, steps = in_flight * FragmentOf<T>::steps;
    static constexpr int rows = tiles_m * 16, columns = tiles_n * 8;  // of a warp
    /// Blocks per multiprocessor.
    static constexpr size_t resident = tiles_m * tiles_n > 4 ? (sizeof(T) == 8 ? 3 : 5) : (sizeof(T) == 8 ? 4 : 7);
};

template <typename T>
using SmallFragments = FragmentShape<T, 1, 2, 4>;
template <typename T>
using LargeFragments = FragmentShape<T, 2, 4, 2>;

/// A warp's results on their way to C, so that neighboring lanes store neighbors.
template <typename T, int rows, int columns>
struct StagedResults {
    T results[rows][columns + 8];

    /// The sums of `tiles` neighboring m16n8 tiles whose columns take turns (see matmul_fragments()).
    template <int tiles, typename Sum>
    __device__ void stage(int row, int column, const Sum (*sums)[4], unsigned lane) {
        constexpr int neighbors = 2 * tiles;
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
            for (int e = 0; e < neighbors; ++e)
                results[row + half * 8 + lane / 4][column + lane % 4 * neighbors + e] =
                    static_cast<T>(sums[e % tiles][2 * half + e / tiles]);
    }

    /// Stores what exists, `existing_m` rows and `existing_n` columns, `together` neighbors at once. Rows of C begin at
    /// multiples of `together` elements.
    template <int together>
    __device__ void store(T* c, size_t existing_m, unsigned existing_n, unsigned row_elements, unsigned lane) const {
        constexpr unsigned lanes = columns / together, at_once = lanes_per_warp / lanes;
        using Neighbors = PackedResults<T, together>;
        const unsigned column = lane % lanes * together;
        if (column >= existing_n) return;
#pragma unroll 4
        for (unsigned row = lane / lanes; row < rows && row < existing_m; row += at_once)
            *reinterpret_cast<Neighbors*>(c + size_t{row} * row_elements + column) =
                *reinterpret_cast<const Neighbors*>(&results[row][column]);
    }
};

/// Grid: grid_of_tiles(); block 128. A lane loads `run` neighbors of a row of A at once, and `columns` of a row of B;
/// rows begin at multiples of them. The steps along k of a lane's run belong to several registers, one after another:
/// any order will do if it is the same for A and B. The columns belong to as many instructions' tiles: column
/// columns * g + i is column g of the i-th.
template <typename T, typename Shape, int run, int columns>
__global__ void __launch_bounds__(Shape::threads, Shape::resident)
    matmul_fragments(const T* a, const T* b, T* c, SmallPlan plan) {
#if HOPPER_CODE
    using Fragment = FragmentOf<T>;
    using Raw = typename Fragment::Raw;
    using Operand = typename Fragment::Operand;
    using Sum = SumOf<T>;
    constexpr int tiles_m = Shape::tiles_m, tiles_n = Shape::tiles_n, length = Fragment::length,
                  registers = run > length ? run / length : 1;
    using Columns = LoadedWords<Raw, columns>;
    struct alignas(registers * length * sizeof(Raw)) Run {
        typename Fragment::Elements of[registers];
    };
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp, g = lane / 4, t = lane % 4;
    const size_t row = row_of_tiles() * Shape::tile_m + warp / Shape::warps_n * (tiles_m * 16) + g;
    const unsigned column = blockIdx.x * Shape::tile_n + warp % Shape::warps_n * (tiles_n * 8);
    if (row - g >= plan.m || column >= plan.n) return;
    const Raw* of_rows[tiles_m][2];
#pragma unroll
    for (int i = 0; i < tiles_m; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const size_t at = row + i * 16 + half * 8;
            of_rows[i][half] = reinterpret_cast<const Raw*>(a) + (at < plan.m ? at : plan.m - 1) * plan.k;
        }
    const Raw* const of_columns = reinterpret_cast<const Raw*>(b) + column + g * columns;
    Sum sums[tiles_m][tiles_n][4] = {};
#pragma unroll 1
    for (unsigned first = 0; first < plan.k; first += Shape::steps) {
        Operand left[Shape::in_flight][tiles_m][4], right[Shape::in_flight][tiles_n][2];
#pragma unroll
        for (int q = 0; q < 2 * Shape::in_flight; q += registers) {
            const unsigned k = first + (q * 4 + t * registers) * length;
#pragma unroll
            for (int i = 0; i < tiles_m; ++i)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const Raw* const from = of_rows[i][half] + k;
                    Run loaded{};
                    if constexpr (run >= length) {
                        if (k < plan.k) loaded = *reinterpret_cast<const Run*>(from);
                    } else {
                        Raw raw[length];
#pragma unroll
                        for (int e = 0; e < length; ++e) raw[e] = k + e < plan.k ? from[e] : Raw(0);
                        loaded.of[0] = Fragment::elements(raw);
                    }
#pragma unroll
                    for (int x = q; x < q + registers; ++x)
                        left[x / 2][i][x % 2 * 2 + half] = Fragment::operand(loaded.of[x - q]);
                }
#pragma unroll
            for (int x = q; x < q + registers; ++x)
#pragma unroll
                for (int j = 0; j < tiles_n; j += columns) {
                    Columns rows[length];
#pragma unroll
                    for (int e = 0; e < length; ++e) {
                        const unsigned row_of_b = k + (x - q) * length + e;
                        rows[e] =
                            row_of_b < plan.k && column + j * 8 + g * columns < plan.n
                                ? *reinterpret_cast<const Columns*>(of_columns + size_t{row_of_b} * plan.n + j * 8)
                                : Columns{};
                    }
#pragma unroll
                    for (int of = 0; of < columns; ++of) {
                        Raw raw[length];
#pragma unroll
                        for (int e = 0; e < length; ++e) raw[e] = neighbors_of<Raw, columns>(rows[e]).values[of];
                        right[x / 2][j + of][x % 2] = Fragment::operand(Fragment::elements(raw));
                    }
                }
        }
#pragma unroll
        for (int s = 0; s < Shape::in_flight; ++s)
#pragma unroll
            for (int i = 0; i < tiles_m; ++i)
#pragma unroll
                for (int j = 0; j < tiles_n; ++j) {
                    if constexpr (std::is_same_v<T, double>)
                        warp_multiply_add(sums[i][j], left[s][i], right[s][j][0], right[s][j][1]);
                    else warp_multiply_add<T>(sums[i][j], left[s][i], right[s][j][0], right[s][j][1]);
                }
    }
    __shared__ __align__(vector_bytes) StagedResults<T, Shape::rows, Shape::columns> staged[Shape::warps];
#pragma unroll
    for (int i = 0; i < tiles_m; ++i)
#pragma unroll
        for (int j = 0; j < tiles_n; j += columns)
            staged[warp].template stage<columns>(i * 16, j * 8, &sums[i][j], lane);
    __syncwarp();  // all results are staged
    const size_t first_row = row - g;
    constexpr int together = columns > 1 ? 2 : 1;
    const StagedResults<T, Shape::rows, Shape::columns>& results = staged[warp];
    T* const target = c + first_row * plan.n + column;
    if (columns > 1 && plan.n % piece_length<T> == 0)
        results.template store<piece_length<T>>(target, plan.m - first_row, plan.n - column, plan.n, lane);
    else results.template store<together>(target, plan.m - first_row, plan.n - column, plan.n, lane);
#endif
}

/// The product, with the kernel that suits its rows.
template <typename T, typename Shape_>
struct Fragments {
    using Shape = Shape_;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const SmallPlan& plan) {
        constexpr int length = FragmentOf<T>::length, piece = piece_length<T>,
                      columns = piece < Shape::tiles_n ? piece : Shape::tiles_n;
        if (plan.k % piece == 0 && plan.n % columns == 0) return launch<piece, columns>(arguments, plan);
        if (length == 2 && plan.k % 2 == 0)
            return plan.n % 2 == 0 ? launch<length, 2>(arguments, plan) : launch<length, 1>(arguments, plan);
        return plan.n % 2 == 0 ? launch<1, 2>(arguments, plan) : launch<1, 1>(arguments, plan);
    }

private:
    template <int run, int columns>
    static LaunchShape launch(const MatmulArguments<T>& arguments, const SmallPlan& plan) {
        const dim3 grid = grid_of_tiles(divide_up(plan.m, Shape::tile_m), divide_up(plan.n, Shape::tile_n)),
                   block(Shape::threads);
        const auto kernel = matmul_fragments<T, Shape, run, columns>;
        kernel<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(kernel)};
    }
};

}  // namespace BACKEND
