#pragma once
// C = A B where C has few rows: the time is that of reading B.
//   matmul_few_rows   removes, from the tiled kernels, the rows of a tile that do not exist: a lane has a 16-byte piece
//                     of each row of C and sums elements of A times the pieces of B in those columns. The next pieces
//                     are in flight while the previous ones are multiplied. A's elements are staged in shared memory,
//                     already converted, and broadcast to all lanes
// Any n and k, up to 8 rows. The lanes that cover a block's columns once are a stream. Streams take rows of B in turn;
// a stream's rows are of one class (see pieces.cuh), and its sums are shifted back when the streams' sums are added. If
// wide tiles are too few for the device, tiles are narrower, or several blocks share k.
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/thin/cost.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace BACKEND {

/// How the work is divided: `lanes` lanes per stream, `width` columns and `share_k` steps along k per block.
struct FewRowsPlan {
    size_t m = 0, n = 0, k = 0;
    unsigned lanes = 32, streams = 8, width = 0, tiles = 1, shares = 1;
    size_t share_k = 0;
};

constexpr int few_rows = 8;
template <int rows>
constexpr int few_rows_ahead = rows <= 2 ? 8 : 4;                    // pieces that a lane has in flight
constexpr unsigned few_rows_least_lanes = 2, few_rows_resident = 2;  // resident: blocks per multiprocessor

/// The rounds of loads in flight together that a multiprocessor waits for.
inline size_t few_rows_rounds(const FewRowsPlan& plan, unsigned multiprocessors) {
    const size_t ahead = plan.m <= 2 ? few_rows_ahead<1> : few_rows_ahead<few_rows>,
                 waves = divide_up(size_t{plan.tiles} * plan.shares, few_rows_resident * size_t{multiprocessors});
    return divide_up(plan.share_k, plan.streams * ahead) * waves;
}

/// Compares plans of one product, in cycles. (Fitted to 4168 plans of 256 products in f32, f64 and bf16 on an H100,
/// whose memory has 0.7 of an H200's speed. On average the chosen plan takes 1 % longer than the best.)
struct FewRowsCost {
    static constexpr double round = 1500;            // see few_rows_rounds()
    static constexpr double bytes_per_cycle = 16.2;  // of an H200's memory, for each multiprocessor
    static constexpr double idle = 0.23;     // how much longer, as a part, reading takes if hardly any has a block
    static constexpr double visible = 0.39;  // part of the shorter of waiting for rounds and reading
    static constexpr double sharing = 2600, per_share = 18;  // if blocks share k
    static constexpr double per_stream = 14;                 // adding the streams' sums

    /// How much longer, as a part, reading takes if a stream has so few lanes, whose pieces lie side by side.
    static constexpr double narrow(unsigned lanes) { return lanes <= 2 ? 1 : lanes == 4 ? 0.18 : lanes == 8 ? 0.1 : 0; }

    /// memory_speed: of the device; that of an H200 is 1.
    static double cycles(const FewRowsPlan& plan, size_t element_bytes, unsigned multiprocessors, double memory_speed) {
        const double bytes = double(plan.n) * double(plan.k) * double(element_bytes),
                     blocks_of_each = double(plan.tiles) * plan.shares / multiprocessors,
                     waiting = round * double(few_rows_rounds(plan, multiprocessors)),
                     reading = bytes / (bytes_per_cycle * memory_speed * multiprocessors) * (1 + narrow(plan.lanes)) *
                               (1 + idle * std::max(0.0, 1 - blocks_of_each));
        return std::max(waiting, reading) + visible * std::min(waiting, reading) + per_stream * plan.streams +
               (plan.shares > 1 ? sharing + per_share * plan.shares : 0);
    }
};

/// The plan that takes the fewest cycles. Narrow tiles fill the device without sharing k; wide ones read longer parts
/// of rows.
template <typename T>
FewRowsPlan plan_few_rows(size_t m, size_t n, size_t k, unsigned multiprocessors, double memory_speed) {
    constexpr unsigned shortest_share = 8;  // in steps of all streams
    constexpr unsigned most_shares = 128;
    const unsigned overlap = row_classes<T>(n) > 1 ? piece_length<T> : 0;  // shifted pieces reach this far beyond
    const unsigned most_lanes = std::max(few_rows_least_lanes, lanes_for(divide_up(n + overlap, piece_length<T>)));
    FewRowsPlan best;
    double least = HUGE_VAL;
    for (unsigned lanes = most_lanes; lanes >= few_rows_least_lanes; lanes /= 2) {
        FewRowsPlan plan{m, n, k};
        plan.lanes = lanes;
        plan.streams = thin_block / lanes;
        plan.width = lanes * piece_length<T> - overlap;
        plan.tiles = static_cast<unsigned>(divide_up(n, plan.width));
        const size_t steps = divide_up(k, plan.streams), by_steps = k / plan.streams / shortest_share,
                     by_blocks = few_rows_resident * multiprocessors / plan.tiles,
                     shares = std::max<size_t>(1, std::min({size_t{most_shares}, by_steps, by_blocks}));
        for (size_t count = 1; count <= shares; ++count) {
            plan.share_k = divide_up(steps, count) * plan.streams;
            plan.shares = static_cast<unsigned>(divide_up(k, plan.share_k));
            const double cycles = FewRowsCost::cycles(plan, sizeof(T), multiprocessors, memory_speed);
            if (cycles < least) least = cycles, best = plan;
        }
    }
    return best;
}

/// Grid plan.tiles (of columns) x plan.shares. Block 256.
template <typename T, int rows>
__global__ void __launch_bounds__(thin_block, few_rows_resident)
    matmul_few_rows(const T* a, const T* b, T* c, FewRowsPlan plan, ThinShares<SumOf<T>> shares) {
    using Sum = SumOf<T>;
    constexpr int length = piece_length<T>, ahead = few_rows_ahead<rows>;
    constexpr unsigned staged_k = thin_shared_sums<T> / rows;  // a multiple of a round of all streams
    static_assert(staged_k % (thin_block / few_rows_least_lanes * ahead) == 0, "a chunk is whole rounds");
    __shared__ __align__(16) Sum staged[thin_shared_sums<T>];
    const unsigned stream = threadIdx.x / plan.lanes, lane = threadIdx.x % plan.lanes;
    const size_t first_column = size_t{blockIdx.x} * plan.width, elements = plan.k * plan.n;
    const auto shift_of = [&](unsigned of_stream) {
        return static_cast<unsigned>(of_stream * (plan.n % length) % length);
    };
    const size_t first = blockIdx.y * plan.share_k, end = first + plan.share_k < plan.k ? first + plan.share_k : plan.k;
    const bool has_columns = first_column + lane * length < plan.n + shift_of(stream);
    // The lane's piece of a row of B. (Pieces of the last rows, as many as a piece has elements, may reach beyond B.)
    const size_t shift = shift_of(stream), whole_end = elements / length * length;
    const auto place_of = [&](size_t row) { return row * plan.n - shift + first_column + lane * length; };
    const auto load = [&](size_t k, Pieces<ahead>& loaded) {
        if (whole_end == 0) return;  // the matrix is smaller than a piece
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            const size_t row = k + i * plan.streams;
            loaded[i] = load_piece(b, row < end && has_columns ? place_of(row) : 0, whole_end);
        }
    };

    alignas(16) Sum sums[rows][length] = {};
    RawPiece now[ahead] = {}, next[ahead] = {};
    const unsigned stride = plan.streams * ahead;
    size_t k = first + stream;
    load(k, now);
    for (size_t begin = first; begin < end; begin += staged_k) {
        if (begin > first) __syncthreads();  // the previous chunk of A has been read
        const unsigned chunk = end - begin < staged_k ? static_cast<unsigned>(end - begin) : staged_k;
        stage_elements(
            a, staged, chunk * rows,
            [&](unsigned i) {
                const unsigned row = i % rows;
                return row < plan.m ? row * plan.k + begin + i / rows : no_element;
            },
            [](unsigned i) { return i; });
        __syncthreads();  // this chunk of A is staged
        for (; k < begin + chunk; k += stride) {
            load(k + stride, next);
#pragma unroll
            for (int i = 0; i < ahead; ++i) {
                const size_t row_of_b = k + i * plan.streams;
                if (row_of_b >= end) break;
                if (row_of_b + length >= plan.k && has_columns) reload_last(now[i], b, place_of(row_of_b), elements);
                struct alignas(sizeof(Sum) * rows < 16 ? sizeof(Sum) * rows : 16) Factors {
                    Sum of_row[rows];
                };
                const Factors factors = reinterpret_cast<const Factors*>(staged)[row_of_b - begin];
#pragma unroll
                for (int e = 0; e < length; ++e) {
                    const Sum element = static_cast<Sum>(element_of<T>(now[i], e));
#pragma unroll
                    for (int row = 0; row < rows; ++row) sums[row][e] += factors.of_row[row] * element;
                }
            }
#pragma unroll
            for (int i = 0; i < ahead; ++i) now[i] = next[i];
        }
    }

    constexpr int part_length = Vector<Sum>::length, tile_sums = thin_block * length,
                  at_once_most = thin_shared_sums<T> / tile_sums, at_once = rows < at_once_most ? rows : at_once_most;
    const size_t outputs = plan.m * plan.width, share_sums = (size_t{blockIdx.x} * gridDim.y + blockIdx.y) * outputs;
    const unsigned stream_sums = plan.lanes * length;
#pragma unroll
    for (int first_row = 0; first_row < rows; first_row += at_once) {
        __syncthreads();  // shared memory has been read: it is free for the streams' sums
#pragma unroll
        for (int row = 0; row < at_once; ++row)
#pragma unroll
            for (int e = 0; e < length; e += part_length)
                *reinterpret_cast<Vector<Sum>*>(staged + row * tile_sums + threadIdx.x * length + e) =
                    *reinterpret_cast<const Vector<Sum>*>(&sums[first_row + row][e]);
        __syncthreads();  // all streams' sums are in shared memory
        for (unsigned i = threadIdx.x; i < at_once * plan.width; i += thin_block) {
            const unsigned row = first_row + i / plan.width, x = i % plan.width;
            if (row >= plan.m) continue;
            const Sum* of_row = staged + i / plan.width * tile_sums + x;
            Sum sum = 0;
#pragma unroll 8
            for (unsigned s = 0; s < plan.streams; ++s) sum += of_row[s * stream_sums + shift_of(s)];
            if (gridDim.y > 1) shares.d_sums[share_sums + row * plan.width + x] = sum;  // beyond C, too
            else if (first_column + x < plan.n) c[row * plan.n + first_column + x] = static_cast<T>(sum);
        }
    }
    if (gridDim.y == 1 || !is_last_share(shares.d_tickets + blockIdx.x, gridDim.y)) return;
    add_shares(shares.d_sums + size_t{blockIdx.x} * gridDim.y * outputs, static_cast<unsigned>(outputs), gridDim.y,
               staged, [&](unsigned i, const Vector<Sum>& total) {
                   const unsigned row = i / plan.width, x = i % plan.width;
#pragma unroll
                   for (int e = 0; e < part_length; ++e)
                       if (first_column + x + e < plan.n)
                           c[row * plan.n + first_column + x + e] = static_cast<T>(total.values[e]);
               });
}

template <typename T>
struct FewRows {
    static size_t workspace_bytes(const FewRowsPlan& plan) {
        return plan.shares == 1 ? 0 : size_t{plan.tiles} * plan.shares * plan.m * plan.width * sizeof(SumOf<T>);
    }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const FewRowsPlan& plan) {
        const dim3 grid(plan.tiles, plan.shares), block(thin_block);
        return with_width(plan.m, [&](auto width) {
            constexpr int rows = decltype(width)::value;
            matmul_few_rows<T, rows><<<grid, block, 0, arguments.stream>>>(
                arguments.d_a, arguments.d_b, arguments.d_c, plan,
                {static_cast<SumOf<T>*>(arguments.d_workspace), static_cast<unsigned*>(arguments.d_partials)});
            return LaunchShape{grid, block, 0, address_of(matmul_few_rows<T, rows>)};
        });
    }
};

}  // namespace BACKEND
