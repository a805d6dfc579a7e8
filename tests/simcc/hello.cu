// SPDX-License-Identifier: MIT
// The first two programs of every course: hello from each thread, and a vector sum with error checks and a timer.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
            exit(EXIT_FAILURE);                                                                       \
        }                                                                                             \
    } while (0)

__global__ void hello() {
    printf("hello from block %d, thread %d of %d\n", blockIdx.x, threadIdx.x, blockDim.x);
}

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void add_2d(const float* a, const float* b, float* c, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) c[y * width + x] = a[y * width + x] + b[y * width + x];
}

__global__ void number_3d(int* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = 100 * z + 10 * y + x;
}

bool is_sum(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c) {
    for (size_t i = 0; i < a.size(); i++) {
        if (!(fabs(a[i] + b[i] - c[i]) < 1e-5)) return false;
    }
    return true;
}

int main() {
    hello<<<2, 2>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    const int n = 100000;
    size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) a[i] = sin(i), b[i] = cos(i);
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc((void**)&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
    printf("1-D sum %s, time %s\n", is_sum(a, b, c) ? "right" : "wrong", milliseconds > 0 ? "positive" : "not positive");

    CHECK(cudaMemset(d_c, 0, bytes));
    dim3 block(16, 16), grid((400 + block.x - 1) / block.x, (250 + block.y - 1) / block.y);
    add_2d<<<grid, block>>>(d_a, d_b, d_c, 400, 250);
    CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
    printf("2-D sum %s\n", is_sum(a, b, c) ? "right" : "wrong");

    int* d_numbers;
    int numbers[4 * 4 * 4], wrong = 0;
    CHECK(cudaMalloc(&d_numbers, sizeof numbers));
    number_3d<<<dim3(2, 2, 2), dim3(2, 2, 2)>>>(d_numbers);
    CHECK(cudaMemcpy(numbers, d_numbers, sizeof numbers, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) wrong += numbers[i] != 100 * (i / 16) + 10 * (i / 4 % 4) + i % 4;
    printf("3-D numbers: %d wrong\n", wrong);

    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_numbers));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    CHECK(cudaDeviceReset());
    return 0;
}
