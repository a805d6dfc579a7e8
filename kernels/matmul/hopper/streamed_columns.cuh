// SPDX-License-Identifier: MIT
#pragma once
// C = A B on Hopper, where C has two to eight columns, in f32 and tf32 sixteen: the time is that of reading A.
//   matmul_streamed_columns   removes, from few_columns, what keeps the memory waiting: loads that wait for registers,
//                             blocks that begin and end, and classes of rows. TMA copies A as plain bytes: each warp
//                             has a ring in shared memory for slices of four rows, and the next slice is on its way
//                             while one is multiplied. Rows may begin anywhere, as lanes read single elements there.
//                             B stays in shared memory, already converted
// A lane has every 32nd step along k of all rows of its warp. In the end lanes exchange halves of their sums until each
// has a complete one. Where rows are few and long, several warps share them. Any m and k, as far as B fits.
#include "common/cuda/bulk_copy.cuh"
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/thin/cost.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

constexpr int least_streamed_columns = 2, streamed_columns_rows = 4;  // of C, and of a group
/// (With 32 in f32 an H100 took longer than cuBLAS in half of 127 products, with 16 in f64 in most of 59. 16 bits were
/// tried with eight only.)
template <typename T>
constexpr int most_streamed_columns = sizeof(T) == 4 ? 16 : 8;

/// How the work is divided: the warps of a block, and how many of them, a divisor, share a group of rows along k, each
/// with a slice at least.
struct StreamedColumnsPlan {
    unsigned warps = 16, group_warps = 1;
};
constexpr unsigned most_streamed_warps = 16, least_streamed_warps = 8;  // fewer leave more room for B

/// A warp's rows and stages, for C of up to `width` columns.
template <typename T, int width_>
struct StreamedColumnsShape {
    using Sum = SumOf<T>;
    static constexpr int width = width_, rows = streamed_columns_rows, stages = 2;
    /// The bytes and steps of a row that a stage holds, and its place: the copy begins up to 15 bytes before it.
    static constexpr int slice_bytes = 1024, slice_k = slice_bytes / sizeof(T), row_bytes = slice_bytes + 16;

    struct Ring {
        alignas(16) unsigned char rows_of_a[stages][rows * row_bytes];
    };
    /// Steps of a lane whose loads fit in registers at once.
    static constexpr int steps_at_once = width * sizeof(Sum) > 32 ? 1 : 4;
    /// B's columns are kept in vectors of neighbors, those of a step along k in `vectors` places `k` apart.
    static constexpr int length = Vector<Sum>::length < width ? Vector<Sum>::length : width, vectors = width / length;
    struct alignas(length * sizeof(Sum)) Factors {
        Sum values[length];
    };

    struct Shared {
        std::uint64_t filled[most_streamed_warps][stages];
        /// What the warps that share a group have summed, of this group and the one before.
        alignas(16) Sum sums_of_warps[2][most_streamed_warps][rows * width];
    };

    static constexpr size_t shared_bytes(unsigned warps, size_t k) {
        return sizeof(Shared) + places(k) * sizeof(Factors) + warps * sizeof(Ring);
    }

    /// Of factors, rounded up so that what follows is aligned.
    __host__ __device__ static constexpr size_t places(size_t k) { return (k * vectors + 1) / 2 * 2; }
};

/// What a warp copies of A, a stage at a time: of every `stride`-th group of rows from `first`, every `every`-th slice
/// along k from `part`.
template <typename T, typename Shape>
class SliceLoader {
public:
    __device__ SliceLoader(typename Shape::Ring& ring, std::uint64_t* filled, const T* a, size_t m, unsigned k,
                           size_t first, size_t stride, unsigned part, unsigned every)
        : ring_(ring),
          filled_(filled),
          a_(a),
          m_(m),
          group_(first),
          stride_(stride),
          whole_end_(m * k / unit * unit),
          k_(k),
          begin_(part * Shape::slice_k),
          step_(every * Shape::slice_k),
          slice_(begin_) {}

