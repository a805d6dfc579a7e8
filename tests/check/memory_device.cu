// SPDX-License-Identifier: MIT
// Wrong accesses of kernels, and the same kernels without them.
#include "cases.cuh"

constexpr int n = 64;

__global__ void past_end(int* out, int last) {
    const int i = threadIdx.x;
    if (i <= last) out[i] = i;  // @past-end Invalid __global__ write of size 4 bytes
}

__global__ void before_start(const int* in, int* out, int first) {
    const int i = threadIdx.x + first;
    out[i] = in[i - 1];  // @before-start Invalid __global__ read of size 4 bytes
}

__global__ void far_away(float* out, int distance) {
    out[threadIdx.x + distance] = 1;  // @next-buffer Invalid __global__ write of size 4 bytes
}

__global__ void freed(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];  // @freed Invalid __global__ read of size 4 bytes
}

// A texture on linear memory is no larger than its description says; whether the memory is, the program has to know.
__global__ void fetch(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);  // @texture Invalid __global__ read of size 4 bytes
}

__global__ void fetch_2d(cudaTextureObject_t texture, float* out) {
    const float x = threadIdx.x + 0.5f;
    out[threadIdx.x] = tex2D<float>(texture, x, 0.5f);  // @array-freed Invalid __global__ read of size 4 bytes
}

__global__ void fetch_unwritten(cudaTextureObject_t texture, float* out) {
    const float x = threadIdx.x + 0.5f;
    out[threadIdx.x] = tex2D<float>(texture, x, 0.5f);  // @array-unwritten Uninitialized __global__ memory read of size
}

__global__ void vectors(const char* in, float4* out) {
    out[threadIdx.x] = reinterpret_cast<const float4*>(in)[threadIdx.x];  // @misaligned Invalid __global__ read
}

__global__ void count_into(int* counter) {
    atomicAdd(counter, 1);  // @null Invalid __global__ atomic of size 4 bytes
}

__global__ void from_host(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];  // @host-pointer Invalid __global__ read of size 4 bytes
}

__device__ int table[8];
__global__ void variable(int i) {
    table[i + threadIdx.x] = 1;  // @variable Invalid __global__ write of size 4 bytes
}

__device__ float weights[3] = {1, 2, 3}, others[3] = {4, 5, 6};
__device__ int bins[8], rest[8];
template <class T>
__device__ T partial[4];

__global__ void last_variable(int* out, int i) {
    out[0] = rest[i % 8] + others[1] + partial<int>[i % 4];
    out[1] = bins[i];  // @neighbor-variable Invalid __global__ read of size 4 bytes
}

__global__ void last_weight(float* out, int i) {
    out[0] = others[2];
    out[1] = weights[i];  // @neighbor-weight Invalid __global__ read of size 4 bytes
}

__global__ void before_bins(int* out, int i) {
    out[1] = bins[i] + bins[i + 1];  // @before-variable Invalid __global__ read of size 4 bytes
}

