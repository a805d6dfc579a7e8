#pragma once
// C = A B on tensor cores where a launch, its instructions and a few round trips to memory are most of the time:
//   matmul_fragments   removes, from hopper/direct.cuh, shared memory, barriers and everything that moves elements to
//                      aligned places: each lane loads the elements of its fragments of A and B straight from global
//                      memory, in whatever size their alignment allows, and stores its results in the same way. The
//                      warps of a block share fragments through the L1 cache alone. The code is a tenth as
//                      long: with cold caches, a short kernel also waits for its instructions
// Any m, n and k: for few steps along k, since every warp loads its fragments again. For nvcc only.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/warp_product.cuh"
#include "kernels/matmul/packed_results.cuh"
#include "kernels/matmul/products.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// The elements of one register of a fragment, and the steps along k of one instruction. (float: tf32.)
template <typename T>
struct FragmentOf {
    static constexpr unsigned length = 1, steps = 8;
    using Operand = std::conditional_t<std::is_same_v<T, double>, double, std::uint32_t>;
    using Raw = T;
    __device__ static Operand operand(const Raw (&raw)[1]) {
        if constexpr (std::is_same_v<T, float>) return bits_of_nearest_tf32(raw[0]);
        else return raw[0];
    }
};
struct FragmentOf16Bit {
    static constexpr unsigned length = 2, steps = 16;
    using Operand = std::uint32_t;
    using Raw = unsigned short;
    __device__ static Operand operand(const Raw (&raw)[2]) { return raw[0] | Operand{raw[1]} << 16; }
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
    static constexpr int columns = tiles_n * 8;  // of a warp
    /// Blocks per multiprocessor.
    static constexpr size_t resident = tiles_m * tiles_n > 4 ? (sizeof(T) == 8 ? 3 : 5) : (sizeof(T) == 8 ? 4 : 7);
};

template <typename T>
using SmallFragments = FragmentShape<T, 1, 2, 4>;
template <typename T>
using LargeFragments = FragmentShape<T, 2, 4, 2>;

/// Stores neighbors of a row of C at an even column x < existing: all at once, or two at once if the next row begins
/// elsewhere within that many elements. The row has an even number of elements.
template <typename T, int count>
__device__ inline void store_neighbors(T* row, unsigned x, unsigned existing, unsigned row_elements,
                                       const PackedResults<T, count>& results) {
    constexpr bool fits = count * sizeof(T) <= vector_bytes;
    if (fits && row_elements % count == 0) {
        if constexpr (fits) store_packed(row + x, results);
        return;
    }
#pragma unroll
    for (int e = 0; e < count; e += 2)
        if (x + e < existing) store_packed(row + x + e, PackedResults<T, 2>{results.values[e], results.values[e + 1]});
}

/// Stores a warp's sums of 16 rows, as far as they exist, through `staged`: neighboring lanes store neighbors.
template <int columns, typename T, typename Sum>
__device__ inline void store_rows(const Sum (&sums)[columns / 8][4], T (&staged)[16][columns + 8], T* first_row,
                                  size_t rows, unsigned existing, unsigned row_elements, unsigned lane) {
#pragma unroll
    for (int j = 0; j < columns / 8; ++j)
#pragma unroll
        for (int x = 0; x < 4; ++x)
            staged[x / 2 * 8 + lane / 4][j * 8 + lane % 4 * 2 + x % 2] = static_cast<T>(sums[j][x]);
    __syncwarp();  // all rows are staged
    constexpr unsigned at_once = lanes_per_warp / columns;
    const unsigned column = lane % columns;
#pragma unroll 4
    for (unsigned r = lane / columns; r < 16; r += at_once)
        if (r < rows && column < existing) first_row[size_t{r} * row_elements + column] = staged[r][column];
    __syncwarp();  // the rows have been read: their place is free
}

