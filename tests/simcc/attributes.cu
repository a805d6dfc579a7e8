// SPDX-License-Identifier: MIT
// What a program can learn of its kernels: static shared memory, launch bounds, and the occupancy that follows.
#include <cstdio>

template <class T>
__device__ T sum_block(T value) {
    __shared__ T sums[32];
    sums[threadIdx.x % 32] = value;
    __syncthreads();
    return sums[0];
}
__device__ int twice(int value) { return 2 * sum_block<int>(value); }

__global__ void none(int* p) { *p = 1; }
__global__ void two(float* p) {
    __shared__ float tile[16][17];
    __shared__ int flag;
    tile[threadIdx.x % 16][0] = *p;
    if (threadIdx.x == 0) flag = 1;
    __syncthreads();
    *p = tile[1][0] + flag;
}
template <class T, int size>
__global__ void __launch_bounds__(size * 2, 2) bounded(T* p) {
    __shared__ T tile[size];
    tile[threadIdx.x % size] = *p;
    __syncthreads();
    *p = tile[1];
}
struct Point {
    float x, y, z, w;
    __device__ Point() : x(1) {}
};
__global__ void classes(Point* p) {
    __shared__ Point tile[10];
    tile[threadIdx.x % 10] = *p;
    __syncthreads();
    *p = tile[1];
}
template <class T>
__global__ void calls(T* p) {
    *p = sum_block(*p);
}
__launch_bounds__(96) __global__ void calls_twice(int* p) { *p = twice(*p); }
extern "C" __device__ int c_function(int value) {
    __shared__ int three[3];
    three[threadIdx.x % 3] = value;
    __syncthreads();
    return three[0];
}
extern "C" __global__ void __launch_bounds__(96) c_name(int* p) {
    __shared__ int few[5];
    few[threadIdx.x % 5] = 1;
    __syncthreads();
    *p = c_function(few[0]);
}
namespace {
namespace inner {
__global__ void dynamic(int* p) {
    extern __shared__ int window[];
    __shared__ short few[5];
    few[threadIdx.x % 5] = static_cast<short>(window[0]);
    __syncthreads();
    *p = few[0];
}
}  // namespace inner
}  // namespace
__global__ void large(int* p) {
    __shared__ int tile[12000];
    tile[threadIdx.x] = 1;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) *p = tile[3];  // many blocks of it run at once
}

// Functions and kernels of the same names.
namespace small {
template <int size>
__device__ void fill(int* p) {
    __shared__ int room[size];
    room[threadIdx.x % size] = *p;
    *p = room[0];
}
namespace {
__device__ void fill_few(int* p) {
    __shared__ int few[3];
    few[threadIdx.x % 3] = *p;
    *p = few[0];
}
}  // namespace
template <int size>
__global__ void fills(int* p) { fill<size>(p); }
namespace {
__global__ void fills_few(int* p) { fill_few(p); }
}  // namespace
}  // namespace small
namespace big {
template <int size>
__device__ void fill(int* p) {
    __shared__ double room[size];
    room[threadIdx.x % size] = *p;
    *p = static_cast<int>(room[0]);
}
namespace {
__device__ void fill_few(int* p) {
    __shared__ double few[3];
    few[threadIdx.x % 3] = *p;
    *p = static_cast<int>(few[0]);
}
}  // namespace
template <int size>
__global__ void fills(int* p) { fill<size>(p); }
namespace {
__global__ void fills_few(int* p) { fill_few(p); }
}  // namespace
}  // namespace big

// A function of the host that starts kernels has a name that a kernel calls, too.
struct Box {
    __device__ void load(int* p) const { *p += 1; }
};
struct Starter {
    static void load(int* p) { big::fills<100><<<1, 32>>>(p); }
};
__global__ void loads(int* p) { Box().load(p); }

// The same arguments in another order.
template <int warps, class T>
__device__ T sum_of(T value) {
    __shared__ T sums[warps];
    sums[threadIdx.x % warps] = value;
    return sums[0];
}
template <class T>
__global__ void sums(T* p) { *p = sum_of<8>(*p); }

template <class Kernel>
void show(const char* name, Kernel* kernel) {
    cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    int blocks = 0;
    size_t left = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0);
    cudaOccupancyAvailableDynamicSMemPerBlock(&left, kernel, 4, 256);
    std::printf("%s %zu %d, %d blocks, %zu left, %d %zu, %s\n", name, attributes.sharedSizeBytes,
                attributes.maxThreadsPerBlock, blocks, left, attributes.numRegs > 0, attributes.constSizeBytes,
                cudaGetErrorName(error));
}

int main() {
    show("none", none);
    show("two", two);
    show("bounded", bounded<float, 32>);
    show("bounded", bounded<double, 64>);
    show("classes", classes);
    show("calls", calls<float>);
    show("calls", calls<double>);
    show("calls_twice", calls_twice);
    show("c_name", c_name);
    show("dynamic", inner::dynamic);
    show("large", large);
    show("small", small::fills<100>);
    show("big", big::fills<100>);
    show("few", small::fills_few);
    show("few", big::fills_few);
    show("loads", loads);
    show("sums", sums<float>);
    show("sums", sums<double>);
    // Five such blocks would fit without their static shared memory.
    int *p, multiprocessors = 0;
    cudaMalloc(&p, sizeof *p);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    void* arguments[] = {&p};
    for (const int blocks : {4, 5}) {
        const cudaError_t error = cudaLaunchCooperativeKernel(large, blocks * multiprocessors, 256, arguments);
        std::printf("%d: %s\n", blocks, cudaGetErrorName(error));
    }
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
