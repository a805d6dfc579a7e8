// SPDX-License-Identifier: MIT
// new and delete in a kernel and on the host, in a program that has operators of its own.
#include <atomic>
#include <cstdio>

extern std::atomic<int> handed_out;

struct Shape {
    __host__ __device__ virtual ~Shape() {}
    int sides = 3;
};

struct Square : Shape {
    __host__ __device__ Square() { sides = 4; }
};

__global__ void count_sides(int* sides) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Shape* const volatile shape = new Square;
    Square* const volatile row = new Square[2];
    sides[i] = shape->sides + row[1].sides;
    delete[] row;
    delete shape;
}

int main() {
    constexpr int n = 256;
    int* sides;
    cudaMallocManaged(&sides, n * sizeof(int));
    count_sides<<<4, n / 4>>>(sides);
    const cudaError_t error = cudaDeviceSynchronize();
    const int before = handed_out;
    Shape* const volatile shape = new Square;
    const int kept = handed_out - before;
    delete shape;
    std::printf("%s, %d sides, %d kept, %d left\n", cudaGetErrorName(error), sides[n - 1], kept, handed_out - before);
    cudaFree(sides);
}
