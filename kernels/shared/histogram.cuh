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
// Any n up to 2^32 - 1; any block; 1 to 12288 bins, so that a histogram fits into 48 KiB of shared memory. Those in
// shared memory have a resident grid. d_out[b] is how many words are b.
#include "common/cuda/check.cuh"
#include "kernels/shared/arguments.cuh"

namespace BACKEND {

constexpr unsigned histogram_most_bins = most_shared_bytes_without_request / sizeof(unsigned);

/// Grid: resident.
__global__ void histogram_global_atomics(const SharedArguments arguments) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = thread_in_grid(); i < arguments.n; i += step) atomicAdd(&arguments.d_out[arguments.d_in[i]], 1u);
}

/// `copies` histograms of a block: the copies of a bin lie side by side.
struct HistogramCopies {
    unsigned* counts;
    unsigned copies;  ///< of each bin

    __device__ void clear(unsigned bins) const {
        for (unsigned i = threadIdx.x; i < bins * copies; i += blockDim.x) counts[i] = 0;
    }
    /// Adds all copies of a bin to the global one.
    __device__ void add_to(unsigned* d_out, unsigned bins) const {
        for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
            unsigned sum = 0;
            // (Each lane begins with another copy: they are in different banks.)
            for (unsigned k = 0; k < copies; ++k) sum += counts[bin * copies + (bin + k) % copies];
            if (sum > 0) atomicAdd(&d_out[bin], sum);
        }
    }
};

/// Shared memory: bins words.
__global__ void histogram_shared_atomics(const SharedArguments arguments) {
    extern __shared__ unsigned block_counts[];
    const HistogramCopies histogram{block_counts, 1};
    histogram.clear(arguments.bins);
    __syncthreads();  // the counts are 0 before any thread adds to them
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = thread_in_grid(); i < arguments.n; i += step) atomicAdd(&block_counts[arguments.d_in[i]], 1u);
    __syncthreads();  // they are complete
    histogram.add_to(arguments.d_out, arguments.bins);
}

/// Shared memory: bins words for each of `copies` histograms, one behind the other; warps share them if there are fewer.
__global__ void histogram_per_warp(const SharedArguments arguments, unsigned copies) {
    extern __shared__ unsigned warp_counts[];
    const unsigned bins = arguments.bins;
    for (unsigned i = threadIdx.x; i < bins * copies; i += blockDim.x) warp_counts[i] = 0;
    __syncthreads();  // the counts are 0 before any thread adds to them
    unsigned* const own = warp_counts + threadIdx.x / lanes_per_warp % copies * bins;
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = thread_in_grid(); i < arguments.n; i += step) atomicAdd(&own[arguments.d_in[i]], 1u);
    __syncthreads();  // they are complete
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned sum = 0;
        for (unsigned k = 0; k < copies; ++k) sum += warp_counts[k * bins + bin];
        if (sum > 0) atomicAdd(&arguments.d_out[bin], sum);
    }
}

/// Shared memory: bins words for each of `copies` histograms, a power of two up to 32.
__global__ void histogram_per_lane(const SharedArguments arguments, unsigned copies) {
    extern __shared__ unsigned lane_counts[];
    const HistogramCopies histogram{lane_counts, copies};
    histogram.clear(arguments.bins);
    __syncthreads();  // the counts are 0 before any thread adds to them
    unsigned* const own = lane_counts + threadIdx.x % copies;
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = thread_in_grid(); i < arguments.n; i += step) atomicAdd(&own[arguments.d_in[i] * copies], 1u);
    __syncthreads();  // they are complete
    histogram.add_to(arguments.d_out, arguments.bins);
}

/// The same; d_in is aligned to 16 bytes.
__global__ void histogram_vector(const SharedArguments arguments, unsigned copies) {
    extern __shared__ unsigned lane_counts[];
    const HistogramCopies histogram{lane_counts, copies};
    histogram.clear(arguments.bins);
    __syncthreads();  // the counts are 0 before any thread adds to them
    unsigned* const own = lane_counts + threadIdx.x % copies;
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
            atomicAdd(&own[words[k].x * copies], 1u);
            atomicAdd(&own[words[k].y * copies], 1u);
            atomicAdd(&own[words[k].z * copies], 1u);
            atomicAdd(&own[words[k].w * copies], 1u);
        }
    }
    // (A small grid may have fewer threads than there are words left.)
    for (size_t i = vectors * 4 + thread_in_grid(); i < arguments.n; i += step)
        atomicAdd(&own[arguments.d_in[i] * copies], 1u);
    __syncthreads();  // they are complete
    histogram.add_to(arguments.d_out, arguments.bins);
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

inline void clear_bins(const SharedArguments& arguments) {
    CHECK(cudaMemsetAsync(arguments.d_out, 0, arguments.bins * sizeof(unsigned), arguments.stream));
}

/// How many histograms fit into 48 KiB: a power of two, at most `wanted`.
inline unsigned histogram_copies(unsigned bins, unsigned wanted) {
    unsigned copies = 1;
    while (copies * 2 <= wanted && copies * 2 * bins <= histogram_most_bins) copies *= 2;
    return copies;
}

inline LaunchShape launch_histogram(void (*kernel)(SharedArguments), const SharedArguments& arguments, size_t bytes) {
    clear_bins(arguments);
    const unsigned grid = histogram_grid(address_of(kernel), arguments, bytes, 1);
    kernel<<<grid, arguments.block_size, bytes, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(arguments.block_size), bytes, address_of(kernel)};
}

inline LaunchShape launch_histogram_copies(void (*kernel)(SharedArguments, unsigned), const SharedArguments& arguments,
                                           unsigned wanted_copies, unsigned words_per_thread) {
    clear_bins(arguments);
    const unsigned copies = histogram_copies(arguments.bins, wanted_copies);
    const size_t bytes = size_t{copies} * arguments.bins * sizeof(unsigned);
    const unsigned grid = histogram_grid(address_of(kernel), arguments, bytes, words_per_thread);
    kernel<<<grid, arguments.block_size, bytes, arguments.stream>>>(arguments, copies);
    return {dim3(grid), dim3(arguments.block_size), bytes, address_of(kernel)};
}

inline LaunchShape launch_histogram_global_atomics(const SharedArguments& arguments) {
    return launch_histogram(histogram_global_atomics, arguments, 0);
}
inline LaunchShape launch_histogram_shared_atomics(const SharedArguments& arguments) {
    return launch_histogram(histogram_shared_atomics, arguments, arguments.bins * sizeof(unsigned));
}
inline LaunchShape launch_histogram_per_warp(const SharedArguments& arguments) {
    const auto warps = static_cast<unsigned>(divide_up(arguments.block_size, lanes_per_warp));
    return launch_histogram_copies(histogram_per_warp, arguments, warps, 1);
}
inline LaunchShape launch_histogram_per_lane(const SharedArguments& arguments) {
    return launch_histogram_copies(histogram_per_lane, arguments, lanes_per_warp, 1);
}
inline LaunchShape launch_histogram_vector(const SharedArguments& arguments) {
    return launch_histogram_copies(histogram_vector, arguments, lanes_per_warp, 16);
}

}  // namespace BACKEND
