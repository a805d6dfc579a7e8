// SPDX-License-Identifier: MIT
// Defects that every thread of a large grid has: the report's cost must not grow with the number of threads. Each is
// announced once, and costs about as much as the same kernel without it.
#include "cases.cuh"

constexpr unsigned blocks = 1500, threads = 256;

template <bool fixed>
__global__ void out_of_bounds(float* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[fixed ? i : i + gridDim.x * blockDim.x] = 1;  // @bounds Invalid __global__ write
}

template <bool fixed>
__global__ void never_written(const float* in, float* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];  // @uninitialized Uninitialized __global__ memory read
}

template <bool fixed>
__global__ void outside_array(float* out) {
    float values[8];
    for (int k = 0; k < 8; ++k) values[k] = k;
    out[blockIdx.x * blockDim.x + threadIdx.x] = values[(threadIdx.x & 7) + (fixed ? 0 : 8)];  // @local Invalid __local__ read
}

template <bool fixed>
__global__ void sum_of_block(float* out) {
    __shared__ float sums[threads];
    sums[threadIdx.x] = 1;
    if (fixed) __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // @race Error: Race reported
        if (fixed) __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

template <bool fixed>
__global__ void sum_of_half_warps(float* out) {
    float sum = 1;
    for (int offset = 8; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(fixed ? 0xffffffff : 0xffff, sum, offset);  // @mask Barrier error detected
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
    static const size_t count = size_t{blocks} * threads;
#define EVERY_THREAD(kernel, ...) \
    [](bool fixed) { fixed ? kernel<true><<<blocks, threads>>>(__VA_ARGS__) : kernel<false><<<blocks, threads>>>(__VA_ARGS__); }
    static const Case cases[] = {
        {"bounds", EVERY_THREAD(out_of_bounds, device_array<float>(count))},
        {"uninitialized", [](bool fixed) {
             float* in = device_array<float>(count);
             float* const out = device_array<float>(count);
             if (!fixed) cudaMalloc(&in, count * sizeof(float));
             never_written<false><<<blocks, threads>>>(in, out);
         }},
        {"local", EVERY_THREAD(outside_array, device_array<float>(count))},
        {"race", EVERY_THREAD(sum_of_block, device_array<float>(blocks))},
        {"mask", EVERY_THREAD(sum_of_half_warps, device_array<float>(count))},
    };
    return run_case(cases, argc, argv);
}
