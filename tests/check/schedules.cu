// SPDX-License-Identifier: MIT
// Kernels whose defects depend on the order in which lanes, warps and blocks take turns.
#include <cstdio>

#include "cases.cuh"

// A lock that lanes of one warp take: on a GPU whose lanes advance together the loop never ends.
template <bool fixed>
__global__ void spinlock(int* lock, int* value) {
    if (fixed) {
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                *value += 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
    } else {
        while (atomicCAS(lock, 0, 1) != 0) {}  // @lane-spinlock Barrier error detected. Threads wait
        __threadfence();
        *value += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// A lane waits for another one: of its warp, or of the next one. It waits in the side that comes first.
template <bool fixed>
__global__ void handshake(volatile int* flag, int* value) {
    if ((fixed ? threadIdx.x / 32 : threadIdx.x) % 2 == 0) {
        while (*flag == 0) {}  // @lane-handshake Barrier error detected. Threads wait for others of their warp
        __threadfence();
        atomicAdd(value, 1);
    } else {
        __threadfence();  // @lane-handshake
        *flag = 1;
    }
}

// The lock is taken by a function that is neither inlined nor ahead of the kernel.
__device__ void take(int* lock);

template <bool fixed>
__global__ void locked(int* locks, int* value) {
    take(locks + (fixed ? threadIdx.x : 0));
    __threadfence();
    atomicAdd(value, 1);
    __threadfence();
    atomicExch(locks + (fixed ? threadIdx.x : 0), 0);
}

__device__ __noinline__ void take(int* lock) {
    while (atomicCAS(lock, 0, 1) != 0) {}  // @lane-function Barrier error detected. Threads wait for others of their warp
}

// Lane 1 reads before or after lane 0 resets; block 0 clears what other blocks may have counted.
template <bool fixed>
__global__ void reset(int* count) {
    if (!fixed && blockIdx.x == 0 && threadIdx.x == 0) *count = 0;  // @reset Error: Race reported
    atomicAdd(count, 1);
}

__global__ void sum(const int* in, int* out, int n) {
    __shared__ int sums[8];
    int value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 8) {
        value = sums[threadIdx.x];
        for (int distance = 4; distance > 0; distance /= 2) value += __shfl_down_sync(0xff, value, distance);
        if (threadIdx.x == 0) atomicAdd(out, value);
    }
}

template <class Launch>
void run(Launch launch) {
    launch(device_array<int>(1), device_array<int>(1));
}

int main(int argc, char** argv) {
    static const Case cases[] = {
        {"lane-spinlock", [](bool fixed) {
             run([&](int* lock, int* value) {
                 fixed ? spinlock<true><<<2, 40>>>(lock, value) : spinlock<false><<<2, 40>>>(lock, value);
             });
         }},
        {"lane-handshake", [](bool fixed) {
             run([&](int* flag, int* value) {
                 fixed ? handshake<true><<<1, 64>>>(flag, value) : handshake<false><<<1, 64>>>(flag, value);
             });
         }},
        {"lane-function", [](bool fixed) {
             int* locks = device_array<int>(32);
             int* value = device_array<int>(1);
             fixed ? locked<true><<<1, 32>>>(locks, value) : locked<false><<<1, 32>>>(locks, value);
         }},
        {"reset", [](bool fixed) {
             run([&](int* count, int*) { fixed ? reset<true><<<4, 64>>>(count) : reset<false><<<4, 64>>>(count); });
         }},
        {"sum", [](bool) {
             constexpr int n = 10000;
             static int ones[n];
             for (int& one : ones) one = 1;
             int* in = device_array<int>(n);
             int* out = device_array<int>(1);
             cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice);
             sum<<<5, 256>>>(in, out, n);
             int result = 0;
             cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
             std::printf("%d\n", result);
         }},
    };
    return run_case(cases, argc, argv);
}
