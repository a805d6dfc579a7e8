// SPDX-License-Identifier: MIT
// An index of shared memory from a number: one path, which no thread takes, has the index 2^32 - 1.
#include <cstdio>

template <int channels>
__global__ void histogram(const float4* pixels, int n, unsigned* out) {
    __shared__ unsigned counts[channels * 256 + 3];
    for (int i = threadIdx.x; i < channels * 256 + 3; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float4 pixel = pixels[i];
        const float values[] = {pixel.x, pixel.y, pixel.z};
        unsigned bins[channels];
#pragma unroll
        for (int c = 0; c < channels; ++c) bins[c] = static_cast<unsigned>(values[c] * 256);
#pragma unroll
        for (int c = 0; c < channels; ++c) atomicAdd(&counts[256 * c + bins[c] + c], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < channels * 256; i += blockDim.x) out[i] = counts[i + i / 256];
}

int main() {
    constexpr int n = 1000;
    float4* pixels;
    unsigned* out;
    cudaMallocManaged(&pixels, n * sizeof *pixels);
    cudaMallocManaged(&out, 3 * 256 * sizeof *out);
    for (int i = 0; i < n; ++i) pixels[i] = {i % 256 / 256.f, i % 4 / 4.f, 0.5f, 0};
    histogram<3><<<1, 64>>>(pixels, n, out);
    printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%u %u %u %u %u\n", out[3], out[255], out[256 + 64], out[512], out[512 + 128]);
}