__global__ void two_tiles(int* out, int i) {
    __shared__ int first[n], second[n];
    first[threadIdx.x] = second[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) first[i] = 1;  // @shared-array Invalid __shared__ write of size 4 bytes
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

__global__ void goes_on(int* out, int i) {
    __shared__ int tile[2 * n];
    const int t = threadIdx.x;
    if (t % 24 == 5) out[i + t] = 1;  // @goes-on Invalid __global__ write of size 4 bytes
    tile[t] = t;
    __syncthreads();
    const int value = tile[2 * n - 1 - t];
    __syncthreads();
    tile[t] = value;
    __syncwarp();
    __syncthreads();
    if (t < n) out[t] = tile[t ^ 33];
}

__global__ void window(int* out, int i) {
    extern __shared__ int sums[];
    sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = sums[(threadIdx.x + i) % (n + i)];  // @dynamic-shared Invalid __shared__ read of size 4 bytes
}

__global__ void histogram(const int* in, int* out, int bins) {
    int local[8];
    for (int b = 0; b < bins; ++b) local[b] = in[b];  // @local-array Invalid __local__ write of size 4 bytes
    int sum = 0;
    for (int b = 0; b < 8; ++b) sum += local[b];
    out[threadIdx.x] = sum;
}

struct Level {
    volatile int* stop;
    __device__ int down(volatile int n) { return *stop == n ? 0 : down(n + 1) + n; }  // @recursion Stack overflow
};
__global__ void recursive(int* stop, int* out) { out[0] = Level{stop}.down(1); }

struct Room {
    volatile int values[4096];
};
// clang-format off
__device__ int fill_rooms(volatile int* stop, int n) { Room room; room.values[n % 8] = n; return *stop == n ? 0 : fill_rooms(stop, n + 1) + room.values[n % 8]; }  // @large-frames Stack overflow
// clang-format on
__global__ void large_frames(int* stop, int* out) { out[0] = fill_rooms(stop, 1); }

__device__ int count_down(int* stop) { return atomicAdd(stop, 0) ? 0 : count_down(stop) * 3 + 1; }  // @atomic-recursion Stack overflow
__global__ void atomic_recursion(int* stop, int* out) { out[threadIdx.x] = count_down(stop); }

__global__ void sum_all(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];  // @unwritten Uninitialized __global__ memory read of size 4 bytes
}

__global__ void early_return(int* out, int lanes) {
    __shared__ int tile[n];
    if (threadIdx.x < lanes) tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];  // @unwritten-shared Uninitialized __shared__ memory read of size 4
}

__global__ void heap(int* out, bool twice) {
    int* volatile list = static_cast<int*>(malloc(16));
    list[0] = 1;
    out[threadIdx.x] = list[0];
    free(list);
    if (twice) free(list);  // @heap-twice Malloc/Free error encountered : Double free
}

struct Node {
    int value;
    Node* next;
    __device__ ~Node() { value = 0; }
};

__global__ void after_delete(int* out, bool late) {
    Node* volatile list = new Node{1, nullptr};
    const Node* const kept = list;
    if (late) delete list;
    out[threadIdx.x] = kept->value;  // @after-delete Invalid __global__ read of size 4 bytes
    if (!late) delete list;
}

__global__ void after_array_delete(int* out, bool late) {
    int* const volatile values = new int[4]{1, 2, 3, 4};
    if (late) delete[] values;
    out[threadIdx.x] = values[2];  // @after-array-delete Invalid __global__ read of size 4 bytes
    if (!late) delete[] values;
}

__global__ void delete_twice(bool twice) {
    Node* const volatile nodes = new Node[2];
    delete[] nodes;
    if (twice) operator delete[](reinterpret_cast<char*>(nodes) - 8);  // @delete-twice Malloc/Free error encountered : Double
}

int* zeros() { return device_array<int>(n); }

// An array of one row, whose first elements are written.
cudaArray_t array_of(int elements, int written) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const float row[n] = {};
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, elements, 1);
    cudaMemcpy2DToArray(array, 0, 0, row, sizeof row, written * sizeof(float), 1, cudaMemcpyHostToDevice);
    return array;
}

cudaTextureObject_t texture_on(const cudaResourceDesc& resource) {
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    return texture;
}

cudaTextureObject_t texture_on(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return texture_on(resource);
}

cudaTextureObject_t texture_on(int* memory, int elements) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = elements * sizeof(float);
    return texture_on(resource);
}

