// Calls of the runtime that return an error nobody checks, and errors that turn up elsewhere than where they were
// made: memcheck reports both. Names say what the code computes, never what is wrong with it: reports print them.
#pragma once

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

// After calls whose errors were ignored: what became of the result, and the last error.
inline Outcome outcome_of_ignored(const DeviceBuffer<int>& result, const std::vector<int>& expected) {
    const cudaError_t ignored = cudaGetLastError();
    Outcome outcome = outcome_of(result, expected);
    if (ignored != cudaSuccess) outcome.detail += text("; ignored: {}", cudaGetErrorName(ignored));
    return outcome;
}

// The way back, with the direction of the way there.
inline Outcome run_fetch(bool fixed) {
    constexpr int n = 256;
    const DeviceBuffer<int> from = on_device(numbers(n));
    std::vector<int> to(n, -1);
    const cudaMemcpyKind kind = fixed ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    static_cast<void>(cudaMemcpy(to.data(), from.data(), from.bytes(), kind));
    const cudaError_t ignored = cudaGetLastError();
    Outcome outcome = compare(to, numbers(n));
    if (ignored != cudaSuccess) outcome.detail += text("; ignored: {}", cudaGetErrorName(ignored));
    return outcome;
}
constexpr Place fetch_place{__FILE__, __LINE__ - 6};

// The count is in bytes, and the element size is applied twice.
inline Outcome run_transfer(bool fixed) {
    constexpr int n = 1 << 20;
    const std::vector<int> from = numbers(n * sizeof(int));
    const DeviceBuffer<int> to = on_device(std::vector<int>(n, -1));
    const std::size_t bytes = fixed ? n * sizeof(int) : n * sizeof(int) * sizeof(int);
    static_cast<void>(cudaMemcpy(to.data(), from.data(), bytes, cudaMemcpyHostToDevice));
    return outcome_of_ignored(to, numbers(n));
}
constexpr Place transfer_place{__FILE__, __LINE__ - 3};

__device__ int coefficients[32];

__global__ void apply(int* out) { out[threadIdx.x] = coefficients[threadIdx.x]; }

// On the host a device variable's name is a shadow: its address is not a device address.
inline Outcome run_apply(bool fixed) {
    const std::vector<int> values = numbers(32);
    const DeviceBuffer<int> out(32);
    CHECK(cudaMemcpyToSymbol(coefficients, std::vector<int>(32, -1).data(), sizeof coefficients));
    if (fixed) CHECK(cudaMemcpyToSymbol(coefficients, values.data(), sizeof coefficients));
    else static_cast<void>(cudaMemcpy(&coefficients, values.data(), sizeof coefficients, cudaMemcpyHostToDevice));
    apply<<<1, 32>>>(out.data());
    return outcome_of_ignored(out, values);
}
constexpr Place apply_place{__FILE__, __LINE__ - 4};

__global__ void number_blocks(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}

// A block has 1024 threads at most. The launch fails, and the result is unchanged.
inline Outcome run_number_blocks(bool fixed) {
    constexpr int n = 2048;
    const DeviceBuffer<int> out = on_device(std::vector<int>(n, -1));
    const int block = fixed ? 1024 : 2048;
    number_blocks<<<n / block, block>>>(out.data(), n);
    return outcome_of_ignored(out, numbers(n, 0));
}
constexpr Place number_blocks_place{__FILE__, __LINE__ - 3};

__global__ void reverse(const int* in, int* out, int n) {
    extern __shared__ int tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tile[n - 1 - i];
}

// More than 48 KiB of shared memory must be requested.
inline Outcome run_reverse(bool fixed) {
    constexpr int n = 13 * 1024, bytes = n * sizeof(int);
    const std::vector<int> values = numbers(n);
    const DeviceBuffer<int> in = on_device(values), out = on_device(std::vector<int>(n, -1));
    if (fixed) CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    reverse<<<1, 256, bytes>>>(in.data(), out.data(), n);
    return outcome_of_ignored(out, {values.rbegin(), values.rend()});
}
constexpr Place reverse_place{__FILE__, __LINE__ - 3};

// The kernel's fault ends the context: every later call fails, however right it is.
__global__ void store_result(int* const* target) { **target = 42; }
constexpr Place store_result_place{__FILE__, __LINE__ - 1};

inline Outcome run_store_result(bool fixed) {
    const DeviceBuffer<int> out = on_device({0}), other(1);
    const DeviceBuffer<int*> target(1);
    int* address = fixed ? out.data() : nullptr;
    CHECK(cudaMemcpy(target.data(), &address, sizeof address, cudaMemcpyHostToDevice));
    store_result<<<1, 1>>>(target.data());
    static_cast<void>(cudaDeviceSynchronize());
    const cudaError_t error = cudaMemset(other.data(), 0, sizeof(int));
    if (error != cudaSuccess) return outcome_of(error);
    return outcome_of(out, {42});
}

// The first kernel faults, the check behind the second one reports it.
__global__ void scatter(int* out, const int* places) { out[places[threadIdx.x]] = threadIdx.x; }
constexpr Place scatter_place{__FILE__, __LINE__ - 1};

__global__ void gather(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

inline Outcome run_scatter(bool fixed) {
    constexpr int n = 64;
    std::vector<int> places = numbers(n, 0);
    if (!fixed) places[17] = 1 << 30;
    const DeviceBuffer<int> to = on_device(places), middle = on_device(std::vector<int>(n, -1)), out(n);
    scatter<<<1, n>>>(middle.data(), to.data());
    gather<<<1, n>>>(middle.data(), out.data());
    return outcome_of(out, numbers(n, 0));
}

}  // namespace BACKEND
