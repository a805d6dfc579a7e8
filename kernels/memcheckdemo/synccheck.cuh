// Barriers and warp functions that not all threads reach, or that name the wrong ones: synccheck's subject. Names
// say what the code computes, never what is wrong with it: reports print them.
#pragma once

#include <cuda/barrier>

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

// Each half of a warp has a barrier of its own, though a barrier is for the whole block.
__global__ void swap_halves(const int* in, int* out) {
    __shared__ int data[32];
    const int t = threadIdx.x;
    if (t < 16) {
        data[t] = in[t + 16];
        __syncthreads();
        out[t] = data[t] + data[31 - t];
    } else {
        data[t] = in[t - 16];
        __syncthreads();
        out[t] = data[t] - data[31 - t];
    }
}
constexpr Place swap_halves_place{__FILE__, __LINE__ - 8, __LINE__ - 4};

__global__ void swap_halves_fixed(const int* in, int* out) {
    __shared__ int data[32];
    const int t = threadIdx.x;
    data[t] = in[t ^ 16];
    __syncthreads();
    out[t] = t < 16 ? data[t] + data[31 - t] : data[t] - data[31 - t];
}

inline Outcome run_swap_halves(bool fixed) {
    constexpr int n = 32;
    const std::vector<int> values = numbers(n);
    const DeviceBuffer<int> in = on_device(values), out(n);
    const auto kernel = fixed ? swap_halves_fixed : swap_halves;
    kernel<<<1, n>>>(in.data(), out.data());
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int own = values[i ^ 16], other = values[(31 - i) ^ 16];
        expected[i] = i < 16 ? own + other : own - other;
    }
    return outcome_of(out, expected);
}

// The mask names the first 16 lanes; all 32 call.
__global__ void rotate(const int* in, int* out, unsigned lanes) {
    __shared__ int data[32];
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    __syncwarp(lanes);
    out[lane] = data[(lane + 1) % 16 + lane / 16 * 16];
}
constexpr Place rotate_place{__FILE__, __LINE__ - 3};

inline Outcome run_rotate(bool fixed) {
    constexpr int n = 32;
    const DeviceBuffer<int> in = on_device(numbers(n)), out(n);
    rotate<<<1, n>>>(in.data(), out.data(), fixed ? 0xffffffff : 0x0000ffff);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = 100 + (i + 1) % 16 + i / 16 * 16;
    return outcome_of(out, expected);
}

// __syncwarp() waits for all 32 lanes. The last one waits somewhere else.
__global__ void last_of_warp(const int* in, int* out) {
    __shared__ int data[32];
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    if (lane < 31) {
        __syncwarp();
        out[lane] = data[lane + 1];
    }
    __syncthreads();
    if (lane == 31) out[lane] = data[0];
}
constexpr Place last_of_warp_place{__FILE__, __LINE__ - 6, __LINE__ - 3};

__global__ void last_of_warp_fixed(const int* in, int* out) {
    __shared__ int data[32];
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    __syncwarp();
    if (lane < 31) out[lane] = data[lane + 1];
    __syncthreads();
    if (lane == 31) out[lane] = data[0];
}

inline Outcome run_last_of_warp(bool fixed) {
    constexpr int n = 32;
    const DeviceBuffer<int> in = on_device(numbers(n)), out(n);
    const auto kernel = fixed ? last_of_warp_fixed : last_of_warp;
    kernel<<<1, n>>>(in.data(), out.data());
    std::vector<int> expected = numbers(n, 101);
    expected[n - 1] = 100;
    return outcome_of(out, expected);
}

// Lane 20 has the value, but takes no part in the shuffle.
__global__ void share_value(const int* in, int* out) {
    const int lane = threadIdx.x, own = in[lane];
    if (lane < 16) out[lane] = own + __shfl_sync(0x0000ffff, own, 20);
}
constexpr Place share_value_place{__FILE__, __LINE__ - 2};

