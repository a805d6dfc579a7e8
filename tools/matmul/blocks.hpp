// SPDX-License-Identifier: MIT
// A block of a matrix: some rows, some columns.
#pragma once

#include <cstddef>

struct IndexRange {
    std::size_t begin = 0, size = 0;

    std::size_t end() const { return begin + size; }
    bool has(std::size_t index) const { return index >= begin && index < end(); }
};

struct ProductBlock {
    IndexRange rows, columns;
};
