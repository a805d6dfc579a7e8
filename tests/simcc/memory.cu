// SPDX-License-Identifier: MIT
// Every kind of memory a course shows, and the ways to copy between them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

__constant__ float coefficients[4];
__constant__ int scale = 3;
__device__ int counter;
__device__ float results[4] = {1, 2, 3, 4};
__device__ int* indirect;
__managed__ int managed_total = 5;

__global__ void polynomial(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 3; k >= 0; k--) sum = sum * x[i] + coefficients[k];
    y[i] = sum * scale;
    atomicAdd(&counter, 1);
}
__global__ void globals() {
    results[threadIdx.x] *= 10;
    if (threadIdx.x == 0) managed_total += *indirect;
}
__global__ void increment(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i]++;
}
__global__ void pitched(float* data, size_t pitch, int width, int height) {
    for (int y = threadIdx.x; y < height; y += blockDim.x) {
        float* row = (float*)((char*)data + y * pitch);
        for (int x = 0; x < width; x++) row[x] = 100 * y + x;
    }
}
__global__ void on_heap(int** slots) {
    int* mine = (int*)malloc(4 * sizeof(int));
    int* more = new int[2];
    memset(mine, 0, 4 * sizeof(int));
    more[1] = threadIdx.x;
    memcpy(mine + 2, more, 2 * sizeof(int));
    delete[] more;
    slots[threadIdx.x] = mine;
}
__global__ void from_heap(int** slots, int* out) {
    out[threadIdx.x] = slots[threadIdx.x][3];
    free(slots[threadIdx.x]);
}

void symbols() {
    float host[] = {1, 2, 0, 1}, back[4];
    cudaMemcpyToSymbol(coefficients, host, sizeof host);
    std::vector<float> x = {0, 1, 2, 3}, y(4);
    float *d_x, *d_y;
    cudaMalloc(&d_x, 16), cudaMalloc(&d_y, 16);
    cudaMemcpy(d_x, x.data(), 16, cudaMemcpyHostToDevice);
    polynomial<<<1, 4>>>(d_x, d_y, 4);
    cudaMemcpy(y.data(), d_y, 16, cudaMemcpyDeviceToHost);
    int count = -1, two = 2;
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    printf("polynomial %g %g %g %g counted %d\n", y[0], y[1], y[2], y[3], count);
    void* address;
    size_t size;
    int* d_two;
    cudaGetSymbolAddress(&address, results);
    cudaGetSymbolSize(&size, results);
    cudaMalloc(&d_two, 4);
    cudaMemcpy(d_two, &two, 4, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(indirect, &d_two, sizeof d_two);
    float three = 3.5;
    cudaMemcpyToSymbol(results, &three, sizeof three, 2 * sizeof(float));
    globals<<<1, 4>>>();
    cudaMemcpy(back, address, size, cudaMemcpyDeviceToHost);
    printf("globals %g %g %g %g managed %d size %zu\n", back[0], back[1], back[2], back[3], managed_total, size);
}

void streams() {
    const int n = 1 << 16, parts = 4, part = n / parts;
    int *h, *d;
    cudaMallocHost(&h, n * sizeof(int)), cudaMalloc(&d, n * sizeof(int));
    std::iota(h, h + n, 0);
    cudaStream_t stream[parts];
    for (auto& s : stream) cudaStreamCreate(&s);
    for (int i = 0; i < parts; i++) {
        int offset = i * part;
        cudaMemcpyAsync(d + offset, h + offset, part * sizeof(int), cudaMemcpyHostToDevice, stream[i]);
        increment<<<part / 256, 256, 0, stream[i]>>>(d + offset, part);
        cudaMemcpyAsync(h + offset, d + offset, part * sizeof(int), cudaMemcpyDeviceToHost, stream[i]);
    }
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(done, stream[1]);
    cudaStreamWaitEvent(stream[0], done, 0);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += h[i] != i + 1;
    printf("streams: %d wrong, query %s\n", wrong, cudaGetErrorName(cudaStreamQuery(stream[0])));
    for (auto& s : stream) cudaStreamDestroy(s);
    cudaFreeHost(h), cudaFree(d);
}

int main() {
    symbols();
    streams();

    int* managed;
    cudaMallocManaged(&managed, 4 * sizeof(int));
    for (int i = 0; i < 4; i++) managed[i] = i;
    increment<<<1, 4>>>(managed, 4);
    cudaDeviceSynchronize();
    int *mapped, *d_mapped;
    cudaHostAlloc(&mapped, 4 * sizeof(int), cudaHostAllocMapped);
    memset(mapped, 0, 4 * sizeof(int));
    cudaHostGetDevicePointer(&d_mapped, mapped, 0);
    increment<<<1, 4>>>(d_mapped, 4);
    cudaDeviceSynchronize();
    printf("managed %d mapped %d\n", managed[3], mapped[3]);

    float *image, h_image[5][7] = {};
    size_t pitch;
    cudaMallocPitch(&image, &pitch, 7 * sizeof(float), 5);
    pitched<<<1, 3>>>(image, pitch, 7, 5);
    cudaMemcpy2D(h_image, 7 * sizeof(float), image, pitch, 7 * sizeof(float), 5, cudaMemcpyDeviceToHost);
    printf("pitched %g, pitch a multiple of 32: %d\n", h_image[4][6], pitch % 32 == 0);

    int **slots, *out;
    cudaMalloc(&slots, 4 * sizeof(int*)), cudaMallocManaged(&out, 4 * sizeof(int));
    on_heap<<<1, 4>>>(slots);
    from_heap<<<1, 4>>>(slots, out);
    cudaDeviceSynchronize();
    printf("heap %d %d\n", out[0], out[3]);
    unsigned bytes[2] = {};
    cudaMemset(out, 0xab, 8);
    cudaMemcpy(bytes, out, 8, cudaMemcpyDefault);
    size_t free_bytes, total_bytes;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    printf("memset %x, memory %s, %s\n", bytes[1], free_bytes < total_bytes ? "used" : "unused",
           cudaGetErrorString(cudaGetLastError()));
}
