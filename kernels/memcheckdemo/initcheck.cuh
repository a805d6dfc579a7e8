// Memory that is read before it is written, or never used at all: initcheck's subject. Names say what the code
// computes, never what is wrong with it: reports print them.
#pragma once

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

__global__ void accumulate(const int* in, int* sums) { sums[threadIdx.x] += in[threadIdx.x]; }
constexpr Place accumulate_place{__FILE__, __LINE__ - 1};

// cudaMemset counts bytes: only a quarter of the sums start at zero.
inline Outcome run_accumulate(bool fixed) {
    constexpr int n = 256;
    const DeviceBuffer<int> in = on_device(numbers(n)), sums(n);
    CHECK(cudaMemset(sums.data(), 0, fixed ? n * sizeof(int) : n));
    accumulate<<<1, n>>>(in.data(), sums.data());
    return outcome_of(sums, numbers(n));
}

__global__ void fill_half(int* out) { out[2 * threadIdx.x] = 100 + 2 * threadIdx.x; }
__global__ void fill_half_fixed(int* out) {
    out[2 * threadIdx.x] = 100 + 2 * threadIdx.x;
    out[2 * threadIdx.x + 1] = 100 + 2 * threadIdx.x + 1;
}

// Every second element is copied back without ever having been written.
inline Outcome run_fill_half(bool fixed) {
    constexpr int n = 256;
    const DeviceBuffer<int> out(n);
    const auto kernel = fixed ? fill_half_fixed : fill_half;
    kernel<<<1, n / 2>>>(out.data());
    if (const cudaError_t error = finished(); error != cudaSuccess) return outcome_of(error);
    std::vector<int> values(n);
    CHECK(cudaMemcpy(values.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost));
    return compare(values, numbers(n));
}
constexpr Place fill_half_place{__FILE__, __LINE__ - 3};

// Neighbours exchange their elements. The thread without an element leaves its slot as it was, and its neighbour
// reads it.
__global__ void exchange_pairs(const int* in, int* out, int n) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    if (t < n) tile[t] = in[t];
    __syncthreads();
    if (t < n) out[t] = tile[t ^ 1];
}
constexpr Place exchange_pairs_place{__FILE__, __LINE__ - 2};

__global__ void exchange_pairs_fixed(const int* in, int* out, int n) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    tile[t] = t < n ? in[t] : -1;
    __syncthreads();
    if (t < n) out[t] = tile[t ^ 1];
}

inline Outcome run_exchange_pairs(bool fixed) {
    constexpr int n = 63;
    const DeviceBuffer<int> in = on_device(numbers(n)), out(n);
    const auto kernel = fixed ? exchange_pairs_fixed : exchange_pairs;
    kernel<<<1, 64>>>(in.data(), out.data(), n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = i == n - 1 ? -1 : 100 + (i ^ 1);
    return outcome_of(out, expected);
}

__global__ void ascend(int* out, int n) {
    if (static_cast<int>(threadIdx.x) < n) out[threadIdx.x] = 100 + threadIdx.x;
}

// Twice the memory that is used.
inline Outcome run_ascend(bool fixed) {
    constexpr int n = 128;
    const DeviceBuffer<int> out(fixed ? n : 2 * n);
    ascend<<<1, 256>>>(out.data(), n);
    return outcome_of(out, numbers(n));
}
constexpr Place ascend_place{__FILE__, __LINE__ - 4};

}  // namespace BACKEND