/// Grid: grid_of_tiles(); block 128. `a_pairs`: A's rows begin at even elements, so that two elements of a 16-bit type
/// are one load. `b_pairs`: B's do; a load has the elements of two neighboring columns, which belong to two
/// instructions' tiles: column 2 g of 16 is column g of the first, 2 g + 1 of the second.
template <typename T, typename Shape, bool a_pairs, bool b_pairs>
__global__ void __launch_bounds__(Shape::threads, Shape::resident)
    matmul_fragments(const T* a, const T* b, T* c, SmallPlan plan) {
#if HOPPER_CODE
    using Fragment = FragmentOf<T>;
    using Raw = typename Fragment::Raw;
    using Operand = typename Fragment::Operand;
    using Sum = SumOf<T>;
    constexpr int tiles_m = Shape::tiles_m, tiles_n = Shape::tiles_n, length = Fragment::length,
                  columns = b_pairs ? 2 : 1;
    struct alignas(columns * sizeof(Raw)) Columns {
        Raw of[columns];
    };
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp, g = lane / 4, t = lane % 4;
    const size_t row = OneProduct::block_row() * Shape::tile_m + warp / Shape::warps_n * (tiles_m * 16) + g;
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
    for (unsigned first = t * length; first < plan.k + t * length; first += Shape::steps) {
        Operand left[Shape::in_flight][tiles_m][4], right[Shape::in_flight][tiles_n][2];
#pragma unroll
        for (int s = 0; s < Shape::in_flight; ++s)
#pragma unroll
            for (int x = 0; x < 2; ++x) {
                const unsigned k = first + s * Fragment::steps + x * (Fragment::steps / 2);
#pragma unroll
                for (int i = 0; i < tiles_m; ++i)
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        const Raw* const from = of_rows[i][half] + k;
                        if constexpr (a_pairs) {
                            left[s][i][2 * x + half] = k < plan.k ? *reinterpret_cast<const Operand*>(from) : 0;
                        } else {
                            Raw raw[length];
#pragma unroll
                            for (int e = 0; e < length; ++e) raw[e] = k + e < plan.k ? from[e] : Raw(0);
                            left[s][i][2 * x + half] = Fragment::operand(raw);
                        }
                    }
#pragma unroll
                for (int j = 0; j < tiles_n; j += columns) {
                    Columns rows[length];
#pragma unroll
                    for (int e = 0; e < length; ++e)
                        rows[e] = k + e < plan.k && column + j * 8 + g * columns < plan.n
                                      ? *reinterpret_cast<const Columns*>(of_columns + size_t{k + e} * plan.n + j * 8)
                                      : Columns{};
#pragma unroll
                    for (int of = 0; of < columns; ++of) {
                        Raw raw[length];
#pragma unroll
                        for (int e = 0; e < length; ++e) raw[e] = rows[e].of[of];
                        right[s][j + of][x] = Fragment::operand(raw);
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
    const unsigned existing = plan.n - column;
    if constexpr (b_pairs) {
#pragma unroll
        for (int i = 0; i < tiles_m; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const size_t at = row + i * 16 + half * 8;
                if (at >= plan.m) return;
                constexpr int together = 2 * columns;  // the neighbors among a lane's results
#pragma unroll
                for (int j = 0; j < tiles_n; j += columns) {
                    PackedResults<T, together> results;
#pragma unroll
                    for (int e = 0; e < together; ++e)
                        results.values[e] = static_cast<T>(sums[i][j + e % columns][2 * half + e / columns]);
                    const unsigned x = j * 8 + t * together;
                    if (x < existing) store_neighbors(c + at * plan.n + column, x, existing, plan.n, results);
                }
            }
    } else {
        __shared__ T staged[Shape::warps][16][Shape::columns + 8];
#pragma unroll
        for (int i = 0; i < tiles_m; ++i) {
            const size_t at = row - g + i * 16;
            if (at >= plan.m) return;
            store_rows<Shape::columns>(sums[i], staged[warp], c + at * plan.n + column, plan.m - at, existing, plan.n,
                                       lane);
        }
    }
#endif
}

/// The product, with the kernel that suits its rows.
template <typename T, typename Shape_>
struct Fragments {
    using Shape = Shape_;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const SmallPlan& plan) {
        constexpr bool has_pairs = FragmentOf<T>::length == 2;  // along k
        if (has_pairs && plan.k % 2 == 0)
            return plan.n % 2 == 0 ? launch<has_pairs, true>(arguments, plan)
                                   : launch<has_pairs, false>(arguments, plan);
        return plan.n % 2 == 0 ? launch<false, true>(arguments, plan) : launch<false, false>(arguments, plan);
    }

private:
    template <bool a_pairs, bool b_pairs>
    static LaunchShape launch(const MatmulArguments<T>& arguments, const SmallPlan& plan) {
        const dim3 grid = grid_of_tiles(divide_up(plan.m, Shape::tile_m), divide_up(plan.n, Shape::tile_n)),
                   block(Shape::threads);
        const auto kernel = matmul_fragments<T, Shape, a_pairs, b_pairs>;
        kernel<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(kernel)};
    }
};

}  // namespace BACKEND
