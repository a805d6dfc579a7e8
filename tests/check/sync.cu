// SPDX-License-Identifier: MIT
// Barriers, votes and shuffles to which not everybody comes, and the same kernels as they should be.
#include <cuda/barrier>

#include "cases.cuh"

template <bool fixed>
__global__ void half_a_warp(int* out) {
    const unsigned t = threadIdx.x;
    out[t] = t;
    if (fixed || t % 32 < 16) __syncthreads();  // @half-a-warp Barrier error detected. Divergent thread(s) in warp
    out[t] += 1;
}

template <bool fixed>
__global__ void one_warp(int* out) {
    const unsigned t = threadIdx.x;
    if (fixed || t < 32) {
        out[t] = t;
        __syncthreads();  // @one-warp Barrier error detected. Divergent thread(s) in block
    }
    out[t] += 1;
}

template <bool fixed>
__global__ void branches(int* out) {
    const unsigned t = threadIdx.x;
    if (fixed ? t < 1000 : t % 2) {
        out[t] = 1;
        __syncthreads();
    } else {
        out[t] = 2;
        __syncthreads();  // @branches Barrier error detected. Divergent thread(s) in warp
    }
    out[t] += 1;
}

template <bool fixed>
__global__ void trip_counts(int* out) {
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < (fixed ? 4 : 2 + t % 2); ++i) {
        out[t] += i;
        __syncthreads();  // @trip-counts Barrier error detected. Divergent thread(s)
    }
}

// Threads without work leave before the first barrier, which waits for nobody who has left.
template <bool fixed>
__global__ void early_return(int* out, unsigned n) {
    __shared__ int values[64];
    const unsigned t = threadIdx.x;
    if (fixed && t >= n) return;
    values[t] = t;
    if (!fixed && t >= n) {
        out[t] = 1;
    } else {
        __syncthreads();  // @early-return Barrier error detected. Divergent thread(s) in warp
        out[t] = values[t];
    }
    out[t] += 1;
}

template <bool fixed>
__global__ void not_in_mask(int* out) {
    const unsigned t = threadIdx.x;
    if (t < 16) __syncwarp(fixed ? 0xffff : 0xfffe);  // @not-in-mask Barrier error detected. Invalid arguments
    out[t] = t;
}

template <bool fixed>
__global__ void never_comes(int* out) {
    const unsigned t = threadIdx.x;
    out[t] = t;
    if (fixed || t != 5) __syncwarp();  // @never-comes Barrier error detected. Threads wait for each other
    if (!fixed && t == 5) __syncthreads();
    out[t] += 1;
    __syncthreads();
}

template <bool fixed>
__global__ void shuffle_source(int* out) {
    const unsigned t = threadIdx.x;
    if (t < 16) {
        out[t] = __shfl_sync(0xffff, t, fixed ? 3 : 20);  // @shuffle-source Barrier error detected. Invalid arguments
    }
}

template <bool fixed>
__global__ void short_warp(int* out) {
    int sum = threadIdx.x;
    for (int distance = fixed ? 8 : 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(fixed ? 0xffffu : ~0u, sum, distance);  // @short-warp Barrier error detected. Invalid
    }
    if (threadIdx.x == 0) *out = sum;
}

template <bool fixed>
__global__ void exited_source(int* out, unsigned n) {
    const unsigned t = threadIdx.x;
    if (!fixed && t >= n) return;
    int value = t < n ? t : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(~0u, value, distance);  // @exited-source Barrier error detected. Invalid arguments
    }
    out[t] = value;
}

template <bool fixed>
__global__ void different_masks(int* out) {
    const unsigned t = threadIdx.x;
    const unsigned mask = fixed ? ~0u : t < 16 ? 0x0001ffffu : ~0u;
    __syncwarp(mask);  // @different-masks Barrier error detected. Threads wait for each other
    out[t] = t;
}

template <bool fixed>
__global__ void no_init(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (fixed && threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    barrier.arrive_and_wait();  // @no-init Barrier error detected. Missing init
    out[threadIdx.x] = 1;
}

template <bool fixed>
__global__ void few_arrivals(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x + (fixed ? 0 : 1));
    __syncthreads();
    barrier.arrive_and_wait();  // @few-arrivals Barrier error detected. Threads wait for something that never happens
    out[threadIdx.x] = 1;
}

#define ONE_BLOCK(kernel, threads, ...)                                                                 \
    [](bool fixed) {                                                                                    \
        int* out = device_array<int>(4096);                                                             \
        fixed ? kernel<true><<<1, threads>>>(__VA_ARGS__) : kernel<false><<<1, threads>>>(__VA_ARGS__); \
    }

int main(int argc, char** argv) {
    static const Case cases[] = {
        {"half-a-warp", ONE_BLOCK(half_a_warp, 64, out)},
        {"one-warp", ONE_BLOCK(one_warp, 64, out)},
        {"branches", ONE_BLOCK(branches, 64, out)},
        {"trip-counts", ONE_BLOCK(trip_counts, 64, out)},
        {"early-return", ONE_BLOCK(early_return, 64, out, 40)},
        {"not-in-mask", ONE_BLOCK(not_in_mask, 32, out)},
        {"never-comes", ONE_BLOCK(never_comes, 64, out)},
        {"shuffle-source", ONE_BLOCK(shuffle_source, 32, out)},
        {"short-warp", ONE_BLOCK(short_warp, 16, out)},
        {"exited-source", ONE_BLOCK(exited_source, 32, out, 20)},
        {"different-masks", ONE_BLOCK(different_masks, 32, out)},
        {"no-init", ONE_BLOCK(no_init, 64, out)},
        {"few-arrivals", ONE_BLOCK(few_arrivals, 64, out)},
    };
    return run_case(cases, argc, argv);
}
