// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/sample.hpp"

#include <algorithm>
#include <numeric>

namespace simt::check {

BlockSample::BlockSample(const Extent& grid) {
    constexpr uint64_t few = 8, spread = 4;
    const uint64_t width = grid.x, height = grid.y, layer = width * height, count = layer * grid.z;
    is_row_ = height == 1 || width == 1;
    const uint64_t middle = layer * (grid.z / 2);
    if (is_row_) {
        const uint64_t length = width * height, first = length > 4 ? (length - 4) / 2 : 0;
        for (uint64_t i = first; i < std::min(length, first + 4); ++i) neighbors_.push_back(middle + i);
    } else {
        const uint64_t x = (width - 2) / 2, y = (height - 2) / 2;
        for (uint64_t dy = 0; dy < 2; ++dy)
            for (uint64_t dx = 0; dx < 2; ++dx) neighbors_.push_back(middle + (y + dy) * width + x + dx);
    }
    holds_all_ = count <= few;
    if (holds_all_) {
        blocks_.resize(count);
        std::iota(blocks_.begin(), blocks_.end(), uint64_t{0});
        return;
    }
    blocks_ = neighbors_;
    blocks_.push_back(0);  // the one that does what only one does
    // (Not at regular distances, which could always meet the same column.)
    for (uint64_t i = 0; i < spread; ++i) {
        const uint64_t from = count / spread * i, among = count / spread;
        blocks_.push_back(from + (0x9e3779b97f4a7c15u * (i + 1) >> 20) % among);
    }
    std::sort(blocks_.begin(), blocks_.end());
    blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
}

bool BlockSample::contains(uint64_t block) const {
    return holds_all_ || std::binary_search(blocks_.begin(), blocks_.end(), block);
}

}  // namespace simt::check
