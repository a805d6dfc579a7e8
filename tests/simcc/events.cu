// SPDX-License-Identifier: MIT
// A program whose runtime has another client than the checkers: see events_client.cpp.
#include <cuda_runtime.h>

extern "C" void print_what_was_told();

__global__ void meet(int* sums) {
    __shared__ int values[64];
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = values[63];
    __syncthreads();
}

int main() {
    int *sums, *others, back[4];
    cudaMalloc(&sums, 4096);
    cudaMalloc(&others, 100);
    cudaMemset(sums, 0, 4096);
    for (int i = 0; i < 3; ++i) meet<<<4, 64>>>(sums);
    cudaMemcpy(back, sums, sizeof back, cudaMemcpyDeviceToHost);
    meet<<<1, 2000>>>(sums);  // refused: too many threads
    cudaGetLastError();
    cudaFree(others);
    cudaDeviceSynchronize();
    print_what_was_told();
    return back[3] == 63 ? 0 : 1;
}
