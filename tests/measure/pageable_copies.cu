// SPDX-License-Identifier: MIT
// How often a kernel in a cudaStreamNonBlocking stream reads old data after a cudaMemcpy from pageable memory that the
// program called first: cudaMemcpy may return as soon as it has read that memory.
//     nvcc -arch=native -o pageable_copies tests/measure/pageable_copies.cu && ./pageable_copies
// A row for each size, as CSV: how many of the runs read old elements, without and with cudaStreamSynchronize(0) between.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                              \
        const cudaError_t error = (call);                                             \
        if (error != cudaSuccess) {                                                   \
            std::fprintf(stderr, "pageable_copies: %s\n", cudaGetErrorString(error)); \
            std::exit(3);                                                             \
        }                                                                             \
    } while (0)

constexpr int runs = 2000;

__global__ void count_others(const int* values, size_t n, int expected, unsigned* others) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (values[i] != expected) atomicAdd(others, 1);
}

static int runs_that_read_old_elements(size_t n, bool waits) {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int* d_values = nullptr;
    unsigned *d_others = nullptr, others = 0;
    CHECK(cudaMalloc(&d_values, n * sizeof(int)));
    CHECK(cudaMalloc(&d_others, sizeof others));
    std::vector<int> values(n);
    int wrong = 0;
    for (int run = 1; run <= runs; ++run) {
        values.assign(n, run);
        CHECK(cudaMemset(d_others, 0, sizeof others));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        if (waits) CHECK(cudaStreamSynchronize(nullptr));
        count_others<<<64, 256, 0, stream>>>(d_values, n, run, d_others);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&others, d_others, sizeof others, cudaMemcpyDeviceToHost));
        wrong += others > 0;
    }
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_others));
    CHECK(cudaStreamDestroy(stream));
    return wrong;
}

int main() {
    std::printf("bytes,runs,old,old_after_waiting\n");
    for (const size_t bytes : {size_t{4} << 10, size_t{64} << 10, size_t{256} << 10, size_t{4} << 20}) {
        const size_t n = bytes / sizeof(int);
        const int without = runs_that_read_old_elements(n, false), with = runs_that_read_old_elements(n, true);
        std::printf("%zu,%d,%d,%d\n", bytes, runs, without, with);
    }
}
