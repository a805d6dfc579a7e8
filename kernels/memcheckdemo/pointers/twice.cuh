// SPDX-License-Identifier: MIT
//! plant: use-after-free, row 9
//! defect: a kernel reads freed memory
//! tool: memcheck, since 11.0
//! report: Invalid __global__ read of size 4 bytes
//! bare: right result or crash
//! simulator: Y
//! hint 1: The result is often right.
//! hint 2: Which of the kernel's arrays still exists when it is launched?
//! hint 3: The input is freed just before the launch.
//! cure: Freed memory keeps its contents until somebody else gets it. Free after the last kernel that uses it.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void twice(const int* in, int* out) {
    out[threadIdx.x] = 2 * in[threadIdx.x];  //! here
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
#if FAULTY
    TRY(cudaFree(d_in));
    twice<<<1, static_cast<unsigned>(out.size())>>>(d_in, d_out);
    TRY(finished());
#else
    twice<<<1, static_cast<unsigned>(out.size())>>>(d_in, d_out);
    TRY(finished());
    TRY(cudaFree(d_in));
#endif
    TRY(to_host(out, d_out));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int value : in) right.push_back(2 * value);
    return right;
}
