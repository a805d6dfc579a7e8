// Threads of a block that use the same shared memory with nothing to order them: racecheck's subject. Each plant of
// memcheckdemo is a kernel with its corrected twin beside it. Names say what the code computes, never what is wrong
// with it: reports print them.
#pragma once

#include <cuda_pipeline.h>

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

// The tree: each round adds the upper half to the lower one, and needs the round before to be over.
__global__ void tree_sum(const int* in, int* sum) {
    __shared__ int data[256];
    const int t = threadIdx.x;
    data[t] = in[t];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride) data[t] += data[t + stride];
    }
    if (t == 0) *sum = data[0];
}
constexpr Place tree_sum_place{__FILE__, __LINE__ - 4, __LINE__ - 4};

__global__ void tree_sum_fixed(const int* in, int* sum) {
    __shared__ int data[256];
    const int t = threadIdx.x;
    data[t] = in[t];
    for (int stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) data[t] += data[t + stride];
    }
    if (t == 0) *sum = data[0];
}

inline std::vector<int> sum_of(const std::vector<int>& values) {
    int sum = 0;
    for (int value : values) sum += value;
    return {sum};
}

inline Outcome run_tree_sum(bool fixed) {
    const std::vector<int> values = numbers(256);
    const DeviceBuffer<int> in = on_device(values), sum(1);
    const auto kernel = fixed ? tree_sum_fixed : tree_sum;
    kernel<<<1, 256>>>(in.data(), sum.data());
    return outcome_of(sum, sum_of(values));
}

// Matrices of 32 x 32 in tiles of 16 x 16: a warp that is ahead fills the tile for the next step while another still
// reads.
constexpr int tile_size = 16, matrix_size = 32;

template <bool barrier_after_use>
__device__ int tile_product(const int* a, const int* b, int row, int column) {
    __shared__ int tile_a[tile_size][tile_size], tile_b[tile_size][tile_size];
    const int x = threadIdx.x, y = threadIdx.y;
    int sum = 0;
    for (int k = 0; k < matrix_size; k += tile_size) {
        tile_a[y][x] = a[row * matrix_size + k + x], tile_b[y][x] = b[(k + y) * matrix_size + column];
        __syncthreads();
        for (int i = 0; i < tile_size; ++i) sum += tile_a[y][i] * tile_b[i][x];
        if (barrier_after_use) __syncthreads();
    }
    return sum;
}
constexpr Place tile_product_place{__FILE__, __LINE__ - 7, __LINE__ - 5};

__global__ void product(const int* a, const int* b, int* c) {
    const int row = blockIdx.y * tile_size + threadIdx.y, column = blockIdx.x * tile_size + threadIdx.x;
    c[row * matrix_size + column] = tile_product<false>(a, b, row, column);
}

__global__ void product_fixed(const int* a, const int* b, int* c) {
    const int row = blockIdx.y * tile_size + threadIdx.y, column = blockIdx.x * tile_size + threadIdx.x;
    c[row * matrix_size + column] = tile_product<true>(a, b, row, column);
}

inline Outcome run_product(bool fixed) {
    constexpr int n = matrix_size;
    const std::vector<int> a = numbers(n * n, 1), b = numbers(n * n, -7);
    std::vector<int> expected(n * n);
    for (int i = 0; i < n * n; ++i)
        for (int k = 0; k < n; ++k) expected[i] += a[i / n * n + k] * b[k * n + i % n];
    const DeviceBuffer<int> d_a = on_device(a), d_b = on_device(b), d_c(n * n);
    const auto kernel = fixed ? product_fixed : product;
    kernel<<<dim3(2, 2), dim3(tile_size, tile_size)>>>(d_a.data(), d_b.data(), d_c.data());
    return outcome_of(d_c, expected);
}

// An addition reads and writes: what another thread writes in between is lost.
__global__ void count_even(const int* in, int* count) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    if (in[threadIdx.x] % 2 == 0) counter += 1;
    __syncthreads();
    if (threadIdx.x == 0) *count = counter;
}
constexpr Place count_even_place{__FILE__, __LINE__ - 4, __LINE__ - 4};

__global__ void count_even_fixed(const int* in, int* count) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    if (in[threadIdx.x] % 2 == 0) atomicAdd(&counter, 1);
    __syncthreads();
    if (threadIdx.x == 0) *count = counter;
}

inline Outcome run_count_even(bool fixed) {
    const DeviceBuffer<int> in = on_device(numbers(256)), count(1);
    const auto kernel = fixed ? count_even_fixed : count_even;
    kernel<<<1, 256>>>(in.data(), count.data());
    return outcome_of(count, {128});
}

// Before Volta the lanes of a warp ran in lockstep, and volatile was enough. Since then they need not.
__global__ void warp_sum(const int* in, int* sum) {
    __shared__ volatile int data[32];
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) data[lane] = data[lane] + data[lane + offset];
    }
    if (lane == 0) *sum = data[0];
}
constexpr Place warp_sum_place{__FILE__, __LINE__ - 4, __LINE__ - 4};

__global__ void warp_sum_fixed(const int* in, int* sum) {
    __shared__ int data[32];
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    for (int offset = 16; offset > 0; offset /= 2) {
        __syncwarp();
        if (lane < offset) data[lane] = data[lane] + data[lane + offset];
    }
    if (lane == 0) *sum = data[0];
}

inline Outcome run_warp_sum(bool fixed) {
    const std::vector<int> values = numbers(32);
    const DeviceBuffer<int> in = on_device(values), sum(1);
    const auto kernel = fixed ? warp_sum_fixed : warp_sum;
    kernel<<<1, 32>>>(in.data(), sum.data());
    return outcome_of(sum, sum_of(values));
}

// A flag says that the data is there, but nothing orders the data before the flag.
__global__ void broadcast(const int* in, int* out) {
    __shared__ int data;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = *in;
        ready = 1;
    }
    while (ready == 0) {}
    out[threadIdx.x] = data;
}
constexpr Place broadcast_place{__FILE__, __LINE__ - 6, __LINE__ - 2};

__global__ void broadcast_fixed(const int* in, int* out) {
    __shared__ int data;
    if (threadIdx.x == 0) data = *in;
    __syncthreads();
    out[threadIdx.x] = data;
}

inline Outcome run_broadcast(bool fixed) {
    constexpr int n = 64;
    const DeviceBuffer<int> in = on_device({7}), out(n);
    const auto kernel = fixed ? broadcast_fixed : broadcast;
    kernel<<<1, n>>>(in.data(), out.data());
    return outcome_of(out, std::vector<int>(n, 7));
}

// The copy into shared memory runs beside the kernel until it is waited for.
__global__ void prefetch(const int* in, int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    tile[t] = -1;
    __pipeline_memcpy_async(&tile[t], in + t, sizeof(int));
    __pipeline_commit();
    out[t] = tile[t];
    __pipeline_wait_prior(0);
}
constexpr Place prefetch_place{__FILE__, __LINE__ - 3, __LINE__ - 5};

__global__ void prefetch_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], in + t, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = tile[t];
}

inline Outcome run_prefetch(bool fixed) {
    constexpr int n = 64;
    const DeviceBuffer<int> in = on_device(numbers(n)), out(n);
    const auto kernel = fixed ? prefetch_fixed : prefetch;
    kernel<<<1, n>>>(in.data(), out.data());
    return outcome_of(out, numbers(n));
}

}  // namespace BACKEND
