/* SPDX-License-Identifier: MIT */
/* A host program in C: memory, copies, a stream and events; vectors and complex numbers are structs. */
#include <cuComplex.h>
#include <cuda_runtime.h>
#include <stdio.h>

#include "weighted.h"

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t error = (call);                                          \
        if (error != cudaSuccess) {                                          \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));   \
            return 1;                                                        \
        }                                                                    \
    } while (0)

int main(void) {
    float values[64], result = 0, milliseconds = -1;
    float *d_values, *d_sum;
    struct cudaDeviceProp properties;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    dim3 size = {1, 2, 3};
    struct float4 vector = make_float4(1, 2, 3, 4);
    cuDoubleComplex product = cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4));
    struct cudaExtent extent = make_cudaExtent(4, 5, 6);
    int i;
    for (i = 0; i < 64; ++i) values[i] = (float)i;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreateWithFlags(&end, cudaEventDefault));
    CHECK(cudaMalloc((void**)&d_values, sizeof values));
    CHECK(cudaMalloc((void**)&d_sum, sizeof(float)));
    CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float), stream));
    CHECK(cudaMemcpyAsync(d_values, values, sizeof values, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(begin, stream));
    CHECK(weighted_sum(d_values, 64, d_sum, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaMemcpyAsync(&result, d_sum, sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    printf("%.1f %d %u %.0f %.0f%+.0fi %d %s\n", result, milliseconds >= 0, size.z, vector.w, cuCreal(product),
           cuCimag(product), (int)extent.depth, cudaGetErrorName(cudaMalloc(NULL, 1)));
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_sum));
    return properties.warpSize == 32 ? 0 : 1;
}
