// SPDX-License-Identifier: MIT
#pragma once
// One thread per word: either the reads or the writes of a warp touch 32 rows, a sector of 32 bytes in each.
//   copy_vectors             moves the same bytes and transposes nothing: the bound that memory sets
//   transpose_naive<true>    warps read rows and write columns
//   transpose_naive<false>   removes the strided writes: warps write rows and read columns, where caches help
// The ladder continues in tiles.cuh.
//
// Any shape, any alignment, any block size.
#include <cstdint>

#include "common/cuda/vector_access.cuh"
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

/// Grid ceil((vectors + edges) / block): one thread per 16-byte vector, then one per word outside them. Both arrays
/// reach a 16-byte boundary after span.head words.
template <typename Word>
__global__ void copy_vectors(const Word* input, Word* output, VectorSpan<Word> span) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread < span.vectors) {
        const auto* from = reinterpret_cast<const Vector<Word>*>(input + span.head);
        auto* to = reinterpret_cast<Vector<Word>*>(output + span.head);
        store_vector_global(to + thread, load_vector(from + thread));
    } else if (thread - span.vectors < span.edges()) {
        const size_t i = span.edge(thread - span.vectors);
        output[i] = input[i];
    }
}

/// Block 32 x any. A warp's words are neighbors in a row of the input (`along_rows`) or of the output. Grid x
/// ceil(length of such a row / 32), any grid y.
template <typename Word, bool along_rows>
__global__ void transpose_naive(WordMatrix<const Word> input, WordMatrix<Word> output) {
    const size_t line_words = along_rows ? input.columns : input.rows;
    const size_t lines = along_rows ? input.rows : input.columns;
    const size_t within = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t first = static_cast<size_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    if (within >= line_words) return;
    for (size_t line = first; line < lines; line += static_cast<size_t>(gridDim.y) * blockDim.y) {
        if (along_rows) output.at(within, line) = input.at(line, within);
        else output.at(line, within) = input.at(within, line);
    }
}

/// Copies word by word unless both arrays reach a 16-byte boundary at the same word.
template <typename Word>
LaunchShape launch_copy(const TransposeArguments<Word>& arguments) {
    const size_t words = arguments.rows * arguments.columns;
    VectorSpan<Word> span = split_into_vectors(arguments.d_output, words);
    const auto phase = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address) % vector_bytes; };
    if (phase(arguments.d_input) != phase(arguments.d_output)) span = {words, 0, 0};
    const unsigned grid = grid_for(span.vectors + span.edges(), arguments.block_size);
    copy_vectors<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_input, arguments.d_output, span);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

/// Block size rounded up to whole warps.
template <bool along_rows, typename Word>
LaunchShape launch_transpose_naive(const TransposeArguments<Word>& arguments) {
    constexpr unsigned highest_grid = 65535;
    const size_t line_words = along_rows ? arguments.columns : arguments.rows;
    const size_t lines = along_rows ? arguments.rows : arguments.columns;
    const dim3 block(lanes_per_warp, whole_warps(arguments.block_size) / lanes_per_warp);
    const unsigned rows = grid_for(lines, block.y);
    const dim3 grid(grid_for(line_words, block.x), rows < highest_grid ? rows : highest_grid);
    transpose_naive<Word, along_rows><<<grid, block, 0, arguments.stream>>>(input_of(arguments), output_of(arguments));
    return {grid, block, 0};
}

}  // namespace BACKEND
