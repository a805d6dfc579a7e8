// SPDX-License-Identifier: MIT
#pragma once
// The last step of a transposition by several devices: a part that has arrived becomes some columns of the result.
//   place_columns   copies a matrix without gaps into a wider one
//
// Any shape, any alignment. (cudaMemcpy2DAsync does the same for rows of less than 2 GiB.)
#include <cstdint>

#include "common/cuda/vector_access.cuh"
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

/// The part's rows lie one after another; the output's rows are `output_columns` words long, and the part's go to
/// column `first_column` of them. The two do not overlap.
template <typename Word>
struct ColumnsArguments {
    const Word* d_part = nullptr;
    Word* d_output = nullptr;
    size_t rows = 0, columns = 0;  // of the part
    size_t first_column = 0, output_columns = 0;
    cudaStream_t stream = nullptr;
};

/// Any block; grid x ceil(columns / blockDim.x), any grid y. `output` points at the first column.
template <typename Word>
__global__ void place_columns(const Word* part, size_t rows, size_t columns, Word* output, size_t output_columns) {
    const size_t column = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    const size_t first = static_cast<size_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    for (size_t row = first; row < rows; row += static_cast<size_t>(gridDim.y) * blockDim.y)
        output[row * output_columns + column] = part[row * columns + column];
}

template <typename Word>
void launch_place_words(const Word* d_part, size_t rows, size_t columns, Word* d_output, size_t output_columns,
                        cudaStream_t stream) {
    constexpr unsigned threads = 256, highest_grid = 65535;
    unsigned width = threads;  // the least power of two that covers a narrow part
    while (width > 1 && width / 2 >= columns) width /= 2;
    const dim3 block(width, threads / width);
    const unsigned height = grid_for(rows, block.y);
    const dim3 grid(grid_for(columns, block.x), height < highest_grid ? height : highest_grid);
    place_columns<<<grid, block, 0, stream>>>(d_part, rows, columns, d_output, output_columns);
}

/// Moves 16 bytes per thread if all rows begin and end at multiples of 16 bytes.
template <typename Word>
void launch_place_columns(const ColumnsArguments<Word>& arguments) {
    if (arguments.rows == 0 || arguments.columns == 0) return;
    Word* const d_output = arguments.d_output + arguments.first_column;
    const auto in_vectors = [](size_t words) { return words * sizeof(Word) % sizeof(uint4) == 0; };
    const auto at_vector = [](const Word* address) {
        return reinterpret_cast<std::uintptr_t>(address) % sizeof(uint4) == 0;
    };
    if (in_vectors(arguments.columns) && in_vectors(arguments.output_columns) && at_vector(arguments.d_part) &&
        at_vector(d_output)) {
        constexpr size_t words = sizeof(uint4) / sizeof(Word);
        launch_place_words(reinterpret_cast<const uint4*>(arguments.d_part), arguments.rows, arguments.columns / words,
                           reinterpret_cast<uint4*>(d_output), arguments.output_columns / words, arguments.stream);
    } else {
        launch_place_words(arguments.d_part, arguments.rows, arguments.columns, d_output, arguments.output_columns,
                           arguments.stream);
    }
}

}  // namespace BACKEND
