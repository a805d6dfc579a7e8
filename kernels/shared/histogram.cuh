// SPDX-License-Identifier: MIT
#pragma once
// How often each word occurs. Words are below the number of bins.
//   histogram_global_atomics   every word is one operation in global memory: frequent words wait for each other
//   histogram_shared_atomics   a histogram of the block in shared memory, added to the global one at the end
//   histogram_per_warp         one for each warp: only lanes of one warp meet
//   histogram_per_lane         32 histograms, whose copies of a bin lie in the 32 banks: lane i has bank i to itself, so
//                              that no words can collide, equal or not. With more than 384 bins, lanes share copies.
//   histogram_vector           the same, with four words per load and four loads at once
//
// Any n up to 2^32 - 1; any block; a resident grid; 1 to 12288 bins, so that a histogram fits into 48 KiB of shared
// memory. d_out[b] is how many words are b.
#include "common/cuda/check.cuh"
#include "kernels/shared/arguments.cuh"

namespace BACKEND {

constexpr unsigned histogram_most_bins = most_shared_bytes_without_request / sizeof(unsigned);

/// Calls count(word) for each of this thread's words.
template <typename Count>
__device__ void each_word(const SharedArguments& arguments, Count count) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = thread_in_grid(); i < arguments.n; i += step) count(arguments.d_in[i]);
}

/// The same, with four loads of four words at once; d_in is aligned to 16 bytes.
template <typename Count>
__device__ void each_word_of_vectors(const SharedArguments& arguments, Count count) {
    constexpr unsigned loads = 4;
    const size_t vectors = arguments.n / 4, step = static_cast<size_t>(gridDim.x) * blockDim.x;
    const auto* const d_vectors = reinterpret_cast<const uint4*>(arguments.d_in);
    for (size_t i = thread_in_grid(); i < vectors; i += loads * step) {
        uint4 words[loads];
#pragma unroll
        for (unsigned k = 0; k < loads; ++k)
            if (i + k * step < vectors) words[k] = d_vectors[i + k * step];
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) {
            if (i + k * step >= vectors) break;
            count(words[k].x);
            count(words[k].y);
            count(words[k].z);
            count(words[k].w);
        }
    }
    // (A small grid may have fewer threads than there are words left.)
    for (size_t i = vectors * 4 + thread_in_grid(); i < arguments.n; i += step) count(arguments.d_in[i]);
}

/// The copies of a bin lie side by side, and each lane of a warp has its own.
struct LaneCopies {
    unsigned bins, copies, own_copy;

    __device__ LaneCopies(unsigned bins, unsigned copies)
        : bins(bins), copies(copies), own_copy(threadIdx.x % copies) {}
    /// The word in which this thread counts.
    __device__ unsigned own(unsigned bin) const { return bin * copies + own_copy; }
    /// That of copy k, where each lane begins with another one: they are in different banks.
    __device__ unsigned of(unsigned bin, unsigned k) const { return bin * copies + (bin + k) % copies; }
};

/// The histograms lie one behind the other, and each warp has its own.
struct WarpCopies {
    unsigned bins, copies, own_first;

    __device__ WarpCopies(unsigned bins, unsigned copies)
        : bins(bins), copies(copies), own_first(threadIdx.x / lanes_per_warp % copies * bins) {}
    __device__ unsigned own(unsigned bin) const { return own_first + bin; }
    __device__ unsigned of(unsigned bin, unsigned k) const { return k * bins + bin; }
};

/// Counts in the block's copies of the histogram, and adds them to the global one. visit(count) calls count(word) for
/// each of this thread's words. Shared memory: bins words for each copy.
template <typename Copies, typename Visit>
__device__ void count_in_block(unsigned* d_out, const Copies place, Visit visit) {
    extern __shared__ unsigned block_counts[];
    for (unsigned i = threadIdx.x; i < place.bins * place.copies; i += blockDim.x) block_counts[i] = 0;
    __syncthreads();  // the counts are 0 before any thread adds to them
    visit([&](unsigned word) { atomicAdd(&block_counts[place.own(word)], 1u); });
    __syncthreads();  // they are complete
    for (unsigned bin = threadIdx.x; bin < place.bins; bin += blockDim.x) {
        unsigned sum = 0;
        for (unsigned k = 0; k < place.copies; ++k) sum += block_counts[place.of(bin, k)];
        if (sum > 0) atomicAdd(&d_out[bin], sum);
    }
}

