// SPDX-License-Identifier: MIT
#pragma once
// Threads of a block tell each other that they may stop. A block searches its tile of 4096 words for the first word
// below a limit, blockDim.x words in each step.
//   search_no_flag    nobody stops: every word is read
//   search_flag       the lecture's loop: a flag in shared memory and two barriers in each step
//   search_any        a warp votes, and one lane clears the flag, instead of up to 32
//   search_vote       the barrier itself carries the vote, __syncthreads_or(): no flag, one barrier in each step
//   search_ballot     a ballot names the first lane of a warp that has found: one atomic operation instead of up to 32
//   search_batch      four words per thread between two votes: a quarter of the barriers
//   search_poll       no barrier in the loop: a warp goes on until the place that was found is behind it
//
// Any n; grid ceil(n / 4096), at least 1. d_out[b] is the index of the first such word in tile b, or 4096.
#include "kernels/shared/arguments.cuh"

namespace BACKEND {

constexpr unsigned search_tile_words = 4096;

/// A block's tile; the last one may be shorter.
struct SearchTile {
    const unsigned* words;
    unsigned count;
    unsigned limit;

    __device__ explicit SearchTile(const SharedArguments& arguments) : limit(arguments.limit) {
        const size_t begin = static_cast<size_t>(blockIdx.x) * search_tile_words;
        const size_t left = arguments.n > begin ? arguments.n - begin : 0;
        words = arguments.d_in + begin;
        count = left < search_tile_words ? static_cast<unsigned>(left) : search_tile_words;
    }
    __device__ bool found_it(unsigned i) const { return i < count && words[i] < limit; }
};

/// Any block.
__global__ void search_no_flag(const SharedArguments arguments) {
    __shared__ unsigned first;
    const SearchTile tile(arguments);
    if (threadIdx.x == 0) first = search_tile_words;
    __syncthreads();  // `first` is set before any thread lowers it
    for (unsigned i = threadIdx.x; i < tile.count; i += blockDim.x)
        if (tile.found_it(i)) atomicMin(&first, i);
    __syncthreads();  // all have searched
    if (threadIdx.x == 0) arguments.d_out[blockIdx.x] = first;
}

/// Any block. In the lecture every thread sets the flag, with no barrier before the loop. That is a race, if a harmless
/// one, since all write the same value: here one thread sets it. So is `run = false` by several threads that have found
/// it in the same step: here they do it one after another.
__global__ void search_flag(const SharedArguments arguments) {
    __shared__ unsigned run;
    __shared__ unsigned first;
    const SearchTile tile(arguments);
    if (threadIdx.x == 0) {
        run = 1;
        first = search_tile_words;
    }
    __syncthreads();  // the flag is set before any thread reads it
    for (unsigned begin = 0; run != 0 && begin < tile.count; begin += blockDim.x) {
        __syncthreads();  // all have read the flag before any thread clears it
        const unsigned i = begin + threadIdx.x;
        if (tile.found_it(i)) {
            atomicExch(&run, 0u);
            atomicMin(&first, i);
        }
        __syncthreads();  // the flag is final before any thread reads it
    }
    if (threadIdx.x == 0) arguments.d_out[blockIdx.x] = first;
}

/// Block a multiple of 32.
__global__ void search_any(const SharedArguments arguments) {
    __shared__ unsigned run;
    __shared__ unsigned first;
    const SearchTile tile(arguments);
    if (threadIdx.x == 0) {
        run = 1;
        first = search_tile_words;
    }
    __syncthreads();  // the flag is set before any thread reads it
    for (unsigned begin = 0; run != 0 && begin < tile.count; begin += blockDim.x) {
        __syncthreads();  // all have read the flag before any thread clears it
        const unsigned i = begin + threadIdx.x;
        const bool found = tile.found_it(i);
        if (found) atomicMin(&first, i);
        if (__any_sync(all_lanes, found) && lane_index() == 0) atomicExch(&run, 0u);
        __syncthreads();  // the flag is final before any thread reads it
    }
    if (threadIdx.x == 0) arguments.d_out[blockIdx.x] = first;
}

/// Any block.
__global__ void search_vote(const SharedArguments arguments) {
    __shared__ unsigned first;
    const SearchTile tile(arguments);
    if (threadIdx.x == 0) first = search_tile_words;
    __syncthreads();  // `first` is set before any thread lowers it
    bool found = false;
    for (unsigned begin = 0; begin < tile.count && !found; begin += blockDim.x) {
        const unsigned i = begin + threadIdx.x;
        const bool found_here = tile.found_it(i);
        if (found_here) atomicMin(&first, i);
        found = __syncthreads_or(found_here);
    }
    if (threadIdx.x == 0) arguments.d_out[blockIdx.x] = first;
}

/// Lowers `first` to the warp's first find; `begin` is the index of the first lane's word. By a whole warp, whose lanes
/// get the same result: whether it has found something.
__device__ inline bool warp_finds(unsigned* first, unsigned begin, bool found) {
    const unsigned finders = __ballot_sync(all_lanes, found);
    if (finders != 0 && lane_index() == 0) atomicMin(first, begin + static_cast<unsigned>(__ffs(finders)) - 1);
    return finders != 0;
}

/// Block a multiple of 32. words_per_step: words per thread between two votes.
template <unsigned words_per_step>
__device__ void search_by_ballots(const SharedArguments& arguments) {
    __shared__ unsigned first;
    const SearchTile tile(arguments);
    if (threadIdx.x == 0) first = search_tile_words;
    __syncthreads();  // `first` is set before any thread lowers it
    bool found = false;
    for (unsigned begin = 0; begin < tile.count && !found; begin += words_per_step * blockDim.x) {
        bool found_here[words_per_step];  // all loads come before the first vote waits for one of them
#pragma unroll
        for (unsigned k = 0; k < words_per_step; ++k)
            found_here[k] = tile.found_it(begin + k * blockDim.x + threadIdx.x);
        bool warp_found = false;
#pragma unroll
        for (unsigned k = 0; k < words_per_step; ++k)
            warp_found |= warp_finds(&first, begin + k * blockDim.x + threadIdx.x, found_here[k]);
        found = __syncthreads_or(warp_found);
    }
    if (threadIdx.x == 0) arguments.d_out[blockIdx.x] = first;
}

__global__ void search_ballot(const SharedArguments arguments) { search_by_ballots<1>(arguments); }
__global__ void search_batch(const SharedArguments arguments) { search_by_ballots<4>(arguments); }

/// Block a multiple of 32. A warp that reads an old value of `first` searches a little longer, and no more.
__global__ void search_poll(const SharedArguments arguments) {
    __shared__ unsigned first;
    const SearchTile tile(arguments);
    if (threadIdx.x == 0) first = search_tile_words;
    __syncthreads();  // `first` is set before any warp lowers it
    const volatile unsigned* const newest = &first;
    for (unsigned begin = threadIdx.x - lane_index(); begin < tile.count; begin += blockDim.x) {
        if (__any_sync(all_lanes, *newest < begin)) break;  // the warp agrees, whichever value its lanes have read
        if (warp_finds(&first, begin, tile.found_it(begin + lane_index()))) break;
    }
    __syncthreads();  // all warps have stopped
    if (threadIdx.x == 0) arguments.d_out[blockIdx.x] = first;
}

inline LaunchShape launch_search(void (*kernel)(SharedArguments), const SharedArguments& arguments,
                                 unsigned block_size) {
    const unsigned grid = grid_for(arguments.n, search_tile_words);
    kernel<<<grid, block_size, 0, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(block_size), 0, address_of(kernel)};
}

inline LaunchShape launch_search_no_flag(const SharedArguments& arguments) {
    return launch_search(search_no_flag, arguments, arguments.block_size);
}
inline LaunchShape launch_search_flag(const SharedArguments& arguments) {
    return launch_search(search_flag, arguments, arguments.block_size);
}
inline LaunchShape launch_search_any(const SharedArguments& arguments) {
    return launch_search(search_any, arguments, whole_warps(arguments.block_size));
}
inline LaunchShape launch_search_vote(const SharedArguments& arguments) {
    return launch_search(search_vote, arguments, arguments.block_size);
}
inline LaunchShape launch_search_ballot(const SharedArguments& arguments) {
    return launch_search(search_ballot, arguments, whole_warps(arguments.block_size));
}
inline LaunchShape launch_search_batch(const SharedArguments& arguments) {
    return launch_search(search_batch, arguments, whole_warps(arguments.block_size));
}
inline LaunchShape launch_search_poll(const SharedArguments& arguments) {
    return launch_search(search_poll, arguments, whole_warps(arguments.block_size));
}

}  // namespace BACKEND