const Case cases[] = {
    {"past-end", [](bool fixed) { past_end<<<1, n + 1>>>(zeros(), fixed ? n - 1 : n); }},
    {"before-start", [](bool fixed) { before_start<<<1, n - 1>>>(zeros(), zeros(), fixed); }},
    {"next-buffer",
     [](bool fixed) {
         float *small = device_array<float>(1000), *next = device_array<float>(1000);
         far_away<<<1, n>>>(small, fixed ? 0 : 1000 + 60);
         cudaFree(next);
     }},
    {"freed",
     [](bool fixed) {
         int* const array = zeros();
         if (!fixed) cudaFree(array);
         freed<<<1, n>>>(array, zeros());
     }},
    {"misaligned",
     [](bool fixed) { vectors<<<1, 2>>>(device_array<char>(64) + (fixed ? 16 : 1), device_array<float4>(2)); }},
    {"texture",
     [](bool fixed) {
         fetch<<<1, n + 1>>>(texture_on(zeros(), fixed ? n : n + 1), device_array<float>(n + 1));
     }},
    {"array-freed",
     [](bool fixed) {
         const cudaArray_t array = array_of(n, n);
         const cudaTextureObject_t texture = texture_on(array);
         if (!fixed) cudaFreeArray(array);
         fetch_2d<<<1, n>>>(texture, device_array<float>(n));
     }},
    {"array-unwritten",
     [](bool fixed) { fetch_unwritten<<<1, n>>>(texture_on(array_of(n, fixed ? n : n - 1)), device_array<float>(n)); }},
    {"null", [](bool fixed) { count_into<<<1, n>>>(fixed ? zeros() : nullptr); }},
    {"host-pointer",
     [](bool fixed) {
         int* const allocated = static_cast<int*>(malloc(n * sizeof(int)));
         from_host<<<1, n>>>(fixed ? zeros() : allocated, zeros());
     }},
    {"variable", [](bool fixed) { variable<<<1, 8>>>(fixed ? 0 : 1 << 20); }},
    {"neighbor-variable", [](bool fixed) { last_variable<<<1, 1>>>(zeros(), fixed ? 7 : 8); }},
    {"neighbor-weight", [](bool fixed) { last_weight<<<1, 1>>>(device_array<float>(n), fixed ? 2 : 3); }},
    {"before-variable", [](bool fixed) { before_bins<<<1, 1>>>(zeros(), fixed ? 0 : -1); }},
    {"shared-array", [](bool fixed) { two_tiles<<<1, n>>>(zeros(), fixed ? n - 1 : n); }},
    {"goes-on", [](bool fixed) { goes_on<<<1, 2 * n>>>(device_array<int>(2 * n), fixed ? 0 : 2 * n); }},
    {"dynamic-shared", [](bool fixed) { window<<<1, n, n * sizeof(int)>>>(zeros(), !fixed); }},
    {"local-array", [](bool fixed) { histogram<<<1, n>>>(zeros(), zeros(), fixed ? 8 : 9); }},
    {"recursion",
     [](bool fixed) {
         int* const stop = zeros();
         if (fixed) cudaMemset(stop, 1, 1);
         recursive<<<1, 1>>>(stop, zeros());
     }},
    {"large-frames",
     [](bool fixed) {
         int* const stop = zeros();
         if (fixed) cudaMemset(stop, 1, 1);
         large_frames<<<1, 1>>>(stop, zeros());
     }},
    {"atomic-recursion",
     [](bool fixed) {
         int* const stop = zeros();
         if (fixed) cudaMemset(stop, 1, 1);
         atomic_recursion<<<1, 40>>>(stop, zeros());
     }},
    {"unwritten",
     [](bool fixed) {
         int* array;
         cudaMalloc(&array, n * sizeof *array);
         cudaMemset(array, 0, fixed ? n * sizeof *array : n);
         sum_all<<<1, n>>>(array, zeros());
     }},
    {"unwritten-shared", [](bool fixed) { early_return<<<1, n>>>(zeros(), fixed ? n : n / 2); }},
    {"after-delete", [](bool fixed) { after_delete<<<1, 40>>>(zeros(), !fixed); }},
    {"after-array-delete", [](bool fixed) { after_array_delete<<<1, 40>>>(zeros(), !fixed); }},
    {"delete-twice", [](bool fixed) { delete_twice<<<1, 1>>>(!fixed); }},
    {"heap-twice", [](bool fixed) { heap<<<1, 1>>>(zeros(), !fixed); }},
};

int main(int argc, char** argv) { return run_case(cases, argc, argv); }
