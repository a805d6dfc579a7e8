// SPDX-License-Identifier: MIT
//! The guard lets one thread too many through.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void count_up(int* out, int n, int first) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FAULTY
    if (i <= n) out[i] = first + i;  //! here
#else
    if (i < n) out[i] = first + i;
#endif
}

// Counts up from in[0].
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    int* d_out = nullptr;
    TRY(cudaMalloc(&d_out, n * sizeof(int)));
    count_up<<<(n + 255) / 256, 256>>>(d_out, n, in[0]);
    TRY(finished());
    TRY(to_host(out, d_out));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(1000);
    for (int i = 0; i < 1000; ++i) right[i] = in[0] + i;
    return right;
}