    /// Called by a whole warp, none of whose lanes reads that stage any more: requests the next slice, if there is one.
    __device__ void ask(unsigned lane) {
        if (group_ * Shape::rows >= m_) return;
        std::uint64_t* const filled = filled_ + stage_;
        const size_t row = group_ * Shape::rows, left = m_ - row, rows = left < Shape::rows ? left : Shape::rows;
        const unsigned steps = k_ - slice_ < Shape::slice_k ? k_ - slice_ : Shape::slice_k;
        // Rows that fit as a whole are neighbors in memory: one copy.
        const bool whole_rows = k_ <= Shape::slice_k;
        const size_t begin = (row + lane) * k_ + slice_, end = begin + (whole_rows ? rows * k_ : steps),
                     copy_begin = begin / unit * unit, round_end = (end + unit - 1) / unit * unit,
                     copy_end = round_end < whole_end_ ? round_end : whole_end_;
        const bool copies = lane < (whole_rows ? 1 : rows);
        const unsigned bytes = copies && copy_begin < copy_end ? unsigned((copy_end - copy_begin) * sizeof(T)) : 0,
                       all_bytes = __reduce_add_sync(0xffffffffU, bytes);
        if (lane == 0) barrier_arrive_and_expect(filled, all_bytes);
        __syncwarp();  // the bytes are announced
        unsigned char* const target = ring_.rows_of_a[stage_] + lane * Shape::row_bytes;
        if (bytes > 0) copy_bytes_in(target, a_ + copy_begin, bytes, filled);
        // The matrix's last elements, fewer than 16 bytes.
        if (copies)
            for (size_t i = copy_begin > whole_end_ ? copy_begin : whole_end_; i < end; ++i)
                reinterpret_cast<T*>(target)[i - copy_begin] = a_[i];
        stage_ = (stage_ + 1) % Shape::stages;
        slice_ += step_;
        if (slice_ < k_) return;
        slice_ = begin_;
        group_ += stride_;
    }

private:
    static constexpr unsigned unit = piece_length<T>;  // a copy begins and ends at multiples of so many elements

    typename Shape::Ring& ring_;
    std::uint64_t* filled_;
    const T* a_;
    size_t m_, group_, stride_, whole_end_;
    unsigned k_, begin_, step_, slice_, stage_ = 0;
};

/// Adds up each of `count` values over the lanes of a warp: lanes exchange halves of what they hold. Then values[i] of
/// a lane is the sum of value lane * (count / 32) + i or, if there are fewer values than lanes, of lane / (32 / count).
template <int held, int distance = lanes_per_warp / 2, int count, typename Sum>
__device__ inline void add_over_lanes(Sum (&values)[count], unsigned lane) {
    if constexpr (distance > 0 && held == 1) {
        values[0] += __shfl_xor_sync(0xffffffffU, values[0], distance);
        add_over_lanes<1, distance / 2>(values, lane);
    } else if constexpr (distance > 0) {
        constexpr int half = held / 2;
        const bool keeps_upper = (lane & distance) != 0;
#pragma unroll
        for (int i = 0; i < half; ++i) {
            const Sum kept = keeps_upper ? values[i + half] : values[i],
                      given = keeps_upper ? values[i] : values[i + half];
            values[i] = kept + __shfl_xor_sync(0xffffffffU, given, distance);
        }
        add_over_lanes<half, distance / 2>(values, lane);
    }
}

