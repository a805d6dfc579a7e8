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

    template <typename U>
    __host__ __device__ U as() const {
        return static_cast<U>(value) * Traits::factor;
    }
    template <int n>
    __device__ T plus() {
        return value + n;
    }
};

template <typename T>
__global__ void k(T* out, Number<T> number) {
    Number<T>* pointer = &number;
    out[0] = number.as<T>();
    out[1] = pointer->as<int>() + pointer->plus<4>();
}

int main() {
    float* out;
    cudaMallocManaged(&out, 2 * sizeof *out);
    k<<<1, 1>>>(out, Number<float>{2.5f});
    printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %g\n", out[0], out[1]);
}
