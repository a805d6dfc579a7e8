// SPDX-License-Identifier: MIT
// The transposition on the host: two rows of the table.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/measure/parallel.hpp"

namespace BACKEND {

// A matrix of rows x columns words on the host, and room for its transpose.
template <typename Word>
struct HostMatrix {
    const Word* input = nullptr;
    Word* output = nullptr;
    std::size_t rows = 0, columns = 0;
};

// Computes rows `begin` to `end` - 1 of the output, in squares that fit the L1 cache.
template <typename Word>
void transpose_share(const HostMatrix<Word>& matrix, std::size_t begin, std::size_t end) {
    constexpr std::size_t side = 32;
    for (std::size_t first_row = 0; first_row < matrix.rows; first_row += side) {
        const std::size_t end_row = std::min(first_row + side, matrix.rows);
        for (std::size_t first_column = begin; first_column < end; first_column += side) {
            const std::size_t end_column = std::min(first_column + side, end);
            for (std::size_t column = first_column; column < end_column; ++column) {
                for (std::size_t row = first_row; row < end_row; ++row)
                    matrix.output[column * matrix.rows + row] = matrix.input[row * matrix.columns + column];
            }
        }
    }
}

template <typename Word>
void transpose_on_one_core(const HostMatrix<Word>& matrix) {
    transpose_share(matrix, 0, matrix.columns);
}

template <typename Word>
void transpose_on_all_cores(const HostMatrix<Word>& matrix) {
    const std::size_t shares =
        std::min(worker_count(matrix.rows * matrix.columns), std::max<std::size_t>(matrix.columns, 1));
    run_shares(matrix.columns, shares,
               [&](std::size_t, std::size_t begin, std::size_t end) { transpose_share(matrix, begin, end); });
}

}  // namespace BACKEND
