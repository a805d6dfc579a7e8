// SPDX-License-Identifier: MIT
// Which blocks of a grid stand for all of it.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt::check {

/// Four neighbors in the middle of the grid, which show what blocks share, the first block, and others spread over it. All blocks if
/// there are few. A grid of a single row or column has four neighbors in that direction.
class BlockSample {
public:
    explicit BlockSample(const Extent& grid);

    const std::vector<uint64_t>& blocks() const { return blocks_; }  ///< indices, x fastest; each once
    bool holds_all() const { return holds_all_; }
    bool contains(uint64_t block) const;

    /// The neighbors at (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1), as far as the grid has them: in a grid that
    /// lies in one direction, four in a row, and is_row() holds.
    const std::vector<uint64_t>& neighbors() const { return neighbors_; }
    bool is_row() const { return is_row_; }

private:
    std::vector<uint64_t> blocks_, neighbors_;
    bool holds_all_ = false, is_row_ = false;
};

}  // namespace simt::check