/// Grid: at most one block per multiprocessor; block plan.warps * 32. Neighboring groups go to different blocks.
/// `in_teams`: whether warps share groups.
template <typename T, int width, bool in_teams>
__global__ void __launch_bounds__(most_streamed_warps* lanes_per_warp, 1)
    matmul_streamed_columns(const T* a, const T* b, T* c, size_t m, unsigned n, unsigned k, StreamedColumnsPlan plan) {
#if HOPPER_CODE
    using Shape = StreamedColumnsShape<T, width>;
    using Sum = typename Shape::Sum;
    using Factors = typename Shape::Factors;
    constexpr int rows = Shape::rows;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Shape::Shared*>(memory);
    auto* const factors = reinterpret_cast<Factors*>(&shared + 1);
    auto* const rings = reinterpret_cast<typename Shape::Ring*>(factors + Shape::places(k));
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
    if (threadIdx.x == 0) {
#pragma unroll
        for (auto& filled : shared.filled)
#pragma unroll
            for (std::uint64_t& of_stage : filled) barrier_init(&of_stage, 1);
        fence_barrier_init();
    }
    __syncthreads();  // the barriers are initialized

    auto& ring = rings[warp];
    std::uint64_t* const filled = shared.filled[warp];
    const unsigned group_warps = in_teams ? plan.group_warps : 1, teams = plan.warps / group_warps,
                   team = warp / group_warps, part = warp % group_warps;
    const size_t first = team * size_t{gridDim.x} + blockIdx.x, stride = size_t{gridDim.x} * teams;
    SliceLoader<T, Shape> loader(ring, filled, a, m, k, first, stride, part, group_warps);
    for (int s = 1; s < Shape::stages; ++s) loader.ask(lane);
    stage_elements(
        b, reinterpret_cast<Sum*>(factors), k * n, [](unsigned i) { return size_t{i}; },
        [=](unsigned i) {
            const unsigned step = i / n, column = i % n;
            return (column / Shape::length * k + step) * Shape::length + column % Shape::length;
        },
        blockDim.x);
    __syncthreads();  // B is in shared memory

    unsigned stage = 0, parity = 0, turn = 0;
    for (size_t group = first; group * rows < m; group += stride, turn ^= 1) {
        const size_t first_row = group * rows;
        unsigned starts[rows];  // of the rows' slices in a stage
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            constexpr unsigned unit = piece_length<T>;
            starts[r] = k <= Shape::slice_k ? static_cast<unsigned>(first_row * k % unit) + r * k
                                            : r * (Shape::row_bytes / unsigned{sizeof(T)}) +
                                                  static_cast<unsigned>((first_row + r) * k % unit);
        }
        Sum sums[rows * width] = {};
        for (unsigned slice = part * Shape::slice_k; slice < k; slice += group_warps * Shape::slice_k) {
            __syncwarp();  // all lanes have read the stage before
            loader.ask(lane);
            barrier_wait(filled + stage, parity);
            const T* const slices = reinterpret_cast<const T*>(ring.rows_of_a[stage]);
            const unsigned steps = k - slice < Shape::slice_k ? k - slice : Shape::slice_k;
#pragma unroll Shape::steps_at_once
            for (unsigned step = lane; step < steps; step += lanes_per_warp) {
                Sum elements[rows];
#pragma unroll
                for (int r = 0; r < rows; ++r) elements[r] = static_cast<Sum>(slices[starts[r] + step]);
#pragma unroll
                for (int v = 0; v < Shape::vectors; ++v) {
                    const Factors of_step = factors[v * k + slice + step];
#pragma unroll
                    for (int r = 0; r < rows; ++r)
#pragma unroll
                        for (int e = 0; e < Shape::length; ++e)
                            sums[r * width + v * Shape::length + e] += elements[r] * of_step.values[e];
                }
            }
            stage = (stage + 1) % Shape::stages;
            if (stage == 0) parity ^= 1;
        }
        __syncwarp();  // lanes may have had different numbers of steps
        add_over_lanes<rows * width>(sums, lane);
        constexpr int sharing = rows * width < lanes_per_warp ? lanes_per_warp / (rows * width) : 1,  // lanes of a sum
            of_lane = rows * width / lanes_per_warp > 1 ? rows * width / lanes_per_warp : 1;
        const unsigned first_sum = lane / sharing * of_lane;
        if constexpr (in_teams) {
#pragma unroll
            for (int i = 0; i < of_lane; ++i) shared.sums_of_warps[turn][warp][first_sum + i] = sums[i];
            // All warps' sums are there, and those of the turn before have been read.
            barrier_among(1 + team, group_warps * lanes_per_warp);
            if (part > 0) continue;
#pragma unroll
            for (int i = 0; i < of_lane; ++i)
                for (unsigned w = 1; w < group_warps; ++w)
                    sums[i] += shared.sums_of_warps[turn][warp + w][first_sum + i];
        }
        if (lane % sharing != 0) continue;
#pragma unroll
        for (int i = 0; i < of_lane; ++i) {
            const unsigned column = (first_sum + i) % width;
            const size_t row = first_row + (first_sum + i) / width;
            if (row < m && column < n) c[row * n + column] = static_cast<T>(sums[i]);
        }
    }
#endif
}

/// Calls action(width), an integral_constant: the least power of two, at least 2, that holds n columns.
template <typename T, int width = 2, typename Action>
auto with_streamed_width(size_t n, Action action) {
    if constexpr (width < most_streamed_columns<T>)
        if (n > width) return with_streamed_width<T, 2 * width>(n, action);
    return action(std::integral_constant<int, width>{});
}

/// Whether C has so few columns, and B fits into shared memory beside so many warps' rings.
template <typename T>
bool suits_streamed_columns(size_t n, size_t k, unsigned warps = least_streamed_warps) {
    return n >= least_streamed_columns && n <= most_streamed_columns<T> &&
           with_streamed_width<T>(n, [&](auto width) {
               return StreamedColumnsShape<T, decltype(width)::value>::shared_bytes(warps, k);
           }) <= size_t{most_shared_bytes};
}

