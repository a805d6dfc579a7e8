// SPDX-License-Identifier: MIT
// Access patterns in shared memory whose bank conflicts every textbook gives.
#include <cstdio>

extern __shared__ double dynamic[];

// One warp reads a column of a tile whose rows are this many words long.
template <int width>
__global__ void column(float* out) {
    __shared__ float tile[32][width];
    for (int row = 0; row < 32; ++row) tile[row][threadIdx.x] = row;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][3];
}

template <int stride>
__global__ void strided(float* out) {
    __shared__ float words[32 * stride];
    words[threadIdx.x * stride] = 1;
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x * stride];
}

// Pairs of lanes read the same 16 bytes: each phase serves 16 lanes. All lanes do: it still takes two.
__global__ void pairs(float4* out) {
    float4* const words = reinterpret_cast<float4*>(dynamic);
    out[threadIdx.x] = words[threadIdx.x / 2];
}
__global__ void vector_broadcast(float4* out) {
    float4* const words = reinterpret_cast<float4*>(dynamic);
    out[threadIdx.x] = words[5];
}

// All lanes store the same word: their data comes in phases in any case.
template <typename Word>
__global__ void store_to_one_word(Word* out) {
    __shared__ Word words[4];
    words[1] = Word{};
    __syncwarp();
    if (threadIdx.x == 0) *out = words[1];
}

__global__ void broadcast(float* out) {
    __shared__ float words[32];
    words[threadIdx.x] = 1;
    __syncwarp();
    out[threadIdx.x] = words[9];
}

// Each lane its own 8 or 16 bytes: two and four phases, none with a conflict.
template <class T>
__global__ void wide(T* out) {
    T* const words = reinterpret_cast<T*>(dynamic);
    words[threadIdx.x] = T{};
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x];
}

// The elements have constructors, which nobody calls.
__global__ void array_of_vectors(float4* out) {
    __shared__ float4 words[32];
    words[threadIdx.x] = out[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x];
}

// Four lanes in each word: no conflict.
__global__ void single_bytes(unsigned char* out) {
    __shared__ unsigned char bytes[32];
    bytes[threadIdx.x] = 1;
    __syncwarp();
    out[threadIdx.x] = bytes[threadIdx.x];
}

__global__ void histogram(int* out) {
    __shared__ int counts[64];
    counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[threadIdx.x / 16], 1);
    __syncthreads();
    out[threadIdx.x] = counts[threadIdx.x];
}

// Each lane exchanges its own word of 4 or 8 bytes, this many words from its neighbor's.
template <class T>
__device__ T exchange(T* words, int stride) {
    if (threadIdx.x == 0)
        for (int i = 0; i <= 31 * stride; ++i) words[i] = 0;
    __syncwarp();
    return atomicExch(&words[threadIdx.x * stride], T(1));
}
template <int stride>
__global__ void atomics(int* out) {
    __shared__ int words[31 * stride + 1];
    out[threadIdx.x] = exchange(words, stride);
}
template <int stride>
__global__ void wide_atomics(unsigned long long* out) {
    __shared__ unsigned long long words[31 * stride + 1];
    out[threadIdx.x] = exchange(words, stride);
}

__global__ void exchanges(int* out) {
    int value = threadIdx.x;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
    out[threadIdx.x] = value + __any_sync(~0u, value);
}

int main() {
    void* out;
    if (cudaMalloc(&out, 4096) != cudaSuccess) return 1;
    float* const words = static_cast<float*>(out);
    column<32><<<1, 32>>>(words);
    column<33><<<1, 32>>>(words);
    strided<2><<<1, 32>>>(words);
    strided<3><<<1, 32>>>(words);
    strided<8><<<1, 32>>>(words);
    broadcast<<<1, 32>>>(words);
    wide<double><<<1, 32, 32 * sizeof(double)>>>(static_cast<double*>(out));
    wide<float4><<<1, 32, 32 * sizeof(float4)>>>(static_cast<float4*>(out));
    array_of_vectors<<<1, 32>>>(static_cast<float4*>(out));
    pairs<<<1, 32, 16 * sizeof(float4)>>>(static_cast<float4*>(out));
    vector_broadcast<<<1, 32, 16 * sizeof(float4)>>>(static_cast<float4*>(out));
    store_to_one_word<int><<<1, 32>>>(static_cast<int*>(out));
    store_to_one_word<double><<<1, 32>>>(static_cast<double*>(out));
    store_to_one_word<float4><<<1, 32>>>(static_cast<float4*>(out));
    single_bytes<<<1, 32>>>(static_cast<unsigned char*>(out));
    histogram<<<1, 64>>>(static_cast<int*>(out));
    atomics<1><<<1, 32>>>(static_cast<int*>(out));
    atomics<8><<<1, 32>>>(static_cast<int*>(out));
    atomics<0><<<1, 32>>>(static_cast<int*>(out));
    wide_atomics<1><<<1, 32>>>(static_cast<unsigned long long*>(out));
    wide_atomics<16><<<1, 32>>>(static_cast<unsigned long long*>(out));
    wide_atomics<0><<<1, 32>>>(static_cast<unsigned long long*>(out));
    exchanges<<<1, 64>>>(static_cast<int*>(out));
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
