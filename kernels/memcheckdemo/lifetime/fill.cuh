// SPDX-License-Identifier: MIT
//! Memory that is still allocated when the context ends is leaked.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void fill(int* out, int first) { out[threadIdx.x] = first + static_cast<int>(threadIdx.x); }

// Numbers from in[0] on. The device is not used afterwards.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    int* d_out = nullptr;
    TRY(cudaMalloc(&d_out, n * sizeof(int)));  //! here
    fill<<<1, n>>>(d_out, in[0]);
    TRY(finished());
    TRY(to_host(out, d_out));
#if !FAULTY
    TRY(cudaFree(d_out));
#endif
    return cudaDeviceReset();
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(256);
    for (int i = 0; i < 256; ++i) right[i] = in[0] + i;
    return right;
}
