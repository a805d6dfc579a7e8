// SPDX-License-Identifier: MIT
// Warp functions whose masks name threads that are elsewhere in the program.
#include <cstdio>
#include <cstdlib>

// The two halves of a warp meet at two places.
__global__ void at_two_places(int* out) {
    __shared__ int s[32];
    const int lane = threadIdx.x;
    int v;
    s[lane] = -1;
    __syncwarp();
    if (lane < 16) {
        s[lane] = lane;
        __syncwarp();
        v = s[lane + 16];
    } else {
        s[lane] = lane;
        __syncwarp();
        v = s[lane - 16];
    }
    out[lane] = v;
}

// Threads that have ended are not waited for.
__global__ void after_others(int* out) {
    const int lane = threadIdx.x;
    if (lane >= 8) return;
    out[lane] = __shfl_sync(~0u, lane, 5);
    __syncwarp();
    out[lane] += __shfl_xor_sync(0xff, lane, 1);
}

// Each half names itself.
__global__ void in_halves(int* out) {
    const int lane = threadIdx.x;
    int v = lane;
    if (lane < 16) v += __shfl_sync(0xffff, v, 3);
    else v += __shfl_sync(0xffff0000, v, 20);
    __syncwarp();
    out[lane] = v;
}

// The lower threads wait for the others, which are at a barrier.
__global__ void deadlock(int* out) {
    const int lane = threadIdx.x;
    if (lane < 8) __syncwarp();
    __syncthreads();
    out[lane] = 1;
}

int main(int, char** arguments) {
    void (*const kernels[])(int*) = {at_two_places, after_others, in_halves, deadlock};
    int *out, sum = 0;
    cudaMallocManaged(&out, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) out[i] = 0;
    kernels[atoi(arguments[1])]<<<1, 32>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) {
        for (int i = 0; i < 32; ++i) sum = sum * 3 + out[i];
    }
    printf("%s %d\n", cudaGetErrorName(error), sum);
}
