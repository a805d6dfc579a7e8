// SPDX-License-Identifier: MIT
// Threads that wait for each other by nothing but reading a flag until it changes. The argument names the kernel.
#include <cstdio>
#include <cstring>

// Lane i of a warp waits for lane i + 1, which starts later, and on the way back for lane i - 1.
__global__ void lanes(int* out) {
    __shared__ volatile int up[33], down[32];
    unsigned lane = threadIdx.x;
    up[lane] = down[lane] = 0;
    if (lane == 0) up[32] = 1;
    __syncwarp();
    while (up[lane + 1] == 0);
    up[lane] = 1;
    if (lane > 0) while (!down[lane - 1]) {}
    down[lane] = 1;
    out[lane] = up[0] + down[lane];
}

struct Gate {
    volatile int opened;
    __device__ bool is_open() const { return opened != 0; }
};
__device__ int load(const int* address) {
    int value = *(const volatile int*)address;
    __threadfence();
    return value;
}

// Even lanes wait for the odd lane behind them in every way that a loop can be written.
__global__ void ways(int* flag, Gate* gate, int* out) {
    unsigned i = threadIdx.x;
    volatile int* mine = flag + i / 2;
    int seen = 0;
    if (i % 2 == 1) {
        *mine = gate[i / 2].opened = 1;
        return;
    }
    switch (i / 2) {
        case 0: while (*mine == 0) continue; break;
        case 1: for (; *mine == 0;); break;
        case 2: do ; while (*mine == 0); break;
        case 3: do { seen = *mine; } while (seen == 0); break;
        case 4: do seen = *mine; while (seen == 0); break;
        case 5: while (seen == 0) seen = *mine; break;
        case 6: while ((seen = *mine) == 0) {} break;
        case 7: while (*mine == 0) __threadfence(); break;
        case 8: while (true) { if (*mine != 0) break; } break;
        case 9: for (;;) { int now = *mine; bool set = now != 0; if (set) break; } break;
        case 10: while (!gate[10].is_open()); break;
        case 11: while (load(flag + 11) == 0) { __threadfence_block(); } break;
        case 12: while (__ldcv(flag + 12) == 0); break;
        case 13: for (seen = *mine; seen == 0; seen = *mine) {} break;
        default: while (static_cast<volatile int*>(flag)[i / 2] < 1) ; break;
    }
    out[i / 2] = 1;
}

// The blocks take their turns in ascending, then in descending order.
__device__ volatile int turn = 0, turn_back = 0;
__global__ void blocks(int* order) {
    if (threadIdx.x == 0) {
        while (turn != (int)blockIdx.x);
        order[blockIdx.x] = blockIdx.x;
        turn = turn + 1;
        while (turn_back != (int)(gridDim.x - 1 - blockIdx.x)) {}
        order[gridDim.x + turn_back] = blockIdx.x;
        turn_back = turn_back + 1;
    }
    __syncthreads();
}

__global__ void never(const volatile int* flag) {
    while (*flag == 0)
        ;
}

int main(int count, char** arguments) {
    int* out;
    Gate* gates;
    cudaMallocManaged(&out, 256), cudaMallocManaged(&gates, 256);
    memset(out, 0, 256), memset(gates, 0, 256);
    if (count > 1 && !strcmp(arguments[1], "never")) {
        never<<<2, 40>>>(out);
        cudaError_t status = cudaDeviceSynchronize();
        printf("%d %s\n", (int)status, cudaGetErrorName(status));
        return 0;
    }
    lanes<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += out[i];
    memset(out, 0, 256);
    ways<<<1, 32>>>(out + 32, gates, out);
    cudaDeviceSynchronize();
    int passed = 0;
    for (int i = 0; i < 16; i++) passed += out[i];
    blocks<<<20, 33>>>(out);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 20; i++) wrong += out[i] != i, wrong += out[20 + i] != 19 - i;
    const char* error = cudaGetErrorString(cudaGetLastError());
    printf("lanes %d, ways %d, blocks out of order %d, %s\n", sum, passed, wrong, error);
}
