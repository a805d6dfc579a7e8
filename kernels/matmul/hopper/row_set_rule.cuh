// SPDX-License-Identifier: MIT
#pragma once
// Which products are read in sets of rows: see row_sets.cuh. Also for the models, which need no GPU.
#include <cstddef>

namespace BACKEND {

/// Whether rows have to be read in sets, and can be: not all begin at multiples of 16 bytes, B has rows in every set of
/// any type, and there is one product. A launch that reads them so gets no workspace for copies.
constexpr bool suits_row_sets(size_t n, size_t k, size_t batch, size_t element_bytes) {
    constexpr size_t most_sets = 8;
    const auto is_aligned = [&](size_t columns) { return columns * element_bytes % 16 == 0; };
    return !(is_aligned(k) && is_aligned(n)) && batch == 1 && k >= most_sets;
}

}  // namespace BACKEND
