#pragma once
// The fastest, chosen by shape and alignment:
//   a row or a column    the transpose is the same bytes: a copy
//   fewer than 16 of one extent   most of a tile would lie outside: a thread per word, and caches
//   rows of vectors      transpose_vectors
//   any other            transpose_sectors; narrow words go through tiles of 64 x 64
// Tiles are numbered along the rows of the output: long pieces matter more where memory is written than where it is read.
#include "kernels/transpose/naive.cuh"
#include "kernels/transpose/sectors.cuh"
#include "kernels/transpose/tiles.cuh"
#include "kernels/transpose/vectors.cuh"

namespace BACKEND {

template <typename Word>
LaunchShape launch_transpose_fastest(const TransposeArguments<Word>& arguments) {
    constexpr size_t thin = 16;
    if (arguments.rows <= 1 || arguments.columns <= 1) return launch_copy(arguments);
    if (arguments.columns < thin) return launch_transpose_naive<false>(arguments);
    if (arguments.rows < thin) return launch_transpose_naive<true>(arguments);
    if (!can_use_vectors(arguments)) {
        if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8) return launch_transpose_sectors(arguments);
        else
            return launch_transpose_tile < SwizzledLayout,
                   sizeof(Word) < 4 ? 64 : 32 > (arguments, TileOrder::along_output_rows);
    }
    return launch_transpose_vectors(arguments, TileOrder::along_output_rows);
}

}  // namespace BACKEND
