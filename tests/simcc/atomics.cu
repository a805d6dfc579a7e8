// SPDX-License-Identifier: MIT
// Atomic operations on more than one number, of 16 bytes, and by nvcc's built-in functions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

struct alignas(16) Pair {
    unsigned long long first, second;
};

struct Sums {
    float4 four;
    float2 two;
    __half2 halves;
    __nv_bfloat162 brains;
};

__global__ void add(Sums* sums) {
    atomicAdd(&sums->four, make_float4(1, 2, 3, 4));
    atomicAdd_system(&sums->two, make_float2(1, -1));
    if (threadIdx.x % 8 == 0) atomicAdd(&sums->halves, __floats2half2_rn(1, 2));
    if (threadIdx.x % 8 == 0) atomicAdd(&sums->brains, __floats2bfloat162_rn(1, -2));
}

// Both halves change together, or not at all.
__global__ void count(Pair* counter, Pair* last) {
    Pair seen = {0, 0};
    for (;;) {
        const Pair found = atomicCAS(counter, seen, Pair{seen.first + 1, seen.second + 3});
        if (found.first == seen.first && found.second == seen.second) break;
        seen = found;
    }
    atomicExch(last, Pair{seen.first, seen.first * 3});
}

__global__ void tell(int* value, int* flag, int* out) {
    if (blockIdx.x == gridDim.x - 1) {
        *value = 42;
        __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    } else {
        while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}
        out[blockIdx.x] = *value;
    }
}

__global__ void built_in(unsigned* values) {
    __nv_atomic_add(&values[0], 2u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(&values[1], threadIdx.x, __NV_ATOMIC_RELAXED);
    __nv_atomic_or(&values[2], 1u << threadIdx.x % 32, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
    unsigned expected = __nv_atomic_load_n(&values[3], __NV_ATOMIC_RELAXED), next;
    do next = expected + 5;
    while (!__nv_atomic_compare_exchange(&values[3], &expected, &next, true, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED,
                                         __NV_THREAD_SCOPE_DEVICE));
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
}

template <class T>
T* managed(size_t count) {
    T* values = nullptr;
    cudaMallocManaged(&values, count * sizeof(T));
    memset(values, 0, count * sizeof(T));
    return values;
}

int main() {
    auto* const sums = managed<Sums>(1);
    auto* const pairs = managed<Pair>(2);
    auto* const values = managed<unsigned>(4);
    auto* const flags = managed<int>(12);
    add<<<4, 64>>>(sums);
    count<<<8, 32>>>(pairs, pairs + 1);
    tell<<<9, 1>>>(flags, flags + 1, flags + 2);
    built_in<<<1, 64>>>(values);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    const float4 four = sums->four;
    const float2 two = sums->two, halves = __half22float2(sums->halves), brains = __bfloat1622float2(sums->brains);
    printf("%g %g %g %g  %g %g  %g %g  %g %g\n", four.x, four.y, four.z, four.w, two.x, two.y, halves.x, halves.y, brains.x,
           brains.y);
    printf("%llu %llu %d\n", pairs[0].first, pairs[0].second, pairs[1].second == 3 * pairs[1].first);
    printf("%u %u %x %u  %d %d\n", values[0], values[1], values[2], values[3], flags[2], flags[9]);
}
