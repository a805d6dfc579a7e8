// SPDX-License-Identifier: MIT
// Kernels and device functions with C linkage are device code like any other: each runs once for a launch, whichever
// way it is launched, and by the device's arithmetic.
#include <cooperative_groups.h>

#include <cstdio>

extern "C" __device__ int shift_declared(int x, int by);
extern "C" __host__ __device__ int shift_both(int x, int by) { return x << by; }
extern "C" __device__ __forceinline__ int nearest(float x) { return int(x); }
extern "C" __device__ void wait_for(volatile int* flag) {
    while (*flag == 0);
}
extern "C" {
__device__ int start = 3;
static __device__ int shift_static(int x, int by) { return x >> by; }
}
__device__ int shift_declared(int x, int by) { return x << by; }

__device__ void work(int* out, float f, int by) {
    atomicAdd(&out[0], 1);
    out[1] = shift_declared(start, by) + shift_both(1, by) + shift_static(-8, by);
    out[2] = nearest(f);
}

extern "C" __global__ void declared(int* out, float f, int by);
extern "C" __global__ void plain(int* out, float f, int by) {
    work(out, f, by);
    out[3] = (5 << by) + int(-f);
}
extern "C" void __global__ __launch_bounds__(128) bounded(int* out, float f, int by) {
    work(out, f, by);
    out[3] = (5 << by) + int(-f);
}
__global__ void declared(int* out, float f, int by) {
    work(out, f, by);
    out[3] = (5 << by) + int(-f);
}
extern "C" {
static __global__ void in_block(int* out, float f, int by) {
    work(out, f, by);
    out[3] = (5 << by) + int(-f);
}
namespace nested {
__global__ void in_namespace(int* out, float f, int by) {
    work(out, f, by);
    out[3] = (5 << by) + int(-f);
}
}  // namespace nested
}
template <class T>
__global__ void beside(T* out, float f, int by) {
    work(out, f, by);
    out[3] = (T(5) << by) + T(-f);
}
extern "C" __global__ void meets(int* flag, int* out) {
    __shared__ int count;
    extern __shared__ int rest[];
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x == 0) wait_for(flag);
    if (threadIdx.x == 1) atomicExch(flag, 1);
    rest[threadIdx.x] = atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = count + (rest[0] + rest[1]) * 10;
}
extern "C" __global__ void whole_grid(int* out) {
    atomicAdd(&out[0], 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) atomicAdd(&out[1], out[0]);
}
extern "C" cudaError_t start_any(const void* kernel, void** arguments, int threads) {
    return cudaLaunchKernel(kernel, dim3(1), dim3(threads), arguments, 64, 0);
}

__managed__ int out[4];

static void show(const char* name, const char* way) {
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%-12s %-11s %d: %d %d %d %d\n", name, way, int(error), out[0], out[1], out[2], out[3]);
    out[0] = out[1] = out[2] = out[3] = 0;
}

template <class Kernel>
static void all_ways(const char* name, Kernel kernel) {
    int *to = out, by = 40;
    float f = 1e20f;
    void* arguments[] = {&to, &f, &by};
    kernel<<<1, 1>>>(to, f, by);
    show(name, "<<<>>>");
    start_any((void*)kernel, arguments, 1);
    show(name, "by address");
    cudaLaunchCooperativeKernel((void*)kernel, dim3(1), dim3(1), arguments, 0, 0);
    show(name, "cooperative");
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = configuration.blockDim = 1;
    cudaLaunchKernelEx(&configuration, kernel, to, f, by);
    show(name, "Ex");
    cudaLaunchKernelExC(&configuration, (void*)kernel, arguments);
    show(name, "ExC");
}

int main() {
    all_ways("plain", plain);
    all_ways("bounded", bounded);
    all_ways("declared", declared);
    all_ways("in_block", in_block);
    all_ways("in_namespace", nested::in_namespace);
    all_ways("beside", beside<int>);
    plain<<<1, 1>>>(out, 2.5f, 1);
    show("plain", "by name");
    int *flag, *to = out;
    cudaMallocManaged(&flag, sizeof(int));
    *flag = 0;
    void* arguments[] = {&flag, &to};
    start_any((void*)meets, arguments, 2);
    show("meets", "by address");
    void* grid[] = {&to};
    cudaLaunchCooperativeKernel((void*)whole_grid, dim3(2), dim3(32), grid, 0, 0);
    show("whole_grid", "cooperative");
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, bounded);
    printf("at most %d threads\n", attributes.maxThreadsPerBlock);
    return 0;
}
