// SPDX-License-Identifier: MIT
// C++ that nvcc's front end accepts and g++ does not.
#include <cstdio>

template <typename T>
struct Traits {
    using type = T;
    static constexpr int factor = 3;
};

template <typename T>
struct Number {
    using Traits = Traits<T>;
    typename Traits::type value;

    template <int n>
    static __host__ __device__ T plus(T value) {
        return value + n;
    }
};

template <typename T>
__global__ void k(T* out, Number<T> number) {
    out[0] = number.value * Number<T>::Traits::factor;
    out[1] = Number<T>::plus<4>(number.value);
}

int main() {
    float* out;
    cudaMallocManaged(&out, 2 * sizeof *out);
    k<<<1, 1>>>(out, Number<float>{2.5f});
    printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %g\n", out[0], out[1]);
}
