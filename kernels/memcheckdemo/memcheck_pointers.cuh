// Pointers that are misaligned, null, freed, or for the other side: memcheck's second subject. Names say what the code
// computes, never what is wrong with it: reports print them.
#pragma once

#include "common/cuda/device.cuh"
#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

// A float4 must lie at a multiple of 16 bytes; in + 1 does not.
__global__ void sum_quads(const float* in, float* out) {
    const int i = threadIdx.x;
    const float4 quad = reinterpret_cast<const float4*>(in + 1)[i];
    out[i] = quad.x + quad.y + quad.z + quad.w;
}
constexpr Place sum_quads_place{__FILE__, __LINE__ - 3};

__global__ void sum_quads_fixed(const float* in, float* out) {
    const int i = threadIdx.x;
    const float* quad = in + 1 + 4 * i;
    out[i] = quad[0] + quad[1] + quad[2] + quad[3];
}

inline Outcome run_sum_quads(bool fixed) {
    constexpr int n = 32;
    std::vector<float> values(4 * n + 1), sums(n);
    for (int i = 0; i < 4 * n + 1; ++i) values[i] = static_cast<float>(i);
    const DeviceBuffer<float> in(values.size()), out(n);
    CHECK(cudaMemcpy(in.data(), values.data(), in.bytes(), cudaMemcpyHostToDevice));
    const auto kernel = fixed ? sum_quads_fixed : sum_quads;
    kernel<<<1, n>>>(in.data(), out.data());
    if (const cudaError_t error = finished(); error != cudaSuccess) return outcome_of(error);
    CHECK(cudaMemcpy(sums.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        if (sums[i] != 16.0f * i + 10) return wrong(text("sum {} is {}", i, sums[i]));
    return right("all sums are right");
}

__global__ void squares(int* out) { out[threadIdx.x] = threadIdx.x * threadIdx.x; }
constexpr Place squares_place{__FILE__, __LINE__ - 1};

// The call asks for more memory than there is, and nobody checks the answer.
inline Outcome run_squares(bool fixed) {
    constexpr std::size_t n = 256;
    int* out = nullptr;
    const cudaError_t error = cudaMalloc(&out, fixed ? n * sizeof(int) : std::size_t{1} << 60);
    if (fixed) CHECK(error);
    squares<<<1, n>>>(out);
    const Outcome outcome = outcome_of(finished());
    if (fixed) CHECK(cudaFree(out));
    return outcome;
}

// The kernel runs after its input has been freed.
__global__ void twice(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
constexpr Place twice_place{__FILE__, __LINE__ - 1};

inline Outcome run_twice(bool fixed) {
    constexpr int n = 256;
    std::vector<int> expected = numbers(n);
    DeviceBuffer<int> in = on_device(expected);
    const DeviceBuffer<int> out(n);
    for (int& value : expected) value *= 2;
    const int* data = in.data();
    if (!fixed) in = DeviceBuffer<int>();  // frees
    twice<<<1, n>>>(data, out.data());
    return outcome_of(out, expected);
}

// Two owners free the same memory.
inline Outcome run_two_owners(bool fixed) {
    int* first = nullptr;
    CHECK(cudaMalloc(&first, 1024));
    int* second = first;
    CHECK(cudaFree(first));
    if (fixed) second = nullptr;
    return outcome_of(cudaFree(second));
}
constexpr Place two_owners_place{__FILE__, __LINE__ - 2};

// The array is the host's. Where the GPU can use the host's page tables (HMM, ATS) that is legal, and the result right.
__global__ void increment(int* data) { data[threadIdx.x] += 1; }
constexpr Place increment_place{__FILE__, __LINE__ - 1};

inline Outcome run_increment(bool fixed) {
    constexpr int n = 256;
    std::vector<int> values = numbers(n);
    const DeviceBuffer<int> copy = on_device(values);
    increment<<<1, n>>>(fixed ? copy.data() : values.data());
    if (const cudaError_t error = finished(); error != cudaSuccess) return outcome_of(error);
    if (fixed) CHECK(cudaMemcpy(values.data(), copy.data(), copy.bytes(), cudaMemcpyDeviceToHost));
    Outcome outcome = compare(values, numbers(n, 101));
    int device = 0;
    CHECK(cudaGetDevice(&device));
    const bool legal = attribute(cudaDevAttrPageableMemoryAccess, device);
    if (!fixed && legal) outcome.detail += "; this GPU reaches host memory";
    return outcome;
}

// The host reads through the device's pointer.
inline Outcome run_last_value(bool fixed) {
    constexpr int n = 256;
    const DeviceBuffer<int> data = on_device(numbers(n));
    int last = 0;
    if (fixed) CHECK(cudaMemcpy(&last, data.data() + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    else last = *static_cast<volatile int*>(data.data() + n - 1);
    return compare({last}, {100 + n - 1});
}
constexpr Place last_value_place{__FILE__, __LINE__ - 3};

}  // namespace BACKEND
