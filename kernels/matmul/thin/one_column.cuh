#pragma once
// C = A B where C has one column and many rows: the time is that of reading A.
//   matmul_one_column   removes, from few_columns, shared memory and barriers: some lanes of a warp compute four rows
//                       at once and walk on to the next rows, so that A is read without a pause to the end. B is read
//                       from the L1 cache, where only B is kept
// Any m and k. Rows that do not begin at 16-byte boundaries are read element by element: as many bytes are in flight.
#include "common/cuda/vector_access.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

/// How the work is divided: `lanes`, a power of two up to 32, compute a row; a warp has its share of all rows.
struct OneColumnPlan {
    size_t m = 0, k = 0;
    unsigned lanes = 32, blocks = 1;
};

constexpr int one_column_rows = 4;  // rows of a group of lanes
constexpr unsigned one_column_turns = 16;
/// Blocks per multiprocessor.
constexpr unsigned one_column_resident = 3;

template <typename T>
OneColumnPlan plan_one_column(size_t m, size_t k, unsigned multiprocessors) {
    OneColumnPlan plan{m, k};
    plan.lanes = lanes_for(divide_up(k, k % piece_length<T> == 0 ? piece_length<T> : 1));
    const size_t rows = one_column_rows * lanes_per_warp / plan.lanes, most = one_column_resident * multiprocessors,
                 blocks = divide_up(m, rows * thin_warps);
    plan.blocks = static_cast<unsigned>(blocks < most ? blocks : most);
    return plan;
}

/// What a plan costs in cycles, without the launch: estimates from 26 products of each type on an H200.
struct OneColumnCost {
    static constexpr double fixed = 5000, visible_part = 0.15;  // of the shorter of rounds and reading

    template <typename T>
    static double cycles(const OneColumnPlan& plan, unsigned multiprocessors) {
        const bool by_piece = plan.k % piece_length<T> == 0;
        const bool is_slow = !by_piece && sizeof(T) == 2;
        const double round = is_slow ? 2000 : 1300, bytes_per_cycle = is_slow ? 8.5 : 15.8;  // of each multiprocessor
        const size_t loads = plan.k / (by_piece ? piece_length<T> : 1), in_flight = by_piece ? 2 : 4,
                     of_lanes = divide_up(loads, plan.lanes),
                     group_rows = size_t{one_column_rows} * (lanes_per_warp / plan.lanes),
                     times = divide_up(plan.m, size_t{plan.blocks} * thin_warps * group_rows);
        const double rounds = round * double(times * divide_up(of_lanes, in_flight)),
                     bytes =
                         double(plan.m) * double(plan.k * sizeof(T)) * double(of_lanes * plan.lanes) / double(loads),
                     reading = bytes / (bytes_per_cycle * multiprocessors);
        return fixed + (rounds > reading ? rounds + visible_part * reading : reading + visible_part * rounds);
    }
};

/// `count` neighbors, moved by one load.
template <typename T, int count>
struct alignas(count * sizeof(T)) Neighbors {
    T values[count];
};
template <typename T>
__device__ inline Neighbors<T, 1> load_neighbors_once(const Neighbors<T, 1>* address) {
    return *address;
}
template <typename T>
__device__ inline Neighbors<T, piece_length<T>> load_neighbors_once(const Neighbors<T, piece_length<T>>* address) {
    const Vector<T> vector = load_once(reinterpret_cast<const Vector<T>*>(address));
    return reinterpret_cast<const Neighbors<T, piece_length<T>>&>(vector);
}

/// Grid: plan.blocks; block 256. `length` elements, 1 or a piece, are one load: k is a multiple of it.
template <typename T, int length>
__global__ void __launch_bounds__(thin_block, one_column_resident)
    matmul_one_column(const T* a, const T* b, T* c, OneColumnPlan plan) {
    using Sum = SumOf<T>;
    using Loaded = Neighbors<T, length>;
    constexpr int rows = one_column_rows, in_flight = length > 1 ? 2 : 4;
    const unsigned lane = threadIdx.x % lanes_per_warp, groups = lanes_per_warp / plan.lanes, group = lane / plan.lanes;
    const size_t warp = blockIdx.x * size_t{thin_warps} + threadIdx.x / lanes_per_warp,
                 warps = gridDim.x * size_t{thin_warps}, end = plan.m * (warp + 1) / warps;
    const auto loads = static_cast<unsigned>(plan.k / length);
    const auto* const pieces_of_b = reinterpret_cast<const Loaded*>(b);
    // Warps begin at different places of their rows: rows of 2^k bytes would else be read from few memory channels.
    const auto turn = static_cast<unsigned>(warp % one_column_turns * loads / one_column_turns);
    for (size_t first_row = plan.m * warp / warps; first_row < end; first_row += size_t{rows} * groups) {
        const Loaded* of_rows[rows];
        const auto row_of = [&](int r) { return first_row + r * groups + group; };
#pragma unroll
        for (int r = 0; r < rows; ++r)  // a row that does not exist is not stored
            of_rows[r] = reinterpret_cast<const Loaded*>(a + (row_of(r) < end ? row_of(r) : first_row) * plan.k);
        Sum sums[rows] = {};
#pragma unroll 1
        for (unsigned first = lane % plan.lanes; first < loads; first += in_flight * plan.lanes) {
            Loaded left[in_flight][rows], right[in_flight];
#pragma unroll
            for (int s = 0; s < in_flight; ++s) {
                const unsigned turned = (first + s * plan.lanes < loads ? first + s * plan.lanes : first) + turn,
                               at = turned < loads ? turned : turned - loads;
                right[s] = pieces_of_b[at];
#pragma unroll
                for (int r = 0; r < rows; ++r) left[s][r] = load_neighbors_once<T>(of_rows[r] + at);
            }
#pragma unroll
            for (int s = 0; s < in_flight; ++s)
                if (first + s * plan.lanes < loads) {
#pragma unroll
                    for (int r = 0; r < rows; ++r)
#pragma unroll
                        for (int e = 0; e < length; ++e)
                            sums[r] += static_cast<Sum>(left[s][r].values[e]) * static_cast<Sum>(right[s].values[e]);
                }
        }
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            for (unsigned distance = plan.lanes / 2; distance > 0; distance /= 2)
                sums[r] += __shfl_xor_sync(0xffffffffU, sums[r], static_cast<int>(distance));
            if (lane % plan.lanes == 0 && row_of(r) < end) c[row_of(r)] = static_cast<T>(sums[r]);
        }
    }
}

template <typename T>
struct OneColumn {
    static size_t workspace_bytes(const OneColumnPlan&) { return 0; }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const OneColumnPlan& plan) {
        const dim3 grid(plan.blocks), block(thin_block);
        const auto kernel =
            plan.k % piece_length<T> == 0 ? matmul_one_column<T, int{piece_length<T>}> : matmul_one_column<T, 1>;
        kernel<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(kernel)};
    }
};

}  // namespace BACKEND
