// SPDX-License-Identifier: MIT
#pragma once
// Threads that keep a word need a place for it behind those of all others: d_out gets the words below a limit.
//   offsets_global_atomic      each kept word gets its place from one counter for all: one operation per word
//   offsets_block_aggregated   the lecture's: a counter of the block in shared memory, and one global operation per block
//   offsets_warp_aggregated    a ballot counts a warp's words: one global operation per warp, and no barrier
//   offsets_block_and_warp     both: one shared operation per warp, one global one per block
//   offsets_scan               no shared atomics: the block scans its warps' counts, and keeps its words' order
//   offsets_tile               16 words per thread: one global operation and few barriers per 16 blocks' words, and
//                              words leave through shared memory, so that neighbors write neighbors
//
// Any n. d_out has room for n words; their order is that of the operations. d_totals[0], 0 at first, is their number.
#include "common/cuda/check.cuh"
#include "kernels/shared/arguments.cuh"

namespace BACKEND {

/// Any block; grid ceil(n / block).
__global__ void offsets_global_atomic(const SharedArguments arguments) {
    const size_t i = thread_in_grid();
    if (i >= arguments.n) return;
    const unsigned word = arguments.d_in[i];
    if (word < arguments.limit) arguments.d_out[atomicAdd(arguments.d_totals, 1ull)] = word;
}

/// Any block; grid ceil(n / block).
__global__ void offsets_block_aggregated(const SharedArguments arguments) {
    __shared__ unsigned blockcount;
    __shared__ unsigned long long blockoffset;
    const size_t i = thread_in_grid();
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    const bool keeps = i < arguments.n && word < arguments.limit;
    if (threadIdx.x == 0) blockcount = 0;
    __syncthreads();  // the counter is 0 before any thread adds to it
    unsigned myoffset = 0;
    if (keeps) myoffset = atomicAdd(&blockcount, 1u);
    __syncthreads();  // it is complete
    if (threadIdx.x == 0) blockoffset = atomicAdd(arguments.d_totals, static_cast<unsigned long long>(blockcount));
    __syncthreads();  // the block's first place is known
    if (keeps) arguments.d_out[blockoffset + myoffset] = word;
}

/// Block a multiple of 32; grid ceil(n / block).
__global__ void offsets_warp_aggregated(const SharedArguments arguments) {
    const size_t i = thread_in_grid();
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    const bool keeps = i < arguments.n && word < arguments.limit;
    const unsigned keepers = __ballot_sync(all_lanes, keeps);
    if (keepers == 0) return;
    unsigned long long warpoffset = 0;
    if (lane_index() == 0) warpoffset = atomicAdd(arguments.d_totals, static_cast<unsigned long long>(__popc(keepers)));
    warpoffset = __shfl_sync(all_lanes, warpoffset, 0);
    if (keeps) arguments.d_out[warpoffset + lanes_before(keepers)] = word;
}

/// Block a multiple of 32; grid ceil(n / block).
__global__ void offsets_block_and_warp(const SharedArguments arguments) {
    __shared__ unsigned blockcount;
    __shared__ unsigned long long blockoffset;
    const size_t i = thread_in_grid();
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    const bool keeps = i < arguments.n && word < arguments.limit;
    if (threadIdx.x == 0) blockcount = 0;
    __syncthreads();  // the counter is 0 before any warp adds to it
    const unsigned keepers = __ballot_sync(all_lanes, keeps);
    unsigned warpoffset = 0;
    if (lane_index() == 0) warpoffset = atomicAdd(&blockcount, static_cast<unsigned>(__popc(keepers)));
    __syncthreads();  // it is complete
    if (threadIdx.x == 0) blockoffset = atomicAdd(arguments.d_totals, static_cast<unsigned long long>(blockcount));
    __syncthreads();  // the block's first place is known
    warpoffset = __shfl_sync(all_lanes, warpoffset, 0);
    if (keeps) arguments.d_out[blockoffset + warpoffset + lanes_before(keepers)] = word;
}

constexpr unsigned most_warps_of_block = largest_block / lanes_per_warp;

/// Exclusive sums of the warps' counts in warp order, by the first warp: counts[w] becomes the sum of those before it.
/// Returns the sum of all, in every lane.
__device__ inline unsigned scan_warp_counts(unsigned* counts) {
    const unsigned lane = lane_index(), warps = blockDim.x / lanes_per_warp;
    const unsigned own = lane < warps ? counts[lane] : 0;
    unsigned sum = own;
#pragma unroll
    for (unsigned distance = 1; distance < lanes_per_warp; distance *= 2) {
        const unsigned other = __shfl_up_sync(all_lanes, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane < warps) counts[lane] = sum - own;
    return __shfl_sync(all_lanes, sum, lanes_per_warp - 1);
}

/// Block a multiple of 32; grid ceil(n / block). Words of a block keep their order.
__global__ void offsets_scan(const SharedArguments arguments) {
    __shared__ unsigned counts[most_warps_of_block];
    __shared__ unsigned long long blockoffset;
    const size_t i = thread_in_grid();
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    const bool keeps = i < arguments.n && word < arguments.limit;
    const unsigned warp = threadIdx.x / lanes_per_warp;
    const unsigned keepers = __ballot_sync(all_lanes, keeps);
    if (lane_index() == 0) counts[warp] = static_cast<unsigned>(__popc(keepers));
    __syncthreads();  // all warps have counted
    if (warp == 0) {
        const unsigned blockcount = scan_warp_counts(counts);
        if (threadIdx.x == 0) blockoffset = atomicAdd(arguments.d_totals, static_cast<unsigned long long>(blockcount));
    }
    __syncthreads();  // the places of block and warps are known
    if (keeps) arguments.d_out[blockoffset + counts[warp] + lanes_before(keepers)] = word;
}

/// Words per thread of offsets_tile, and its largest block: the largest power of two whose tile fits into 48 KiB.
constexpr unsigned offsets_items = 16;
constexpr unsigned offsets_largest_block = 512;

/// Block a multiple of 32, up to 512; grid ceil(n / (16 block)). A warp's words are consecutive and keep their order,
/// as do those of a tile.
__global__ void offsets_tile(const SharedArguments arguments) {
    extern __shared__ unsigned kept[];  // 16 words per thread
    __shared__ unsigned counts[most_warps_of_block];
    __shared__ unsigned blockcount;
    __shared__ unsigned long long blockoffset;
    const unsigned warp = threadIdx.x / lanes_per_warp;
    const size_t first =
        (static_cast<size_t>(blockIdx.x) * blockDim.x + warp * lanes_per_warp) * offsets_items + lane_index();
    unsigned words[offsets_items], keepers[offsets_items], count = 0;
#pragma unroll
    for (unsigned k = 0; k < offsets_items; ++k) {
        const size_t i = first + k * lanes_per_warp;
        words[k] = i < arguments.n ? arguments.d_in[i] : 0xffffffff;  // no limit is above it
    }
#pragma unroll
    for (unsigned k = 0; k < offsets_items; ++k) {
        keepers[k] = __ballot_sync(all_lanes, words[k] < arguments.limit);
        count += static_cast<unsigned>(__popc(keepers[k]));
    }
    if (lane_index() == 0) counts[warp] = count;
    __syncthreads();  // all warps have counted
    if (warp == 0) {
        const unsigned sum = scan_warp_counts(counts);
        if (threadIdx.x == 0) {
            blockcount = sum;
            blockoffset = atomicAdd(arguments.d_totals, static_cast<unsigned long long>(sum));
        }
    }
    __syncthreads();  // the places of block and warps are known
    unsigned place = counts[warp];
#pragma unroll
    for (unsigned k = 0; k < offsets_items; ++k) {
        if (words[k] < arguments.limit) kept[place + lanes_before(keepers[k])] = words[k];
        place += static_cast<unsigned>(__popc(keepers[k]));
    }
    __syncthreads();  // the tile's words are together
    for (unsigned i = threadIdx.x; i < blockcount; i += blockDim.x) arguments.d_out[blockoffset + i] = kept[i];
}

inline LaunchShape launch_offsets(void (*kernel)(SharedArguments), const SharedArguments& arguments,
                                  unsigned block_size) {
    CHECK(cudaMemsetAsync(arguments.d_totals, 0, sizeof *arguments.d_totals, arguments.stream));
    return launch_per_word(kernel, arguments, block_size);
}

inline LaunchShape launch_offsets_global_atomic(const SharedArguments& arguments) {
    return launch_offsets(offsets_global_atomic, arguments, arguments.block_size);
}
inline LaunchShape launch_offsets_block_aggregated(const SharedArguments& arguments) {
    return launch_offsets(offsets_block_aggregated, arguments, arguments.block_size);
}
inline LaunchShape launch_offsets_warp_aggregated(const SharedArguments& arguments) {
    return launch_offsets(offsets_warp_aggregated, arguments, whole_warps(arguments.block_size));
}
inline LaunchShape launch_offsets_block_and_warp(const SharedArguments& arguments) {
    return launch_offsets(offsets_block_and_warp, arguments, whole_warps(arguments.block_size));
}
inline LaunchShape launch_offsets_scan(const SharedArguments& arguments) {
    return launch_offsets(offsets_scan, arguments, whole_warps(arguments.block_size));
}
inline LaunchShape launch_offsets_tile(const SharedArguments& arguments) {
    const unsigned wanted = whole_warps(arguments.block_size);
    const unsigned block = wanted < offsets_largest_block ? wanted : offsets_largest_block;
    const size_t bytes = size_t{block} * offsets_items * sizeof(unsigned);
    const unsigned grid = grid_for(arguments.n, size_t{block} * offsets_items);
    CHECK(cudaMemsetAsync(arguments.d_totals, 0, sizeof *arguments.d_totals, arguments.stream));
    offsets_tile<<<grid, block, bytes, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(block), bytes, address_of(offsets_tile)};
}

}  // namespace BACKEND
