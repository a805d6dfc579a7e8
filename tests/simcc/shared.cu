// SPDX-License-Identifier: MIT
// Shared memory: a tiled matrix product with static and with dynamic tiles, and the ways to declare extern arrays.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int tile = 16;

__global__ void multiply_static(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[tile][tile];
    __shared__ float tile_b[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += tile) {
        tile_a[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < tile; i++) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

template <class T>
__global__ void multiply_dynamic(const T* a, const T* b, T* c, int n) {
    extern __shared__ __align__(sizeof(T)) unsigned char memory[];
    T* tile_a = reinterpret_cast<T*>(memory);
    T* tile_b = tile_a + blockDim.x * blockDim.y;
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    int width = blockDim.x, here = threadIdx.y * width + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < n; k += width) {
        tile_a[here] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : T(0);
        tile_b[here] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : T(0);
        __syncthreads();
        for (int i = 0; i < width; i++) sum += tile_a[threadIdx.y * width + i] * tile_b[i * width + threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

template <class T>
__global__ void reverse(T* data) {
    extern __shared__ T items[];
    items[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = items[blockDim.x - 1 - threadIdx.x];
}
extern __shared__ int at_file_scope[];
__global__ void rotate(int* data) {
    at_file_scope[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = at_file_scope[(threadIdx.x + 1) % blockDim.x];
}
__global__ void two_names(int* data) {
    extern volatile __shared__ int first[], second[][4];
    first[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = second[threadIdx.x / 4][threadIdx.x % 4] + 1;
}
__global__ void scalar(int* data) {
    __shared__ int total, *pointer;
    __shared__ struct { int a[4]; } table;
    if (threadIdx.x == 0) total = 0, pointer = &total;
    if (threadIdx.x < 4) table.a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    atomicAdd(pointer, data[threadIdx.x] * table.a[threadIdx.x % 4]);
    __syncthreads();
    data[threadIdx.x] = total;
}

// Shared variables are static: lambdas use them without a capture, and never a copy.
template <class F>
__device__ void for_all(int n, F f) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
__global__ void in_lambdas(int* data) {
    extern __shared__ int items[];
    __shared__ float4 vectors[64];
    for_all(64, [=](int i) { items[i] = data[i]; });
    for_all(64, [](int i) { vectors[i].x = vectors[i].y = 0; });
    __syncthreads();
    const auto add = [=](int i) {
        const auto add_to = [](int j, int value) { atomicAdd(&items[j], value); };
        add_to(i, 1);
        vectors[i].y += items[i];
    };
    for_all(64, add);
    __syncthreads();
    for_all(64, [=](int i) { data[i] = items[63 - i] + static_cast<int>(vectors[63 - i].y); });
}

template <class T>
int count_wrong(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c, int n) {
    int wrong = 0;
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            T sum = 0;
            for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
            wrong += !(std::abs(double(sum - c[row * n + column])) < 1e-3);
        }
    }
    return wrong;
}

template <class T, class Launch>
void try_product(const char* name, int n, Launch launch_it) {
    std::vector<T> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) a[i] = T(i % 7), b[i] = T(i % 5) - 2;
    T *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, n * n * sizeof(T)), cudaMalloc(&d_b, n * n * sizeof(T)), cudaMalloc(&d_c, n * n * sizeof(T));
    cudaMemcpy(d_a, a.data(), n * n * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * n * sizeof(T), cudaMemcpyHostToDevice);
    launch_it(d_a, d_b, d_c);
    cudaMemcpy(c.data(), d_c, n * n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s: %d wrong, %s\n", name, count_wrong(a, b, c, n), cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_a), cudaFree(d_b), cudaFree(d_c);
}

int main() {
    const int n = 50;
    dim3 block(tile, tile), grid((n + tile - 1) / tile, (n + tile - 1) / tile);
    try_product<float>("static", n, [&](float* a, float* b, float* c) { multiply_static<<<grid, block>>>(a, b, c, n); });
    size_t bytes = 2 * tile * tile;
    try_product<float>("dynamic float", n, [&](float* a, float* b, float* c) {
        multiply_dynamic<<<grid, block, bytes * sizeof(float)>>>(a, b, c, n);
    });
    try_product<double>("dynamic double", n, [&](double* a, double* b, double* c) {
        multiply_dynamic<double><<<grid, block, bytes * sizeof(double)>>>(a, b, c, n);
    });
    int* data;
    cudaMallocManaged(&data, 8 * sizeof(int));
    for (int i = 0; i < 8; i++) data[i] = i;
    reverse<<<1, 8, 8 * sizeof(int)>>>(data);
    rotate<<<1, 8, 8 * sizeof(int)>>>(data);
    two_names<<<1, 8, 8 * sizeof(int)>>>(data);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++) printf("%d ", data[i]);
    scalar<<<1, 8>>>(data);
    cudaDeviceSynchronize();
    printf("total %d\n", data[3]);
    cudaMallocManaged(&data, 64 * sizeof(int));
    for (int i = 0; i < 64; i++) data[i] = i;
    in_lambdas<<<1, 32, 64 * sizeof(int)>>>(data);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 64; i++) wrong += data[i] != 2 * (64 - i);
    printf("in lambdas: %d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
}
