// SPDX-License-Identifier: MIT
// What the host does with rows of matrices: share them among cores, and multiply one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/measure/parallel.hpp"

// Calls work(first, end) for shares of the rows, on as many cores as the steps are worth, but at most `most_cores`.
template <typename Work>
void for_rows(std::size_t rows, double steps_per_row, Work work, std::size_t most_cores = ~std::size_t{0}) {
    const auto steps = static_cast<std::size_t>(std::min(1e15, double(rows) * steps_per_row));
    const std::size_t workers = std::min({worker_count(steps), std::max<std::size_t>(1, rows), most_cores});
    run_shares(rows, workers, [&](std::size_t, std::size_t first, std::size_t end) { work(first, end); });
}

// Adds a row of A B to `sums`, in double: k rows of B are added up, so that memory is read in order.
template <typename U>
void add_row_product(const U* a_row, const U* b, std::size_t n, std::size_t k, double* sums) {
    for (std::size_t i = 0; i < k; ++i) {
        const double factor = a_row[i];
        const U* b_row = b + i * n;
        for (std::size_t j = 0; j < n; ++j) sums[j] += factor * double(b_row[j]);
    }
}
