// SPDX-License-Identifier: MIT
#pragma once
// Reading, writing and copying words in a pattern. The warps request the same number of words in all three; the pattern
// decides how much memory must move for them.
//   access_read    reads; each warp leaves one number, which tells the host whether it read the right words
//   access_write   writes values that depend only on the address, so that a word written twice is still right
//   access_copy    reads and writes in the same pattern, from one array to another
// Exactly `unroll` loads are in flight per thread: the loop over groups is not unrolled further.
//
// Any n, any pattern. The block is whole warps, the grid any; a grid that is resident at once leaves the fewest gaps.
#include "kernels/access/walk.cuh"
#include "kernels/access/words.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Block whole warps; any grid. folds: one number per warp of the grid.
template <typename Word, unsigned unroll>
__global__ void __launch_bounds__(largest_block)
    access_read(AccessPattern pattern, AccessStep step, size_t n, const Word* source, unsigned* folds) {
    AccessWalk<unroll> walk(pattern, step, n);
    size_t positions[unroll];
    unsigned fold = 0;
#pragma unroll 1
    for (; walk.is_whole(); walk.advance()) {
        walk.locate(positions);
        Word words[unroll];
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) words[k] = load_past_l1(source + positions[k]);
        __syncwarp();  // keeps the compiler from folding the first words before it loads the last
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) fold = folded(fold, words[k]);
    }
#pragma unroll 1
    for (unsigned k = 0; k < unroll && walk.reaches(k); ++k)
        fold = folded(fold, load_past_l1(source + walk.position(k)));
    __syncwarp();  // all lanes have left the loop

    fold = fold_of_lane(fold, walk.lane());
    for (unsigned distance = lanes_per_warp / 2; distance > 0; distance /= 2)
        fold += __shfl_down_sync(~0u, fold, distance);
    if (walk.lane() == 0) folds[(blockIdx.x * blockDim.x + threadIdx.x) / lanes_per_warp] = fold;
}

/// Block whole warps; any grid.
template <typename Word, unsigned unroll>
__global__ void __launch_bounds__(largest_block)
    access_write(AccessPattern pattern, AccessStep step, size_t n, Word* target) {
    AccessWalk<unroll> walk(pattern, step, n);
    size_t positions[unroll];
#pragma unroll 1
    for (; walk.is_whole(); walk.advance()) {
        walk.locate(positions);
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) target[positions[k]] = word_for<Word>(positions[k]);
    }
#pragma unroll 1
    for (unsigned k = 0; k < unroll && walk.reaches(k); ++k)
        target[walk.position(k)] = word_for<Word>(walk.position(k));
}

/// Block whole warps; any grid. The arrays do not overlap.
template <typename Word, unsigned unroll>
__global__ void __launch_bounds__(largest_block)
    access_copy(AccessPattern pattern, AccessStep step, size_t n, const Word* source, Word* target) {
    AccessWalk<unroll> walk(pattern, step, n);
    size_t positions[unroll];
#pragma unroll 1
    for (; walk.is_whole(); walk.advance()) {
        walk.locate(positions);
        Word words[unroll];
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) words[k] = load_past_l1(source + positions[k]);
#pragma unroll
        for (unsigned k = 0; k < unroll; ++k) target[positions[k]] = words[k];
    }
#pragma unroll 1
    for (unsigned k = 0; k < unroll && walk.reaches(k); ++k)
        target[walk.position(k)] = load_past_l1(source + walk.position(k));
}

}  // namespace BACKEND
