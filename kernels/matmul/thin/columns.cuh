// SPDX-License-Identifier: MIT
#pragma once
// C = A B where C has few columns: the time is that of reading A.
//   matmul_few_columns   removes, from the tiled kernels, the columns of a tile that do not exist: a group of lanes
//                        sums the products of a few rows of A. The next 16-byte pieces of each row are in flight while
//                        the previous ones are multiplied. B's columns are staged in shared memory, already converted,
//                        and serve all rows
// Any m and k, up to 8 columns. A block's rows are of one class (see pieces.cuh), and B is shifted in shared memory as
// far as they are. If rows are few, several blocks share k.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/thin/cost.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace BACKEND {

/// What thin products cost in cycles on an H200. `staging` is an estimate that no script has fitted yet.
struct ThinRoundCost {
    static constexpr double loading = 1200;  // of loads in flight together
    static constexpr double staging = 900;   // of thin_in_flight elements per thread, on their way to shared memory
    static constexpr double waiting = 4000;  // until the last block begins to add the other blocks' sums
};

/// If `shares` blocks share k: the cycles until the last one has added `sums` sums of each.
template <typename T>
double sharing_cycles(unsigned shares, size_t sums) {
    if (shares == 1) return 0;
    const size_t vectors = divide_up(sums, size_t{Vector<SumOf<T>>::length});
    const size_t of_thread = divide_up(shares, adding_threads(static_cast<unsigned>(vectors), shares));
    const size_t rounds = divide_up(of_thread, thin_in_flight) * divide_up(vectors, size_t{thin_block});
    return ThinRoundCost::waiting + ThinRoundCost::loading * double(rounds);
}

/// How the work is divided along k: among `lanes` lanes of a warp per row, `k_warps` warps of a block, `shares` blocks.
struct FewColumnsPlan {
    size_t m = 0, n = 0, k = 0;
    unsigned classes = 1, lanes = 32, k_warps = 1, shares = 1, block_rows = 1, tiles = 1;
    size_t pieces = 0, share_pieces = 0;  // of a row
};

constexpr int few_columns = 8, few_columns_rows = 4;  // rows per group of lanes
/// Blocks per multiprocessor, for so many columns.
constexpr unsigned few_columns_resident(size_t columns) { return columns == 1 ? 3 : 2; }

/// What a plan costs in cycles, unless the memory takes longer. It only serves to compare plans.
struct FewColumnsCost {
    static constexpr double per_column = 300;  // of a block: adding the sums of lanes and warps

    /// What the blocks of one multiprocessor do.
    template <typename T>
    static double busy(const FewColumnsPlan& plan, unsigned multiprocessors) {
        const size_t width = lanes_for(plan.n), staged = plan.share_pieces * piece_length<T> * width;
        const size_t blocks = size_t{plan.tiles} * plan.shares;
        const size_t waves = divide_up(blocks, few_columns_resident(plan.n) * size_t{multiprocessors});
        const size_t rounds = divide_up(plan.share_pieces, size_t{plan.lanes} * plan.k_warps);
        return double(waves) * (per_column * double(width) + ThinRoundCost::loading * double(rounds) +
                                ThinRoundCost::staging * double(staged) / (thin_block * thin_in_flight));
    }
    /// With one column the memory is the limit: the part of its rate that a plan reaches. All multiprocessors should be
    /// busy to the end, with loads of two blocks in flight; and each block reads B, too, from the L2 cache.
    static double reached(const FewColumnsPlan& plan, unsigned multiprocessors) {
        constexpr double enough_blocks = 2, reading_b = 0.5;
        const double of_each = double(plan.tiles) / multiprocessors, waves = of_each / few_columns_resident(plan.n);
        const double balance = waves <= 1 ? of_each / std::ceil(of_each) : waves / (waves + 0.5);
        return balance * std::min(1.0, of_each / enough_blocks) / (1 + reading_b / plan.block_rows);
    }

    template <typename T>
    static double sharing(const FewColumnsPlan& plan) {
        return sharing_cycles<T>(plan.shares, plan.block_rows * plan.n);
    }
};

