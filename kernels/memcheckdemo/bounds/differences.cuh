// SPDX-License-Identifier: MIT
//! plant: oob-negative-read, row 2
//! defect: a stencil reads the left neighbor of element 0
//! tool: memcheck, since 11.0
//! report: Invalid __global__ read of size 4 bytes
//! bare: crash or right result
//! simulator: Y
//! hint 1: All elements are right, or the kernel crashes.
//! hint 2: Which element has no left neighbor?
//! hint 3: Look at the index i - 1 for i = 0.
//! cure: Thread 0 reads in[-1]. A stencil needs a rule for its border: here the missing neighbor counts as 0.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void differences(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FAULTY
    if (i < n) out[i] = in[i] - in[i - 1];  //! here
#else
    if (i < n) out[i] = in[i] - (i > 0 ? in[i - 1] : 0);
#endif
}

// The difference of each element from the previous one; the first is taken from 0.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    differences<<<4, 256>>>(d_in, d_out, static_cast<int>(in.size()));
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1000, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right = in;
    for (std::size_t i = 1; i < in.size(); ++i) right[i] = in[i] - in[i - 1];
    return right;
}
