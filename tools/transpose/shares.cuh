// SPDX-License-Identifier: MIT
// How several devices share a matrix.
#pragma once

#include <algorithm>
#include <vector>

#include "common/cli/sizes.hpp"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "common/gang/devices.cuh"

namespace BACKEND {

// Devices share the rows, and each device's rows are cut into pieces, of which one is sent while the next is
// transposed.
class SharedMatrix {
public:
    // `asked`: how many pieces; 0 for as many as pay. Pieces have so many rows that rows of their transposes are whole
    // vectors of any type, with which kernels are faster.
    SharedMatrix(const MatrixShape& shape, size_t ranks, size_t asked, size_t element_bytes)
        : shape_(shape), ranks_(ranks) {
        // (Measured on two H200s: short messages are slow, and each waits for what is transposed meanwhile.)
        constexpr size_t fewest_bytes = size_t{128} << 20, most = 2;
        const size_t rows = rows_of(0).size, bytes = rows * shape.columns * element_bytes;
        const size_t worth_it = std::clamp<size_t>(bytes / fewest_bytes, 1, most);
        const size_t wanted = ranks == 1 ? 1 : asked > 0 ? asked : worth_it;
        piece_rows_ = std::max<size_t>(divide_up(divide_up(rows, wanted), vector_bytes) * vector_bytes, 1);
        for (size_t rank = 0; rank < ranks; ++rank)
            for (size_t k = 0; k < pieces(); ++k)
                if (const Share piece = rows_of(rank, k); piece.size > 0) all_pieces_.push_back(piece);
    }

    const MatrixShape& shape() const { return shape_; }
    size_t ranks() const { return ranks_; }
    size_t pieces() const { return std::max<size_t>(divide_up(rows_of(0).size, piece_rows_), 1); }

    // The rows that a rank has at first, those of its piece k, and the columns that become its rows of the result.
    Share rows_of(size_t rank) const { return share_of(shape_.rows, rank, ranks_); }
    Share rows_of(size_t rank, size_t k) const {
        const Share all = rows_of(rank);
        const size_t begin = std::min(k * piece_rows_, all.size);
        return {all.begin + begin, std::min(piece_rows_, all.size - begin)};
    }
    Share columns_of(size_t rank) const { return share_of(shape_.columns, rank, ranks_); }

    // The piece that has this row.
    const Share& piece_with(size_t row) const {
        const auto later = [](size_t one, const Share& piece) { return one < piece.begin; };
        return *(std::upper_bound(all_pieces_.begin(), all_pieces_.end(), row, later) - 1);
    }

private:
    MatrixShape shape_;
    size_t ranks_, piece_rows_;
    std::vector<Share> all_pieces_;
};

}  // namespace BACKEND
