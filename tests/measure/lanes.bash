#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What simcc -lanes loops saves: processor time per element of kernels with barriers and warp functions, with threads on
# stacks and in loops, on one worker, alternately; the best of ten runs each.
#     tests/measure/lanes.bash [BIN]      half a minute
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH SIMCC_THREADS=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/lanes.cu" <<'CU'
#include <cstdio>
#include <ctime>
constexpr int block = 256, n = 1 << 18, side = 256, tile = 16;
__global__ void tree_sum(const float* in, float* out) {
    __shared__ float s[block];
    int tid = threadIdx.x;
    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (tid < k) s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}
__global__ void product(const float* a, const float* b, float* c) {
    __shared__ float as[tile][tile], bs[tile][tile];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
    float sum = 0;
    for (int t = 0; t < side / tile; ++t) {
        as[ty][tx] = a[row * side + t * tile + tx];
        bs[ty][tx] = b[(t * tile + ty) * side + col];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * side + col] = sum;
}
__global__ void scan(const float* in, float* out) {
    __shared__ float s[2 * block];
    int tid = threadIdx.x, to = 0, from = 1, i = blockIdx.x * blockDim.x + tid;
    s[tid] = in[i];
    __syncthreads();
    for (int offset = 1; offset < block; offset *= 2) {
        to = 1 - to;
        from = 1 - to;
        if (tid >= offset) s[to * block + tid] = s[from * block + tid] + s[from * block + tid - offset];
        else s[to * block + tid] = s[from * block + tid];
        __syncthreads();
    }
    out[i] = s[to * block + tid];
}
__device__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(~0u, v, offset);
    return v;
}
__global__ void shuffles(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(~0u, v, offset);
    out[i] = v;
}
__global__ void block_sum(const float* in, float* out) {
    __shared__ float partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0;
    if (warp == 0) v = warp_sum(v);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
__global__ void stencil(const float* in, float* out) {
    __shared__ float s[block + 2];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid + 1] = in[i];
    if (tid == 0) s[0] = i > 0 ? in[i - 1] : 0;
    if (tid == blockDim.x - 1) s[tid + 2] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    out[i] = 0.25f * s[tid] + 0.5f * s[tid + 1] + 0.25f * s[tid + 2];
}
float *a, *b, *c;
template <typename Run>
void measure(const char* name, double elements, Run run) {
    timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    run();
    cudaDeviceSynchronize();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%s %.3f\n", name, ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / elements);
}
int main() {
    cudaMallocManaged(&a, n * 4);
    cudaMallocManaged(&b, n * 4);
    cudaMallocManaged(&c, n * 4);
    for (int i = 0; i < n; ++i) a[i] = i % 101, b[i] = i % 7;
    measure("tree_sum", n, [] { tree_sum<<<n / block, block>>>(a, c); });
    measure("product", side * side, [] { product<<<dim3(side / tile, side / tile), dim3(tile, tile)>>>(a, b, c); });
    measure("scan", n, [] { scan<<<n / block, block>>>(a, c); });
    measure("shuffles", n, [] { shuffles<<<n / block, block>>>(a, c); });
    measure("block_sum", n, [] { block_sum<<<n / block, block>>>(a, c); });
    measure("stencil", n, [] { stencil<<<n / block, block>>>(a, c); });
}
CU
for lanes in stacks loops; do simcc -lanes $lanes "$folder/lanes.cu" -o "$folder/$lanes"; done
for _ in 1 2 3 4 5 6 7 8 9 10; do
    for lanes in stacks loops; do "$folder/$lanes" | sed "s/^/$lanes /"; done
done | awk '
    !(($1, $2) in best) || $3 < best[$1, $2] { best[$1, $2] = $3 }
    !($2 in seen) { seen[$2] = 1; names[++count] = $2 }
    END {
        printf "%-10s %8s %8s %6s   ns per element\n", "kernel", "stacks", "loops", "ratio"
        for (i = 1; i <= count; ++i) {
            s = best["stacks", names[i]]; l = best["loops", names[i]]
            printf "%-10s %8.2f %8.2f %6.1f\n", names[i], s, l, s / l
        }
    }'
