// SPDX-License-Identifier: MIT
//! The thread without an element does not write its slot, but its neighbor
//! reads it.
#include "kernels/memcheckdemo/textbook.cuh"

// Neighbors exchange their elements. A thread whose neighbor has none gets -1.
__global__ void exchange_pairs(const int* in, int* out, int n) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
#if FAULTY
    if (t < n) tile[t] = in[t];
#else
    tile[t] = t < n ? in[t] : -1;
#endif
    __syncthreads();
    if (t < n) out[t] = tile[t ^ 1];  //! here
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    exchange_pairs<<<1, 64>>>(d_in, d_out, static_cast<int>(in.size()));
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(63, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(63, -1);
    for (int i = 0; i < 62; ++i) right[i] = in[i ^ 1];
    return right;
}