/// The plan that takes the fewest cycles.
template <typename T>
FewColumnsPlan plan_few_columns(size_t m, size_t n, size_t k, unsigned multiprocessors) {
    constexpr unsigned rows = few_columns_rows, most_shares = 64;
    FewColumnsPlan plan{m, n, k};
    plan.classes = row_classes<T>(k);
    plan.pieces = divide_up(k + (plan.classes > 1 ? piece_length<T> - 1 : 0), piece_length<T>);
    plan.lanes = lanes_for(plan.pieces);
    // The sums of all groups of lanes must fit into shared memory.
    while (thin_warps * (lanes_per_warp / plan.lanes) * rows * lanes_for(n) > thin_shared_sums<T>) plan.lanes *= 2;
    const auto set_k_warps = [&](unsigned k_warps) {
        plan.k_warps = k_warps;
        plan.block_rows = thin_warps / k_warps * (lanes_per_warp / plan.lanes) * rows;
        plan.tiles = static_cast<unsigned>(plan.classes * divide_up(divide_up(m, plan.classes), plan.block_rows));
    };
    unsigned least_warps = 1, most_warps = thin_warps;
    if (n == 1) {
        double most = 0;
        for (unsigned k_warps = 1; k_warps <= thin_warps && (k_warps == 1 || plan.pieces > plan.lanes * k_warps);
             k_warps *= 2) {
            set_k_warps(k_warps);
            const double reached = FewColumnsCost::reached(plan, multiprocessors);
            if (reached > most) most = reached, least_warps = most_warps = k_warps;
        }
    }
    FewColumnsPlan best;
    double fewest = 0;
    for (unsigned k_warps = least_warps; k_warps <= most_warps; k_warps *= 2) {
        set_k_warps(k_warps);
        for (unsigned shares = 1; shares <= most_shares && shares <= plan.pieces; ++shares) {
            if (shares > 1 && plan.tiles > multiprocessors) break;  // there is a ticket per multiprocessor
            plan.share_pieces = divide_up(plan.pieces, size_t{shares});
            plan.shares = static_cast<unsigned>(divide_up(plan.pieces, plan.share_pieces));
            const double cycles = FewColumnsCost::busy<T>(plan, multiprocessors) + FewColumnsCost::sharing<T>(plan);
            if (best.pieces > 0 && cycles >= fewest) continue;
            best = plan;
            fewest = cycles;
        }
    }
    return best;
}

/// Stages the pieces [first, first + pieces) of B's columns, shifted by `shift`; zeros beyond B.
template <typename T, int columns, int pieces>
__device__ inline void stage_columns(const T* b, SumOf<T>* staged, const FewColumnsPlan& plan, size_t first,
                                     unsigned shift) {
    constexpr int length = piece_length<T>;
    if (columns == 1 && plan.classes == 1) {  // B is one row of pieces
        for (int i = static_cast<int>(threadIdx.x); i < pieces && (first + i) * length < plan.k; i += thin_block) {
            const RawPiece piece = *reinterpret_cast<const RawPiece*>(b + (first + i) * length);
#pragma unroll
            for (int e = 0; e < length; ++e)
                staged[staged_place<T>(i, e, pieces)] = static_cast<SumOf<T>>(element_of<T>(piece, e));
        }
        return;
    }
    const size_t left = (plan.k + shift > first * length ? plan.k + shift - first * length : 0) + length;
    const unsigned steps = left < pieces * length ? static_cast<unsigned>(left) : pieces * length;
    stage_elements(
        b, staged, steps * columns,
        [&](unsigned i) {
            const size_t shifted = first * length + i / columns, k = shifted - shift;
            return shifted >= shift && k < plan.k && i % columns < plan.n ? k * plan.n + i % columns : no_element;
        },
        [](unsigned i) {
            const int step = static_cast<int>(i / columns), column = static_cast<int>(i % columns);
            return column * pieces * length + staged_place<T>(step / length, step % length, pieces);
        });
}

