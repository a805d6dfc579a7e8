#pragma once
// The fastest, chosen by shape and alignment:
//   a row or a column    the transpose is the same bytes: a copy
//   fewer than 16 of one extent   most of a tile would lie outside: a thread per word, and caches
//   rows of vectors      transpose_vectors, in bands of tiles
//   any other            tiles of 64 x 64 words, so that enough loads are in flight, in bands, too
#include "kernels/transpose/naive.cuh"
#include "kernels/transpose/tiles.cuh"
#include "kernels/transpose/vectors.cuh"

namespace BACKEND {

constexpr unsigned fastest_band = 4;  // tile rows

template <typename Word>
LaunchShape launch_transpose_fastest(const TransposeArguments<Word>& arguments) {
    constexpr size_t thin = 16;
    constexpr unsigned side = sizeof(Word) <= 8 ? 64 : 32;
    if (arguments.rows <= 1 || arguments.columns <= 1) return launch_copy(arguments);
    if (arguments.columns < thin) return launch_transpose_naive<false>(arguments);
    if (arguments.rows < thin) return launch_transpose_naive<true>(arguments);
    if (can_use_vectors(arguments)) return launch_transpose_vectors(arguments, fastest_band);
    return launch_transpose_tile<SwizzledLayout, side>(arguments, fastest_band);
}

}  // namespace BACKEND
