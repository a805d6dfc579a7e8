// SPDX-License-Identifier: MIT
#pragma once
//   copy_vectors   moves the same bytes and transposes nothing: the bound that memory sets
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

}  // namespace BACKEND
