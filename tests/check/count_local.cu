// SPDX-License-Identifier: MIT
// Arrays in local memory, and some that are not, for the counters.
__global__ void own_index(int* out, const int* in) {
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = in[i];
    out[threadIdx.x] = a[in[threadIdx.x] & 7];  // lane i reads element i % 8
}

__global__ void same_index(double* out, const int* in) {
    double a[4];
    for (int i = 0; i < 4; ++i) a[i] = in[i];
    out[threadIdx.x] = a[in[3] & 3];
}

__global__ void bytes(char* out, const int* in) {
    char a[64];
    for (int i = 0; i < 64; ++i) a[i] = char(in[i % 32]);
    out[threadIdx.x] = a[in[threadIdx.x]];  // four lanes read one word
}

__global__ void constant_index(int* out, const int* in) {
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = in[i];
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += a[7 - i];
    out[threadIdx.x] = sum;
}

__device__ int inner(int k) {
    int a[4];
    for (int i = 0; i < 4; ++i) a[i] = i + k;
    return a[k % 4];
}

__global__ void nested_scopes(int* out) {
    int sum = 0;
    for (int round = 0; round < 2; ++round) {
        int b[2];
        b[threadIdx.x % 2] = inner(int(threadIdx.x));
        b[1 - threadIdx.x % 2] = 1;
        sum += b[0];
    }
    out[threadIdx.x] = sum;
}

__global__ void half_of_the_lanes(int* out, const int* in) {
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = i;
    if (threadIdx.x % 2 == 0) out[threadIdx.x] = a[in[threadIdx.x] & 7];
}

// A factor unrolls a loop whole if it has no more turns than that.
__global__ void run_time_bound(int* out, const int* in, int n) {
    int a[8] = {};
#pragma unroll 2
    for (int i = 0; i < n; ++i) a[i] = in[i];
    out[threadIdx.x] = a[3];
}

__global__ void small_factor(int* out, const int* in) {
    int a[8];
#pragma unroll 4
    for (int i = 7; i >= 0; i--) a[i] = in[i];
    out[threadIdx.x] = a[3];
}

constexpr int elements = 8;

__global__ void large_factor(int* out, const int* in) {
    int a[elements];
#pragma unroll 4
    for (unsigned i = 0; i < elements; i += 2u) a[i] = a[i + 1] = in[i];
#pragma unroll(8)
    for (int i = 1; i <= elements; ++i) a[i - 1] += 1;
    out[threadIdx.x] = a[3];
}

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 64 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(double));
    for (int i = 0; i < 64; ++i) in[i] = i;
    own_index<<<1, 32>>>(out, in);
    same_index<<<1, 32>>>(reinterpret_cast<double*>(out), in);
    bytes<<<1, 32>>>(reinterpret_cast<char*>(out), in);
    constant_index<<<1, 32>>>(out, in);
    nested_scopes<<<2, 32>>>(out);
    half_of_the_lanes<<<1, 32>>>(out, in);
    run_time_bound<<<1, 32>>>(out, in, 6);
    small_factor<<<1, 32>>>(out, in);
    large_factor<<<1, 32>>>(out, in);
    return cudaDeviceSynchronize();
}
