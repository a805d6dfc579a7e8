// SPDX-License-Identifier: MIT
// Threads that come to the kernel's end around a barrier or a warp function for which the others wait, and kernels in
// which they leave by an early return instead.
#include <cooperative_groups.h>

#include "cases.cuh"

namespace cg = cooperative_groups;

template <bool fixed>
__global__ void around(int* out, int n) {
    const int t = threadIdx.x;
    if (fixed && t >= n) return;
    if (t < n) {
        const int value = t + 1;
        __syncthreads();  // @around-if Barrier error detected. Divergent thread(s) in warp
        out[t] = value;
    }
}

__device__ void store_in_two_steps(int* out, int t) {
    out[t] = t;
    __syncthreads();  // @around-call Barrier error detected. Divergent thread(s) in block
    out[t] += 1;
}

template <bool fixed>
__global__ void around_call(int* out) {
    if (fixed || threadIdx.x < 32) store_in_two_steps(out, threadIdx.x);
}

// A function returns early on behalf of the kernel that consists of its call.
__device__ void body(int* out, int t, int n) {
    if (t >= n) return;
    out[t] = t;
    __syncthreads();  // @around-body Barrier error detected. Divergent thread(s) in warp
    out[t] += 1;
}

template <bool fixed>
__global__ void around_body(int* out, int n) {
    if (fixed || threadIdx.x < 16) body(out, threadIdx.x, n);
}

// The return of a function that was called for something else excuses nobody.
__device__ void store_positive(int* out, int t) {
    if (t <= 0) return;
    out[t] = t;
}

template <bool fixed>
__global__ void returned_before(int* out, int n) {
    const int t = threadIdx.x;
    store_positive(out, t - 64);
    out[t] = t;
    if (t >= n) {
        if (fixed) return;
    } else {
        __syncthreads();  // @returned-before Barrier error detected. Divergent thread(s)
        out[t] += 1;
    }
}

template <bool fixed>
__global__ void full_mask(int* out, int n) {
    const int t = threadIdx.x;
    if (fixed && t >= n) return;
    if (t < n) out[t] = __shfl_sync(~0u, t, 3);  // @full-mask Barrier error detected. Divergent thread(s) in warp
}

template <bool fixed>
__global__ void part_of_tile(int* out) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (fixed || tile.thread_rank() < 5) {
        tile.sync();  // @part-of-tile Barrier error detected. Divergent thread(s) in warp
        out[threadIdx.x] = 1;
    }
}

template <bool fixed>
__global__ void halves(int* out) {
    const unsigned lane = threadIdx.x % 32, half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    const unsigned mask = fixed || lane < 16 ? half : ~0u;
    const unsigned odd = __ballot_sync(mask, lane % 2);  // @halves Barrier error detected. Divergent thread(s) in warp
    if (lane < 16) return;
    out[threadIdx.x] = odd;
}

template <bool fixed>
__global__ void part_of_grid(int* out, int n) {
    const int t = threadIdx.x;
    if (fixed && t >= n) return;
    if (t < n) {
        cg::this_grid().sync();  // @part-of-grid Barrier error detected. Divergent thread(s) in block
        out[blockIdx.x * 64 + t] = 1;
    }
}

template <bool fixed>
__global__ void one_block_of_two(int* out) {
    if (fixed || blockIdx.x == 1) {
        out[blockIdx.x * 64 + threadIdx.x] = 1;
        cg::this_grid().sync();  // @one-block-of-two Barrier error detected. Threads wait for each other
    }
}

void launch_grid(void (*kernel)(int*), int* out) {
    void* arguments[] = {&out};
    cudaLaunchCooperativeKernel(kernel, 2, 64, arguments);
}

void launch_grid(void (*kernel)(int*, int), int* out, int n) {
    void* arguments[] = {&out, &n};
    cudaLaunchCooperativeKernel(kernel, 2, 64, arguments);
}

#define ONE_BLOCK(kernel, ...) \
    [](bool fixed) { (fixed ? kernel<true> : kernel<false>)<<<1, 64>>>(device_array<int>(4096), ##__VA_ARGS__); }
#define GRID(kernel, ...) \
    [](bool fixed) { launch_grid(fixed ? kernel<true> : kernel<false>, device_array<int>(4096), ##__VA_ARGS__); }

int main(int argc, char** argv) {
    static const Case cases[] = {
        {"around-if", ONE_BLOCK(around, 40)},
        {"around-call", ONE_BLOCK(around_call)},
        {"around-body", ONE_BLOCK(around_body, 40)},
        {"returned-before", ONE_BLOCK(returned_before, 40)},
        {"full-mask", ONE_BLOCK(full_mask, 20)},
        {"part-of-tile", ONE_BLOCK(part_of_tile)},
        {"halves", ONE_BLOCK(halves)},
        {"part-of-grid", GRID(part_of_grid, 32)},
        {"one-block-of-two", GRID(one_block_of_two)},
    };
    return run_case(cases, argc, argv);
}