template <typename T>
struct StreamedColumns {
    static size_t workspace_bytes(const StreamedColumnsPlan&) { return 0; }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const StreamedColumnsPlan& plan) {
        return with_streamed_width<T>(arguments.n, [&](auto width) {
            constexpr int columns = decltype(width)::value;
            using Shape = StreamedColumnsShape<T, columns>;
            const size_t groups = divide_up(arguments.m, size_t{Shape::rows});
            const auto grid = static_cast<unsigned>(std::min<size_t>(groups, arguments.multiprocessors));
            const auto kernel = plan.group_warps > 1 ? matmul_streamed_columns<T, columns, true>
                                                     : matmul_streamed_columns<T, columns, false>;
            return launch_hopper(kernel, grid, plan.warps * lanes_per_warp,
                                 Shape::shared_bytes(plan.warps, arguments.k), 1, arguments.stream, arguments.d_a,
                                 arguments.d_b, arguments.d_c, arguments.m, unsigned(arguments.n),
                                 unsigned(arguments.k), plan);
        });
    }
};

/// What a plan costs in cycles, without the launch. (Fitted to 1000 products of three types on an H100, the root of the
/// mean square error 8 %.)
template <typename T>
struct StreamedColumnsCost {
    static constexpr double fixed = 5900;
    static constexpr double staging = 0.47;  // an element of B
    /// One step of every lane, and the fraction more for each column; adding one warp's sums of a column. (The last
    /// slice counts as a whole one, and columns that are only computed do not count.)
    static constexpr double steps = by_size<T>(72, 92, 200), column = 0.09, adding = by_size<T>(23, 13, 23);
    /// Of each multiprocessor: what arrives at most, and from the memory, where it is an H200's.
    static constexpr double arriving_bytes_per_cycle = 38, bytes_per_cycle = 18.9;
    static constexpr double visible_part = 0.66;  // of the shorter of working and moving

    static double cycles(const StreamedColumnsPlan& plan, size_t m, size_t n, size_t k, unsigned multiprocessors,
                         double memory_speed) {
        using Shape = StreamedColumnsShape<T, most_streamed_columns<T>>;
        const size_t groups = divide_up(divide_up(m, size_t{Shape::rows}), size_t{multiprocessors}),
                     slices = divide_up(divide_up(k, size_t{Shape::slice_k}), size_t{plan.group_warps}),
                     teams = plan.warps / plan.group_warps, steps_of_slice = std::min<size_t>(k, Shape::slice_k);
        const double of_slice = double(divide_up(steps_of_slice, size_t{lanes_per_warp})) * steps * (1 + column * n);
        // A round is a group of each team; in the last one, some teams may have none.
        const auto round = [&](size_t busy_teams) {
            const double bytes = double(busy_teams * plan.group_warps * steps_of_slice * sizeof(T)) * Shape::rows;
            return double(slices) * std::max(of_slice, bytes / arriving_bytes_per_cycle);
        };
        const size_t left = groups % teams;
        const double working = double(groups / teams) * round(teams) + (left > 0 ? round(left) : 0) +
                               adding * double(groups * plan.group_warps * n),
                     moving = double((m * k + k * n + m * n) * sizeof(T)) /
                              (bytes_per_cycle * memory_speed * multiprocessors);
        return fixed + staging * double(k * n) + std::max(working, moving) + visible_part * std::min(working, moving);
    }
};

/// The plan that takes the fewest cycles.
template <typename T>
StreamedColumnsPlan plan_streamed_columns(size_t m, size_t n, size_t k, unsigned multiprocessors, double memory_speed) {
    constexpr size_t slice_k = StreamedColumnsShape<T, most_streamed_columns<T>>::slice_k;
    const auto cycles = [&](const StreamedColumnsPlan& plan) {
        return StreamedColumnsCost<T>::cycles(plan, m, n, k, multiprocessors, memory_speed);
    };
    StreamedColumnsPlan plan;
    if (!suits_streamed_columns<T>(n, k, plan.warps)) plan.warps = least_streamed_warps;
    StreamedColumnsPlan best = plan;
    for (plan.group_warps = 2; plan.group_warps <= plan.warps && plan.group_warps <= divide_up(k, slice_k);
         plan.group_warps *= 2)
        if (cycles(plan) < cycles(best)) best = plan;
    return best;
}

}  // namespace BACKEND
