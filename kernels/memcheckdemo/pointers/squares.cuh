// SPDX-License-Identifier: MIT
//! plant: null-deref, row 8
//! defect: cudaMalloc failed, and nobody checked
//! tool: memcheck, since 11.0
//! report: Program hit cudaErrorMemoryAllocation \(error 2\).*|Invalid __global__ write of size 4 bytes
//! bare: crash
//! simulator: Y
//! hint 1: The kernel crashes at its first access.
//! hint 2: Which address does it write to?
//! hint 3: What did cudaMalloc return, and what did it leave in the pointer?
//! cure: More memory was asked for than there is, so the pointer stayed null. Check the error of every call.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void squares(int* out, int first) {
    const int number = first + static_cast<int>(threadIdx.x);
    out[threadIdx.x] = number * number;  //! here
}

// The squares of the numbers from in[0] on.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int* d_out = nullptr;
#if FAULTY
    cudaMalloc(&d_out, std::size_t{1} << 60);
#else
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
#endif
    squares<<<1, static_cast<unsigned>(out.size())>>>(d_out, in[0]);
    TRY(finished());
    TRY(to_host(out, d_out));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(256);
    for (int i = 0; i < 256; ++i) right[i] = (in[0] + i) * (in[0] + i);
    return right;
}