__global__ void share_value_fixed(const int* in, int* out) {
    const int lane = threadIdx.x, own = in[lane];
    const int shared = __shfl_sync(0xffffffff, own, 20);
    if (lane < 16) out[lane] = own + shared;
}

inline Outcome run_share_value(bool fixed) {
    const DeviceBuffer<int> in = on_device(numbers(32)), out(16);
    const auto kernel = fixed ? share_value_fixed : share_value;
    kernel<<<1, 32>>>(in.data(), out.data());
    std::vector<int> expected(16);
    for (int i = 0; i < 16; ++i) expected[i] = 100 + i + 120;
    return outcome_of(out, expected);
}

// A block of 40 threads: its second warp has eight lanes, and the sum takes from 32.
__global__ void sums_of_warps(const int* in, int* sums) {
    int sum = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
}
constexpr Place sums_of_warps_place{__FILE__, __LINE__ - 3};

__global__ void sums_of_warps_fixed(const int* in, int* sums) {
    const int lane = threadIdx.x % 32, lanes = min(32, static_cast<int>(blockDim.x - threadIdx.x + lane));
    const unsigned mask = 0xffffffff >> (32 - lanes);
    int sum = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        const int other = __shfl_down_sync(mask, sum, lane + offset < lanes ? offset : 0);
        if (lane + offset < lanes) sum += other;
    }
    if (lane == 0) sums[threadIdx.x / 32] = sum;
}

inline Outcome run_sums_of_warps(bool fixed) {
    constexpr int n = 40;
    const DeviceBuffer<int> in = on_device(numbers(n)), sums(2);
    const auto kernel = fixed ? sums_of_warps_fixed : sums_of_warps;
    kernel<<<1, n>>>(in.data(), sums.data());
    return outcome_of(sums, {(100 + 131) * 16, (132 + 139) * 4});
}

// The lanes of a warp wait for each other's lock. Where they run in lockstep, the owner never gets to
// release it.
__global__ void lanes_in_turn(int* lock, volatile int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total = *total + static_cast<int>(threadIdx.x);
    __threadfence();
    atomicExch(lock, 0);
}
constexpr Place lanes_in_turn_place{__FILE__, __LINE__ - 6};

__global__ void lanes_in_turn_fixed(int* lock, volatile int* total) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *total = *total + static_cast<int>(threadIdx.x);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

inline Outcome run_lanes_in_turn(bool fixed) {
    const DeviceBuffer<int> lock = on_device({0}), total = on_device({0});
    const auto kernel = fixed ? lanes_in_turn_fixed : lanes_in_turn;
    kernel<<<1, 32>>>(lock.data(), total.data());
    return outcome_of(total, {31 * 32 / 2});
}

// nvcc warns that a barrier object in shared memory is not constructed. It need not be: init() does that.
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

// A barrier object counts arrivals from init() on, and init() is missing.
__global__ void mirror(const int* in, int* out) {
    __shared__ int data[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const int t = threadIdx.x;
    __syncthreads();
    data[t] = in[t];
    barrier.arrive_and_wait();
    out[t] = data[63 - t];
}
constexpr Place mirror_place{__FILE__, __LINE__ - 3};

__global__ void mirror_fixed(const int* in, int* out) {
    __shared__ int data[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const int t = threadIdx.x;
    if (t == 0) init(&barrier, 64);
    __syncthreads();
    data[t] = in[t];
    barrier.arrive_and_wait();
    out[t] = data[63 - t];
}

inline Outcome run_mirror(bool fixed) {
    constexpr int n = 64;
    const DeviceBuffer<int> in = on_device(numbers(n)), out(n);
    const auto kernel = fixed ? mirror_fixed : mirror;
    kernel<<<1, n>>>(in.data(), out.data());
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = 100 + n - 1 - i;
    return outcome_of(out, expected);
}

}  // namespace BACKEND