__global__ void histogram_global_atomics(const SharedArguments arguments) {
    each_word(arguments, [&](unsigned word) { atomicAdd(&arguments.d_out[word], 1u); });
}

__global__ void histogram_shared_atomics(const SharedArguments arguments) {
    const LaneCopies one(arguments.bins, 1);
    count_in_block(arguments.d_out, one, [&](auto count) { each_word(arguments, count); });
}

/// Warps share copies if there are fewer.
__global__ void histogram_per_warp(const SharedArguments arguments) {
    const WarpCopies copies(arguments.bins, arguments.histogram_copies);
    count_in_block(arguments.d_out, copies, [&](auto count) { each_word(arguments, count); });
}

/// Up to 32 copies, a power of two.
__global__ void histogram_per_lane(const SharedArguments arguments) {
    const LaneCopies copies(arguments.bins, arguments.histogram_copies);
    count_in_block(arguments.d_out, copies, [&](auto count) { each_word(arguments, count); });
}
__global__ void histogram_vector(const SharedArguments arguments) {
    const LaneCopies copies(arguments.bins, arguments.histogram_copies);
    count_in_block(arguments.d_out, copies, [&](auto count) { each_word_of_vectors(arguments, count); });
}

/// The blocks that are resident at once, but no more than there are words for.
inline unsigned histogram_grid(const void* kernel, const SharedArguments& arguments, size_t bytes,
                               unsigned words_per_thread) {
    int resident = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(arguments.block_size),
                                                        bytes));
    const unsigned most = static_cast<unsigned>(resident) * arguments.multiprocessors;
    const size_t words_per_block = size_t{arguments.block_size} * words_per_thread;
    return divide_up(arguments.n, words_per_block) < most ? grid_for(arguments.n, words_per_block) : most;
}

/// How many histograms of a block fit into 48 KiB: a power of two, at most `wanted`; 0 if none is.
inline unsigned copies_that_fit(unsigned bins, unsigned wanted) {
    unsigned copies = largest_block;
    while (copies > wanted || (copies > 1 && copies * bins > histogram_most_bins)) copies /= 2;
    return copies;
}

inline LaunchShape launch_histogram(void (*kernel)(SharedArguments), SharedArguments arguments, unsigned wanted_copies,
                                    unsigned words_per_thread) {
    CHECK(cudaMemsetAsync(arguments.d_out, 0, arguments.bins * sizeof(unsigned), arguments.stream));
    arguments.histogram_copies = copies_that_fit(arguments.bins, wanted_copies);
    const size_t bytes = size_t{arguments.histogram_copies} * arguments.bins * sizeof(unsigned);
    const unsigned grid = histogram_grid(address_of(kernel), arguments, bytes, words_per_thread);
    kernel<<<grid, arguments.block_size, bytes, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(arguments.block_size), bytes, address_of(kernel)};
}

inline LaunchShape launch_histogram_global_atomics(const SharedArguments& arguments) {
    return launch_histogram(histogram_global_atomics, arguments, 0, 1);
}
inline LaunchShape launch_histogram_shared_atomics(const SharedArguments& arguments) {
    return launch_histogram(histogram_shared_atomics, arguments, 1, 1);
}
inline LaunchShape launch_histogram_per_warp(const SharedArguments& arguments) {
    const auto warps = static_cast<unsigned>(divide_up(arguments.block_size, lanes_per_warp));
    return launch_histogram(histogram_per_warp, arguments, warps, 1);
}
inline LaunchShape launch_histogram_per_lane(const SharedArguments& arguments) {
    return launch_histogram(histogram_per_lane, arguments, lanes_per_warp, 1);
}
inline LaunchShape launch_histogram_vector(const SharedArguments& arguments) {
    return launch_histogram(histogram_vector, arguments, lanes_per_warp, 16);
}

}  // namespace BACKEND
