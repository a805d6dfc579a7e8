// SPDX-License-Identifier: MIT
// What a program asks about devices and kernels, and the launches that need the answers.
#include <cstdio>

__global__ void scale(float* data, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
__global__ void large_shared(int* out) {
    extern __shared__ int words[];
    for (int i = threadIdx.x; i < 15000; i += blockDim.x) words[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = words[14999];
}
__global__ void architecture(int* out) {
#if __CUDA_ARCH__ >= 700
    out[0] = __CUDA_ARCH__;
#endif
#ifdef __CUDACC__
    out[1] = 1;
#endif
}

int main() {
    int devices = 0, device = -1;
    cudaGetDeviceCount(&devices);
    cudaGetDevice(&device);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    printf("devices %d current %d warp %d threads %d name %s\n", devices, device, properties.warpSize,
           properties.maxThreadsPerBlock, properties.name[0] ? "set" : "empty");
    int warp = 0, processors = 0, opt_in = 0;
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&opt_in, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    printf("attributes %d %s %s\n", warp, processors > 0 ? "some" : "none", opt_in > 49152 ? "opt-in" : "no opt-in");

    int min_grid = 0, block = 0, active = 0;
    cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, scale, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, scale, block, 0);
    printf("occupancy %s %s\n", block >= 32 && block <= 1024 && min_grid > 0 ? "sensible" : "odd", active > 0 ? "active" : "none");
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, scale);
    printf("kernel threads %d\n", attributes.maxThreadsPerBlock);

    const int n = 1000;
    float* data;
    cudaMallocManaged(&data, n * sizeof(float));
    for (int i = 0; i < n; i++) data[i] = i;
    scale<<<(n + block - 1) / block, block>>>(data, 2.0f, n);
    float factor = 3.0f;
    int length = n;
    void* arguments[] = {&data, &factor, &length};
    cudaLaunchKernel((void*)scale, dim3((n + block - 1) / block), dim3(block), arguments, 0, nullptr);
    factor = 0.5f;
    void* forgotten[] = {nullptr, (void*)scale, reinterpret_cast<void*>(&scale)};
    const void* const_kernel = (const void*)(scale);
    cudaLaunchKernel(forgotten[1], dim3((n + block - 1) / block), dim3(block), arguments, 0, nullptr);
    cudaLaunchKernel(const_kernel, dim3((n + block - 1) / block), dim3(block), arguments, 0, nullptr);
    cudaDeviceSynchronize();
    printf("scaled %g %s\n", data[999], forgotten[1] == forgotten[2] ? "same" : "different");

    factor = 2.0f;
    cudaGraph_t made;
    cudaGraphNode_t node;
    cudaGraphExec_t made_executable;
    cudaKernelNodeParams parameters = {};
    parameters.func = (void*)scale;
    parameters.gridDim = dim3((n + block - 1) / block);
    parameters.blockDim = dim3(block);
    parameters.kernelParams = arguments;
    cudaGraphCreate(&made, 0);
    cudaGraphAddKernelNode(&node, made, nullptr, 0, &parameters);
    cudaGraphInstantiate(&made_executable, made, nullptr, nullptr, 0);
    cudaGraphLaunch(made_executable, 0);
    cudaDeviceSynchronize();
    printf("graph node %g\n", data[999]);

    // Blocks get shared memory in pieces of 128 bytes, of which the system takes 1 KiB, and only what the kernel opted in to.
    int by_shared[3];
    const size_t shared[] = {6272, 6273, 60000};
    for (int i = 0; i < 3; i++) cudaOccupancyMaxActiveBlocksPerMultiprocessor(&by_shared[i], large_shared, 32, shared[i]);
    printf("shared memory for %d %d %d\n", by_shared[0], by_shared[1], by_shared[2]);

    int* out;
    cudaMallocManaged(&out, 8);
    large_shared<<<1, 64, 60000>>>(out);
    printf("without opt-in: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
    large_shared<<<1, 64, 60000>>>(out);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, large_shared, 64, 60000);
    cudaDeviceSynchronize();
    printf("with opt-in: %s %d, %d blocks\n", cudaGetErrorName(cudaGetLastError()), *out, active);
    architecture<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("architecture %d %d\n", out[0], out[1]);

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 3; i++) scale<<<4, 256, 0, stream>>>(data, 0.5f, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    printf("graph %g %s\n", data[999], cudaGetErrorString(cudaGetLastError()));
}
