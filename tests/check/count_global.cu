// SPDX-License-Identifier: MIT
// Access patterns in global memory whose sectors every textbook gives. One warp each, unless said otherwise.
#include <cstdio>

template <int stride>
__global__ void strided(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x * stride];
}

__global__ void misaligned(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x + 1]; }

// Within 128 bytes: the order of the lanes does not matter.
__global__ void permuted(const float* in, float* out) { out[threadIdx.x ^ 21] = in[31 - threadIdx.x]; }

__global__ void broadcast(const float* in, float* out) { out[threadIdx.x] = in[7]; }

__global__ void vector4(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void words8(const double* in, double* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void single_bytes(const unsigned char* in, unsigned char* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void volatile_words(const volatile float* in, volatile float* out) { out[threadIdx.x] = in[threadIdx.x]; }

// Three words of 4 bytes, 12 bytes apart.
struct Point {
    float x, y, z;
};
__global__ void structures(const Point* in, float* out) {
    const Point point = in[threadIdx.x];
    out[threadIdx.x] = point.x + point.y + point.z;
}

// The last of 4 warps has 10 lanes with work.
__global__ void tail(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void same_address(int* sum) { atomicAdd(sum, 1); }

// 32 addresses of 4 bytes; the first gets one more from each of 4 warps.
__global__ void neighbors(int* counts) {
    atomicAdd(&counts[threadIdx.x % 32], 1);
    if (threadIdx.x % 32 == 5) atomicMax(&counts[0], 1);
}

// More accesses than a lane's log holds, in a loop that lanes leave at different times.
__global__ void triangle(const float* in, float* out) {
    float sum = 0;
    for (unsigned i = 0; i <= threadIdx.x * 40; ++i) sum += in[i];
    out[threadIdx.x] = sum;
}

int main() {
    void* memory[2];
    for (void*& piece : memory) {
        if (cudaMalloc(&piece, 1 << 16) != cudaSuccess) return 1;
        cudaMemset(piece, 0, 1 << 16);
    }
    float *in = static_cast<float*>(memory[0]), *out = static_cast<float*>(memory[1]);
    strided<1><<<1, 32>>>(in, out);
    strided<2><<<1, 32>>>(in, out);
    strided<4><<<1, 32>>>(in, out);
    strided<8><<<1, 32>>>(in, out);
    strided<32><<<1, 32>>>(in, out);
    misaligned<<<1, 32>>>(in, out);
    permuted<<<1, 32>>>(in, out);
    broadcast<<<1, 32>>>(in, out);
    vector4<<<1, 32>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
    words8<<<1, 32>>>(reinterpret_cast<double*>(in), reinterpret_cast<double*>(out));
    single_bytes<<<1, 32>>>(reinterpret_cast<unsigned char*>(in), reinterpret_cast<unsigned char*>(out));
    volatile_words<<<1, 32>>>(in, out);
    structures<<<1, 32>>>(reinterpret_cast<Point*>(in), out);
    tail<<<2, 64>>>(in, out, 106);
    same_address<<<2, 64>>>(reinterpret_cast<int*>(out));
    neighbors<<<1, 128>>>(reinterpret_cast<int*>(out));
    triangle<<<1, 32>>>(in, out);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
