// SPDX-License-Identifier: MIT
#pragma once
// The fastest kernel, chosen by shape and alignment:
//   one row or one column              the transpose is the same bytes: a copy
//   fewer than 16 rows or columns      most of a tile would be empty: transpose_naive_* and caches
//   all rows aligned to 16 bytes       transpose_vectors
//   others, words of 4 or 8 bytes      transpose_sectors
//   others                             transpose_tiles, 64 x 64 for words of 1 or 2 bytes
// Tiles are numbered along the rows of the output: long pieces matter more for writing than for reading.
#include "kernels/transpose/copy.cuh"
#include "kernels/transpose/sectors.cuh"
#include "kernels/transpose/textbook.cuh"
#include "kernels/transpose/tiles.cuh"
#include "kernels/transpose/vectors.cuh"

namespace BACKEND {

template <typename Word>
LaunchShape launch_transpose_fastest(const TransposeArguments<Word>& arguments) {
    constexpr size_t thin = 16;
    if (arguments.rows <= 1 || arguments.columns <= 1) return launch_copy(arguments);
    if (arguments.columns < thin) return launch_transpose_naive_write(arguments);
    if (arguments.rows < thin) return launch_transpose_naive_read(arguments);
    if (!can_use_vectors(arguments)) {
        if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8) return launch_transpose_sectors(arguments);
        else return launch_transpose_tiles<(sizeof(Word) < 4 ? 64 : 32)>(arguments);
    }
    return launch_transpose_vectors(arguments, TileOrder::along_output_rows);
}

}  // namespace BACKEND
