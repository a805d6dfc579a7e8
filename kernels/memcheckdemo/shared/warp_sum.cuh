// SPDX-License-Identifier: MIT
//! Before Volta the lanes of a warp ran in lockstep, and volatile was enough. Since then they may not.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void warp_sum(const int* in, int* sum) {
#if FAULTY
    __shared__ volatile int data[32];
#else
    __shared__ int data[32];
#endif
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) data[lane] = data[lane] + data[lane + offset];  //! here
#if !FAULTY
        __syncwarp();
#endif
    }
    if (lane == 0) *sum = data[0];
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    warp_sum<<<1, 32>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    int sum = 0;
    for (int value : in) sum += value;
    return {sum};
}
