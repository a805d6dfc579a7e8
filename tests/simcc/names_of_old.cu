// SPDX-License-Identifier: MIT
// What old programs call: warp functions without a mask, the thread functions of the runtime, headers that are gone.
#include <cstdio>
#include <cuda_runtime.h>

#if defined(__SIMCC__) || __CUDACC_VER_MAJOR__ < 9
#include <sm_30_intrinsics.h>
#include <surface_functions.h>
#include <texture_fetch_functions.h>
#else  // the same functions, so that newer compilers build the rest
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#define __any(p) __any_sync(__activemask(), p)
#define __all(p) __all_sync(__activemask(), p)
#define __ballot(p) __ballot_sync(__activemask(), p)
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#endif

__device__ unsigned long long __globaltimer() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

__global__ void sums(int* out) {
    int lane = threadIdx.x % 32, sum = threadIdx.x;
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down(sum, s);
    sum = __shfl(sum, 0);
    int pairs = lane + __shfl_xor(lane, 1), before = __shfl_up(lane, 2, 8);
    if (lane < 8) before += __all(lane < 8) * 100;
    if (lane >= 30) before += 1000 * __popc(__ballot(lane == 31));
    out[threadIdx.x] = sum + pairs * 10000 + before * 1000000 * (__any(lane == 7) ? 1 : 0);
}

__global__ void times(unsigned long long* out) { *out = __globaltimer(); }

int main() {
    int *out, host[64];
    cudaMalloc(&out, sizeof host);
    sums<<<1, 64>>>(out);
    cudaThreadSynchronize();
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d\n", host[0], host[9], host[31], host[33], host[63]);
    unsigned long long* time;
    cudaMallocManaged(&time, sizeof *time);
    times<<<1, 1>>>(time);
    cudaThreadSynchronize();
    printf("time runs: %d\n", *time > 0);
    printf("%s\n", cudaGetErrorName(cudaThreadExit()));
}
