// SPDX-License-Identifier: MIT
//! cudaMemset counts bytes: only a quarter of the sums start at zero.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void accumulate(const int* in, int* sums) {
    sums[threadIdx.x] += in[threadIdx.x];  //! here
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(in.size());
    int *d_in = nullptr, *d_sums = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_sums, n * sizeof(int)));
#if FAULTY
    TRY(cudaMemset(d_sums, 0, n));
#else
    TRY(cudaMemset(d_sums, 0, n * sizeof(int)));
#endif
    accumulate<<<1, n>>>(d_in, d_sums);
    TRY(finished());
    TRY(to_host(out, d_sums));
    TRY(cudaFree(d_in));
    return cudaFree(d_sums);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) { return in; }
