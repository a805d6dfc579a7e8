// SPDX-License-Identifier: MIT
//! plant: memset-short, row 37
//! defect: cudaMemset is given a number of elements, not of bytes
//! tool: initcheck, since 11.0
//! report: Uninitialized __global__ memory read of size 4 bytes
//! bare: right or wrong result
//! simulator: Y
//! hint 1: Sums may start from anything.
//! hint 2: How much of the array is set to zero?
//! hint 3: What does cudaMemset count?
//! cure: Bytes: n * sizeof(int). A quarter of the array is zero, the rest is what was there.
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
