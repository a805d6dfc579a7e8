// SPDX-License-Identifier: MIT
// Launches inside of lambdas that choose template arguments at run time, and launches with default arguments.
#include <cstdio>

template <typename T, int width, int depth, int block>
__global__ void fill(T* out, T value) {
    if (threadIdx.x < width) out[threadIdx.x] = value * depth + block;
}

template <typename T>
__global__ void with_defaults(T* out, const T* in = nullptr, T factor = 3) {
    out[threadIdx.x] = (in ? in[threadIdx.x] : T(1)) * factor;
}

#define CHOOSE_WIDTH(value, NAME, ...)                                     \
    [&] {                                                                  \
        if (value == 4) { constexpr int NAME = 4; return __VA_ARGS__(); }  \
        if (value == 8) { constexpr int NAME = 8; return __VA_ARGS__(); }  \
    }()
#define CHOOSE_DEPTH(value, NAME, ...)                                     \
    [&] {                                                                  \
        if (value == 1) { constexpr int NAME = 1; return __VA_ARGS__(); }  \
        if (value == 2) { constexpr int NAME = 2; return __VA_ARGS__(); }  \
    }()

template <typename T>
void run(T* out, int width, int depth) {
    constexpr int block = 32;
    CHOOSE_WIDTH(width, WIDTH, [&] {
        CHOOSE_DEPTH(depth, DEPTH, [&] { fill<T, WIDTH, DEPTH, block><<<1, block>>>(out, T(10)); });
    });
}

int main() {
    int* out;
    cudaMallocManaged(&out, 8 * sizeof *out);
    const auto print = [&](const char* what) {
        printf("%-12s %s:", what, cudaGetErrorName(cudaDeviceSynchronize()));
        for (int i = 0; i < 8; ++i) printf(" %d", out[i]);
        printf("\n");
    };
    for (const int width : {8, 4}) {
        for (const int depth : {1, 2}) run(out, width, depth);
        print("fill");
    }
    with_defaults<<<1, 2>>>(out);
    print("one");
    with_defaults<int><<<1, 4>>>(out, 0);  // a null pointer
    print("two");
    with_defaults<int><<<1, 6>>>(out, out, 2.5);
    print("three");
}