/// Grid plan.tiles x plan.shares (a tile has rows of one class). Block 256.
template <typename T, int columns>
__global__ void __launch_bounds__(thin_block, few_columns_resident(columns))
    matmul_few_columns(const T* a, const T* b, T* c, FewColumnsPlan plan, ThinShares<SumOf<T>> shares) {
    using Sum = SumOf<T>;
    constexpr int rows = few_columns_rows, length = piece_length<T>, part_length = Vector<Sum>::length;
    constexpr int staged_pieces = thin_shared_sums<T> / columns / length;
    __shared__ __align__(16) Sum staged[thin_shared_sums<T>];
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
    const unsigned groups = lanes_per_warp / plan.lanes, row_warps = thin_warps / plan.k_warps;
    const unsigned group = lane / plan.lanes, k_warp = warp / row_warps;
    const unsigned row_class = blockIdx.x % plan.classes;
    const auto shift = static_cast<unsigned>(row_class * (plan.k % length) % length);
    const size_t first_row = blockIdx.x / plan.classes * size_t{plan.block_rows}, elements = plan.m * plan.k;
    const auto row_of = [&](unsigned i) { return row_class + plan.classes * (first_row + i); };
    // Where the first row's first piece begins, and the distance from one row of this thread to the next. (Rows beyond
    // the matrix are not read, and their sums are not stored.)
    const size_t first_start = row_of(warp % row_warps * groups + group) * plan.k - shift,
                 next_start = size_t{plan.classes} * row_warps * groups * plan.k;
    const size_t first = blockIdx.y * plan.share_pieces,
                 end = first + plan.share_pieces < plan.pieces ? first + plan.share_pieces : plan.pieces;
    const size_t whole_end = elements / length * length;
    const auto load = [&](size_t piece, Pieces<rows>& loaded) {
        if (whole_end == 0) return;  // the matrix is smaller than a piece
#pragma unroll
        for (int r = 0; r < rows; ++r)
            loaded[r] = load_piece(a, first_start + r * next_start + piece * length, whole_end);
    };
    // At a row's ends, clears elements of the neighboring rows: a NaN among them would spoil the sums.
    const auto cut = [&](size_t piece, Pieces<rows>& loaded) {
        const size_t begin = piece * length;
        if (begin >= shift && begin + length <= plan.k + shift) return;
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            reload_last(loaded[r], a, first_start + r * next_start + begin, elements);
#pragma unroll
            for (int e = 0; e < length; ++e)
                if (begin + e < shift || begin + e >= plan.k + shift) set_element(loaded[r], e, static_cast<T>(0.0f));
        }
    };

    Sum sums[rows][columns] = {};
    RawPiece now[rows] = {}, next[rows] = {};
    const size_t stride = plan.lanes * plan.k_warps;
    size_t piece = first + k_warp * plan.lanes + lane % plan.lanes;
    if (piece < end) load(piece, now);
    for (size_t begin = first; begin < end; begin += staged_pieces) {
        if (begin > first) __syncthreads();  // the previous part of B has been read
        stage_columns<T, columns, staged_pieces>(b, staged, plan, begin, shift);
        __syncthreads();  // this part of B is staged
        for (; piece < end && piece < begin + staged_pieces; piece += stride) {
            if (piece + stride < end) load(piece + stride, next);
            cut(piece, now);
#pragma unroll
            for (int part = 0; part < staged_parts<T>; ++part) {
                Vector<Sum> factors[columns];
#pragma unroll
                for (int j = 0; j < columns; ++j)
                    factors[j] = staged_part<T>(staged + j * staged_pieces * length, static_cast<int>(piece - begin),
                                                part, staged_pieces);
#pragma unroll
                for (int r = 0; r < rows; ++r)
#pragma unroll
                    for (int e = 0; e < part_length; ++e) {
                        const Sum element = static_cast<Sum>(element_of<T>(now[r], part * part_length + e));
#pragma unroll
                        for (int j = 0; j < columns; ++j) sums[r][j] += element * factors[j].values[e];
                    }
            }
#pragma unroll
            for (int r = 0; r < rows; ++r) now[r] = next[r];
        }
    }

    __syncthreads();  // B has been read: its place is free for the sums of all groups of lanes
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int j = 0; j < columns; ++j) {
            for (unsigned distance = plan.lanes / 2; distance > 0; distance /= 2)
                sums[r][j] += __shfl_xor_sync(0xffffffffU, sums[r][j], static_cast<int>(distance));
            if (lane % plan.lanes == 0) staged[((warp * groups + group) * rows + r) * columns + j] = sums[r][j];
        }
    __syncthreads();  // all groups' sums are in shared memory
    const auto outputs = static_cast<unsigned>(plan.block_rows * plan.n);
    const size_t tile_sums = size_t{blockIdx.x} * gridDim.y * outputs;
    const auto store = [&](unsigned output, Sum sum) {
        const size_t row = row_of(output / static_cast<unsigned>(plan.n));
        if (row < plan.m) c[row * plan.n + output % plan.n] = static_cast<T>(sum);
    };
    for (unsigned output = threadIdx.x; output < outputs; output += thin_block) {
        const unsigned i = output / static_cast<unsigned>(plan.n), j = output % static_cast<unsigned>(plan.n);
        const unsigned of_group = i % groups, of_warp = i / groups % row_warps, r = i / groups / row_warps;
        Sum sum = 0;
        for (unsigned w = of_warp; w < thin_warps; w += row_warps)
            sum += staged[((w * groups + of_group) * rows + r) * columns + j];
        if (gridDim.y == 1) store(output, sum);
        else shares.d_sums[tile_sums + blockIdx.y * outputs + output] = sum;
    }
    if (gridDim.y == 1 || !is_last_share(shares.d_tickets + blockIdx.x, gridDim.y)) return;
    add_shares(shares.d_sums + tile_sums, outputs, gridDim.y, staged, [&](unsigned output, const Vector<Sum>& total) {
#pragma unroll
        for (int e = 0; e < part_length; ++e) store(output + e, total.values[e]);
    });
}

template <typename T>
struct FewColumns {
    static size_t workspace_bytes(const FewColumnsPlan& plan) {
        return plan.shares == 1 ? 0 : size_t{plan.tiles} * plan.shares * plan.block_rows * plan.n * sizeof(SumOf<T>);
    }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const FewColumnsPlan& plan) {
        const dim3 grid(plan.tiles, plan.shares), block(thin_block);
        return with_width(plan.n, [&](auto width) {
            constexpr int columns = decltype(width)::value;
            matmul_few_columns<T, columns><<<grid, block, 0, arguments.stream>>>(
                arguments.d_a, arguments.d_b, arguments.d_c, plan,
                {static_cast<SumOf<T>*>(arguments.d_workspace), static_cast<unsigned*>(arguments.d_partials)});
            return LaunchShape{grid, block, 0, address_of(matmul_few_columns<T, columns>)};
        });
    }
};

}  // namespace BACKEND
