// SPDX-License-Identifier: MIT
// Launches of kernels with __launch_bounds__, with as many threads per block as they allow and with one more. Each line is
// the error of both, and how often the kernel ran. With -DELSEWHERE this is the kernel of another file.
#include <cstdio>

const int most = 64;

#ifdef ELSEWHERE
__global__ void __launch_bounds__(most) elsewhere(int* runs) { if (threadIdx.x == 0) ++*runs; }
#else
__global__ void elsewhere(int* runs);

__device__ int runs;
__device__ void count() {
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) ++runs;
}

__global__ void __launch_bounds__(most) plain(int) { count(); }
__launch_bounds__(most, 2) __global__ void ahead(int) { count(); }
template <class T, int size>
__global__ void __launch_bounds__(2 * size) sized(T) { count(); }
template <class T>
__global__ void __launch_bounds__(sizeof(T) * 16) deduced(T) { count(); }
template <>
__global__ void __launch_bounds__(most) deduced<short>(short) { count(); }
namespace inner {
__global__ void __launch_bounds__(most) plain(long) { count(); }
}  // namespace inner
namespace wide {
__global__ void plain(long) { count(); }
}  // namespace wide
__global__ void prototype(int);
__global__ void waits(int*);

int count_runs() {
    int count = 0;
    const int none = 0;
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&count, runs, sizeof count);
    cudaMemcpyToSymbol(runs, &none, sizeof none);
    return count;
}

template <class Launch>
void show(const char* how, Launch launch) {
    launch(most);
    const cudaError_t within = cudaGetLastError();
    launch(most + 1);
    const cudaError_t beyond = cudaGetLastError();
    std::printf("%s: %s, %s, %d\n", how, cudaGetErrorName(within), cudaGetErrorName(beyond), count_runs());
}

template <void (*kernel)(int)>
void launch_argument(int block) { kernel<<<1, block>>>(1); }
template <class Kernel>
void launch_parameter(Kernel kernel, int block) { kernel<<<1, block>>>(1); }

__global__ void parent(int block, cudaError_t* error) {
    plain<<<1, block>>>(1);
    *error = cudaGetLastError();
}

__global__ void prototype(int x) {
    if (threadIdx.x == 0) runs += x;
}
__global__ void __launch_bounds__(most) waits(int* p) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) *p = sum, ++runs;
}

int main() {
    int* counter;
    cudaGetSymbolAddress(reinterpret_cast<void**>(&counter), runs);
    show("plain", [](int block) { plain<<<1, block>>>(1); });
    show("three dimensions", [](int block) { plain<<<1, dim3(1, block == most ? 8 : 13, block == most ? 8 : 5)>>>(1); });
    show("ahead", [](int block) { ahead<<<1, block>>>(1); });
    show("template", [](int block) { sized<double, 32><<<1, block>>>(1); });
    show("deduced", [](int block) { deduced<<<1, block>>>(1.0f); });
    show("specialization", [](int block) { deduced<<<1, block>>>(short(1)); });
    show("wider instance", [](int block) { deduced<<<1, block>>>(1.0); });
    show("namespace", [](int block) { inner::plain<<<1, block>>>(1); });
    show("other namespace", [](int block) { wide::plain<<<1, block>>>(1); });
    show("no bounds", [](int block) { prototype<<<1, block>>>(1); });
    show("other file", [&](int block) { elsewhere<<<1, block>>>(counter); });
    show("template argument", launch_argument<plain>);
    show("parameter", [](int block) { launch_parameter(ahead, block); });
    show("computed", [](int block) {
        void (*const kernels[])(int) = {plain, prototype};
        for (const auto kernel : kernels) kernel<<<1, block>>>(1);
    });
    int* p;
    cudaMallocManaged(&p, sizeof *p);
    show("barriers", [&](int block) { waits<<<1, block>>>(p); });
    std::printf("%d threads\n", *p);
    int one = 1;
    void* arguments[] = {&one};
    show("cudaLaunchKernel", [&](int block) { cudaLaunchKernel(plain, 1, block, arguments); });
    show("cudaLaunchKernel of a pointer", [&](int block) { cudaLaunchKernel((void*)plain, 1, block, arguments); });
    show("cudaLaunchCooperativeKernel", [&](int block) { cudaLaunchCooperativeKernel(plain, 1, block, arguments); });
    show("cudaLaunchKernelEx", [&](int block) {
        cudaLaunchConfig_t configuration = {};
        configuration.gridDim = 1;
        configuration.blockDim = block;
        cudaLaunchKernelEx(&configuration, plain, 1);
    });
    cudaError_t* error;
    cudaMallocManaged(&error, sizeof *error);
    for (const int block : {most, most + 1}) {
        parent<<<1, 1>>>(block, error);
        const int count = count_runs();
        std::printf("in a kernel: %s, %d\n", cudaGetErrorName(*error), count);
    }
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
#endif
