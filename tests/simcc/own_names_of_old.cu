// SPDX-License-Identifier: MIT
// A program's own functions and types of the names that CUDA has removed are its own.
#include <cstdio>

namespace picture {
template <typename T, int n>
struct texture {
    T texels[n];
    __host__ __device__ T sum() const {
        T total = 0;
        for (T texel : texels) total += texel;
        return total;
    }
};
}  // namespace picture
using picture::texture;

template <typename T>
struct surface {
    T area;
};

template <typename T>
__device__ T __shfl_down(T value, unsigned by) {
    return value * static_cast<T>(by);
}
__device__ int __any(int value) { return value + 1; }

__global__ void k(float* out, texture<float, 3> t, surface<int> s) {
    int texture = 1;
    if (texture < 2) out[0] = t.sum() + s.area;
    out[1] = __shfl_down(2.5f, 2) + __any(4);
}

int main() {
    float* out;
    cudaMallocManaged(&out, 2 * sizeof(float));
    k<<<1, 1>>>(out, {{1, 2, 3}}, {40});
    printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %g\n", out[0], out[1]);
}
