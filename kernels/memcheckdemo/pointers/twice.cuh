// SPDX-License-Identifier: MIT
//! The kernel runs after its input has been freed.
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
