// SPDX-License-Identifier: MIT
// Kernels with barriers and warp functions in all kinds of control flow that is the same for a block or a warp: their
// threads can run in loops.
#include <cstdio>

constexpr int threads = 256;

__global__ void tree_sum(const float* in, float* out, int n) {
    __shared__ float s[threads];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (tid < k) s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

template <int tile>
__global__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ float as[tile][tile], bs[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < (n + tile - 1) / tile; ++t) {
        as[threadIdx.y][threadIdx.x] = row < n && t * tile + threadIdx.x < n ? a[row * n + t * tile + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] = col < n && t * tile + threadIdx.y < n ? b[(t * tile + threadIdx.y) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

// Hillis and Steele: two buffers, exchanged by every step.
__global__ void scan(const int* in, int* out) {
    extern __shared__ int both[];
    int tid = threadIdx.x, to = 0, from = 1;
    both[tid] = tid > 0 ? in[tid - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        to = 1 - to;
        from = 1 - to;
        both[to * blockDim.x + tid] = both[from * blockDim.x + tid];
        if (tid >= offset) both[to * blockDim.x + tid] += both[from * blockDim.x + tid - offset];
        __syncthreads();
    }
    out[tid] = both[to * blockDim.x + tid];
}

// Blelloch: up and down a tree in place.
__global__ void scan_in_place(int* data, int n) {
    __shared__ int s[2 * threads];
    int tid = threadIdx.x, offset = 1;
    s[2 * tid] = data[2 * tid];
    s[2 * tid + 1] = data[2 * tid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1, bi = offset * (2 * tid + 2) - 1;
            s[bi] += s[ai];
        }
        offset *= 2;
    }
    if (tid == 0) s[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1, bi = offset * (2 * tid + 2) - 1;
            int t = s[ai];
            s[ai] = s[bi];
            s[bi] += t;
        }
    }
    __syncthreads();
    data[2 * tid] = s[2 * tid];
    data[2 * tid + 1] = s[2 * tid + 1];
}

// Threads leave before a barrier; the parameter changes in some of them.
__global__ void leaves(int* data, int n, int step) {
    __shared__ int s[threads];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n == 0) return;
    if (i >= n) return;
    if (threadIdx.x % 2) step += 10;
    s[threadIdx.x] = i + step;
    __syncthreads();
    int other = threadIdx.x ^ 1;
    if (i - threadIdx.x + other < n) data[i] = s[other] * step;
    else data[i] = -1;
    do {
        __syncthreads();
        if (n > 1000) break;
        data[i] += step;
        --n;
    } while (n % 3 != 0);
    int last[4] = {step, i, n, 1};
    __syncthreads();
    for (int k = 0; k < 4; ++k) data[i] ^= last[k] << k;
}

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
    __shared__ unsigned counts[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&counts[in[i] % 64], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&bins[i], counts[i]);
}

__global__ void transposed(const int* in, int* out, int n) {
    __shared__ int tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += blockDim.y) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += blockDim.y) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__inline__ __device__ int warp_sum(int value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

template <typename T, int width>
__device__ T block_sum(T value) {
    __shared__ T partial[32];
    int lane = threadIdx.x % width, warp = threadIdx.x / width;
    value = warp_sum(value);
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / width ? partial[lane] : 0;
    if (warp == 0) value = warp_sum(value);
    return value;
}

__global__ void sums(const int* in, int* out, int n) {
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += in[i];
    int total = block_sum<int, 32>(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}

// Votes and shuffles: the first lane of each group of equal values counts it.
__global__ void groups(const int* in, int* out) {
    int value = in[threadIdx.x], lane = threadIdx.x & 31;
    unsigned same = __match_any_sync(~0u, value % 5), odd = __ballot_sync(~0u, value & 1);
    int first = __shfl_sync(~0u, value, __ffs(same) - 1), next = __shfl_up_sync(same, value, 1);
    int most = __reduce_max_sync(~0u, value);
    if (__any_sync(~0u, value == 77)) most += 1000;
    if (threadIdx.x / 32 == 1) {
        int twice = __shfl_xor_sync(~0u, value * 2, 16, 32);
        most += twice;
    } else {
        most -= __shfl_down_sync(~0u, value, 3, 8);
    }
    int count = __syncthreads_count(value > 20);
    out[threadIdx.x] = __popc(same) + first * 3 + next * 5 + (odd >> lane & 1) * 7 + most * 11 + count * 13;
    if (__syncthreads_and(value >= 0)) out[threadIdx.x] += 1;
}

template <typename T>
T* managed(int n) {
    T* p;
    cudaMallocManaged(&p, n * sizeof(T));
    for (int i = 0; i < n; ++i) p[i] = T((i * 7 + i / 13) % 101);
    return p;
}

template <typename T>
void show(const char* name, const T* data, int n) {
    const cudaError_t error = cudaDeviceSynchronize();
    unsigned long long hash = 0;
    for (int i = 0; i < n; ++i) hash = hash * 31 + (unsigned long long)(long long)data[i];
    printf("%s %s %llx\n", name, cudaGetErrorName(error), hash);
}

int main() {
    const int n = 4096;
    float *a = managed<float>(n), *b = managed<float>(n), *c = managed<float>(n);
    int *x = managed<int>(n), *y = managed<int>(n);
    auto* bytes = managed<unsigned char>(n);
    tree_sum<<<8, threads>>>(a, c, 2000);
    show("tree", c, 8);
    product<16><<<dim3(3, 3), dim3(16, 16)>>>(a, b, c, 40);
    show("product", c, 1600);
    product<8><<<dim3(5, 5), dim3(8, 8)>>>(a, b, c, 40);
    show("product", c, 1600);
    scan<<<1, 200, 400 * sizeof(int)>>>(x, y);
    show("scan", y, 200);
    scan_in_place<<<1, 128>>>(y, 256);
    show("in place", y, 256);
    leaves<<<4, 100>>>(y, 333, 3);
    show("leaves", y, 333);
    leaves<<<20, 100>>>(y, 1933, 3);
    show("leaves", y, 1933);
    leaves<<<4, 100>>>(y, 0, 3);
    show("leaves", y, 333);
    auto* bins = managed<unsigned>(64);
    histogram<<<3, 96>>>(bytes, n, bins);
    show("histogram", bins, 64);
    transposed<<<dim3(4, 4), dim3(16, 4)>>>(x, y, 64);
    show("transposed", y, n);
    sums<<<4, threads>>>(x, y, n);
    show("sums", y, 4);
    groups<<<1, 96>>>(x, y);
    show("groups", y, 96);
}
