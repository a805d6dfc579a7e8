// SPDX-License-Identifier: MIT
//! plant: oob-global-write, row 1
//! defect: the guard lets one thread too many through
//! tool: memcheck, since 11.0
//! report: Invalid __global__ write of size 4 bytes
//! bare: right result
//! simulator: Y
//! hint 1: Without a checker the result is right, and yet something is written that should not be.
//! hint 2: The array has 1000 elements, the grid 1024 threads: which of them may write?
//! hint 3: Look at the comparison in the kernel's guard.
//! cure: i <= n lets thread n write past the last element, into whatever the allocator has put there. An array of n
//!     elements ends before index n: if (i < n).
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
