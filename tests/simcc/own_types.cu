// SPDX-License-Identifier: MIT
// Functions of the program that take everything: calls in headers must not find them through the program's own types, or
// through those of vectors. And a class with constructors of its own, which kernels take by value.
#include <cuda/atomic>
#include <cuda_fp16.h>

#include <cstdio>

#define TAKES_ALL(name)     \
    template <class... Any> \
    __host__ __device__ void name(Any&&...);
template <class To, class From>
__host__ __device__ To same_bits(From);
TAKES_ALL(replace)
TAKES_ALL(update)
TAKES_ALL(swap_value)
TAKES_ALL(exchange_value)
TAKES_ALL(compare_and_swap)
TAKES_ALL(compare_exchange)
TAKES_ALL(fetch_add)
TAKES_ALL(polled)
TAKES_ALL(yield)
TAKES_ALL(load)
TAKES_ALL(store)
TAKES_ALL(exchange)
TAKES_ALL(short_of)
TAKES_ALL(fence)

struct Pair {
    short first, second;
};

__global__ void count(int* out, __half2* halves) {
    __shared__ cuda::atomic<Pair, cuda::thread_scope_block> pair;
    if (threadIdx.x == 0) pair.store({1, 2});
    __syncthreads();
    Pair seen = pair.load();
    while (!pair.compare_exchange_weak(seen, {short(seen.first + 1), seen.second})) {}
    atomicAdd(halves, __half2(1, 2));
    __syncthreads();
    if (threadIdx.x == 0) *out = pair.exchange({0, 0}).first * 100 + int(float(halves->x)) + int(float(halves->y));
}

// Its copies do not own the memory.
template <class T>
class Array {
public:
    explicit Array(int size) : size_(size), owns_(true) { cudaMallocManaged(&items_, size * sizeof(T)); }
    __host__ __device__ Array(const Array& other) : items_(other.items_), size_(other.size_), owns_(false) {
        if (other.size_ > 1000) size_ = 1000;
    }
    ~Array() {
        if (owns_) cudaFree(items_);
    }
    __host__ __device__ int size() const { return size_; }
    __host__ __device__ T* begin() const { return items_; }
    __host__ __device__ T* end() const { return items_ + size_; }

private:
    T* items_;
    int size_;
    bool owns_;
};

__global__ void number(Array<int> array) {
    for (int i = threadIdx.x; i < array.size(); i += blockDim.x) array.begin()[i] = i;
    __syncthreads();
    int sum = 0;
    if (threadIdx.x == 0) {
        for (const int item : array) sum += item;
        *array.begin() = sum;
    }
}

int main() {
    int* out;
    __half2* halves;
    cudaMallocManaged(&out, sizeof *out);
    cudaMalloc(&halves, sizeof *halves);
    cudaMemset(halves, 0, sizeof *halves);
    count<<<1, 6>>>(out, halves);
    cudaDeviceSynchronize();
    printf("pairs and halves %d\n", *out);
    const Array<int> array(100);
    number<<<1, 32>>>(array);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("by value %d %s\n", *array.begin(), cudaGetErrorName(error));
}
