// SPDX-License-Identifier: MIT
// A module for modules.cpp.
struct Pair {
    double a;
    char b;
};

__constant__ float factors[4];
static __device__ int calls = 3;
__managed__ int managed;

extern "C" __global__ void scale(float* x, int n, Pair pair) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factors[i % 4] + float(pair.a) + pair.b;
    if (i == 0) ++calls;
}
extern "C" __global__ void __launch_bounds__(64) reverse(int* x) {
    __shared__ int fixed[4096];  // more than static thread-local storage has room for
    extern __shared__ int open[];
    fixed[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    open[threadIdx.x] = fixed[31 - threadIdx.x] << (threadIdx.x == 0 ? 40 : 0);
    __syncthreads();
    x[threadIdx.x] = open[threadIdx.x];
}
template <class T>
__global__ void store(T* to, T value) {
    *to = value;
}
template __global__ void store<int>(int*, int);
