// SPDX-License-Identifier: MIT
//! plant: divergent-syncthreads, row 41
//! defect: each half of a warp has a barrier of its own
//! tool: synccheck, since 11.0
//! report: Barrier error detected\. Divergent thread\(s\) in (warp|block).*
//! bare: wrong or right result
//! simulator: Y
//! hint 1: Half of the result is wrong, or it is right.
//! hint 2: How many __syncthreads() are there, and who reaches each?
//! hint 3: Look at the two branches.
//! cure: All threads of the block must reach the same __syncthreads(). Take it out of the branches.
#include "kernels/memcheckdemo/textbook.cuh"

// Each half takes the other's elements; then the lower half adds pairs, and the upper half subtracts them.
__global__ void swap_halves(const int* in, int* out) {
    __shared__ int data[32];
    const int t = threadIdx.x;
#if FAULTY
    if (t < 16) {
        data[t] = in[t + 16];
        __syncthreads();  //! here
        out[t] = data[t] + data[31 - t];
    } else {
        data[t] = in[t - 16];
        __syncthreads();  //! here
        out[t] = data[t] - data[31 - t];
    }
#else
    data[t] = in[t ^ 16];
    __syncthreads();
    out[t] = t < 16 ? data[t] + data[31 - t] : data[t] - data[31 - t];
#endif
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    swap_halves<<<1, 32>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(32);
    for (int i = 0; i < 32; ++i) {
        const int own = in[i ^ 16], other = in[(31 - i) ^ 16];
        right[i] = i < 16 ? own + other : own - other;
    }
    return right;
}
