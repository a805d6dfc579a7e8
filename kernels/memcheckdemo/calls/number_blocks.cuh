// SPDX-License-Identifier: MIT
//! plant: launch-too-many-threads, row 16
//! defect: 2048 threads per block
//! tool: memcheck, since 11.0
//! report: Program hit cudaErrorInvalid(Configuration|Value) \(error [19]\) .* on CUDA API call to cudaLaunchKernel.*
//! bare: wrong result
//! simulator: Y
//! hint 1: The kernel seems to do nothing.
//! hint 2: A launch returns no error: which call does?
//! hint 3: How many threads may a block have?
//! cure: A block has 1024 threads at most. cudaGetLastError after every launch would have said so.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void number_blocks(int* out, int first) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = first + i;
}

// Numbers the threads of all blocks from in[0] on.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
#if FAULTY
    const int block = 2048;
#else
    const int block = 1024;
#endif
    int* d_out = nullptr;
    TRY(cudaMalloc(&d_out, n * sizeof(int)));
    TRY(cudaMemset(d_out, 0, n * sizeof(int)));
    number_blocks<<<n / block, block>>>(d_out, in[0]);  //! here
    TRY(cudaDeviceSynchronize());
    TRY(to_host(out, d_out));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(2048);
    for (int i = 0; i < 2048; ++i) right[i] = in[0] + i;
    return right;
}
