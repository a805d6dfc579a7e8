// SPDX-License-Identifier: MIT
// Conversions between the small floating-point types, pointers to constants, references to a typedef's integers.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned int uint;

template <typename To, typename From>
__global__ void convert(To* to, const From* from) {
    to[0] = static_cast<To>(from[0]);
    to[1] = To(from[1]);
}

__global__ void through_references(float* edges, uint* counts, uint n) {
    uint tid = threadIdx.x;
    if (tid < n) {
        float &edge = edges[tid];
        uint &count = counts[tid];
        const uint &same = counts[tid];
        count = edge;
        edge = same + 1;
    }
}
__global__ void other_names(float* counts, float* from) { *counts = *from; }

int main() {
    const float* constants;
    const __half* more;
    printf("%d", cudaMalloc(&constants, 16) | cudaMallocManaged(&more, 16));
    printf("%d", cudaFree((void*)constants));
    printf("%d\n", cudaFree((void*)more));

    __half* halves;
    __nv_bfloat16* others;
    cudaMallocManaged(&halves, 2 * sizeof *halves);
    cudaMallocManaged(&others, 2 * sizeof *others);
    others[0] = __float2bfloat16(1.5f), others[1] = __float2bfloat16(65536.0f);
    convert<<<1, 1>>>(halves, others);
    cudaDeviceSynchronize();
    printf("%g %g\n", __half2float(halves[0]), __half2float(halves[1]));
    halves[0] = __float2half(1.0009765625f), halves[1] = __float2half(-3.0f);
    convert<<<1, 1>>>(others, halves);
    cudaDeviceSynchronize();
    printf("%g %g\n", __bfloat162float(others[0]), __bfloat162float(others[1]));

    float* edges;
    uint* counts;
    cudaMallocManaged(&edges, 2 * sizeof *edges);
    cudaMallocManaged(&counts, 2 * sizeof *counts);
    edges[0] = 2.75f, edges[1] = 7.0f;
    through_references<<<1, 2>>>(edges, counts, 2);
    cudaDeviceSynchronize();
    printf("%u %u %g %g\n", counts[0], counts[1], edges[0], edges[1]);
    other_names<<<1, 1>>>(edges, edges + 1);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
