// SPDX-License-Identifier: MIT
//! Slots 1 to 256 are written, but only slots 0 to 255 exist.
#include "kernels/memcheckdemo/textbook.cuh"

// Each thread takes the element to its left; the first one takes 0.
__global__ void shift_right(const int* in, int* out) {
#if FAULTY
    __shared__ int tile[256];
#else
    __shared__ int tile[256 + 1];
#endif
    const int t = threadIdx.x;
    tile[t + 1] = in[t];  //! here
    __syncthreads();
    out[t] = t > 0 ? tile[t] : 0;
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    shift_right<<<1, 256>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(in.size(), 0);
    for (std::size_t i = 1; i < in.size(); ++i) right[i] = in[i - 1];
    return right;
}
