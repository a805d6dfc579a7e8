// SPDX-License-Identifier: MIT
// What goes wrong, and what the program is told. The argument names the mistake.
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void fill(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}
__global__ void check_positive(const int* in) { assert(in[threadIdx.x] > 0 && "must be positive"); }
__global__ void stop() { __trap(); }

void report(const char* what, cudaError_t status) {
    printf("%s: %d %s: %s\n", what, (int)status, cudaGetErrorName(status), cudaGetErrorString(status));
}

int main(int count, char** arguments) {
    const char* mistake = count > 1 ? arguments[1] : "";
    int* d;
    report("malloc", cudaMalloc(&d, 256 * sizeof(int)));
    if (!strcmp(mistake, "threads")) {
        fill<<<1, 2048>>>(d, 256);
        report("peek", cudaPeekAtLastError());
        report("get", cudaGetLastError());
        report("again", cudaGetLastError());
        fill<<<1, 256>>>(d, 256);
        report("synchronize", cudaDeviceSynchronize());
    } else if (!strcmp(mistake, "configuration")) {
        fill<<<0, 32>>>(d, 256), report("no blocks", cudaGetLastError());
        fill<<<1, dim3(1, 1, 65)>>>(d, 256), report("depth", cudaGetLastError());
        fill<<<dim3(1, 65536), 1>>>(d, 256), report("rows", cudaGetLastError());
        fill<<<1, 32, 1 << 20>>>(d, 256), report("shared", cudaGetLastError());
    } else if (!strcmp(mistake, "arguments")) {
        int h[4];
        report("kind", cudaMemcpy(h, d, sizeof h, (cudaMemcpyKind)77));
        report("free", cudaFree(h));
        report("device", cudaSetDevice(99));
        report("size", cudaMalloc(&d, (size_t)1 << 60));
    } else if (!strcmp(mistake, "device")) {
        cudaStream_t stream;
        report("stream", cudaStreamCreate(&stream));
        report("other device", cudaSetDevice(1));
        fill<<<1, 256, 0, stream>>>(d, 256), report("its stream", cudaGetLastError());
        report("copy", cudaMemsetAsync(d, 0, 4, stream));
        report("synchronize", cudaStreamSynchronize(stream));
        report("device", cudaSetDevice(0));
        fill<<<1, 256, 0, stream>>>(d, 256), report("launch", cudaGetLastError());
    } else if (!strcmp(mistake, "address")) {
        fill<<<1, 256>>>((int*)0x10, 256);
        report("launch", cudaGetLastError());
        report("synchronize", cudaDeviceSynchronize());
        report("sticky", cudaMalloc(&d, 4));
        cudaDeviceReset();
        report("after reset", cudaMalloc(&d, 4));
    } else if (!strcmp(mistake, "assert")) {
        cudaMemset(d, 0, 256 * sizeof(int));
        check_positive<<<1, 1>>>(d);
        report("synchronize", cudaDeviceSynchronize());
    } else if (!strcmp(mistake, "trap")) {
        stop<<<1, 1>>>();
        report("synchronize", cudaDeviceSynchronize());
    }
    return 0;
}
