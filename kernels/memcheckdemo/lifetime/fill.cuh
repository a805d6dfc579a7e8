// SPDX-License-Identifier: MIT
//! plant: leak-global, row 20
//! defect: cudaMalloc without cudaFree
//! tool: memcheck --leak-check full, since 11.0
//! report: Leaked 1,?024 bytes at 0x[0-9a-f]+.*
//! bare: silent
//! simulator: Y --check=all,leakcheck
//! hint 1: The result is right. What is left behind?
//! hint 2: Which option of memcheck looks at the end of the program?
//! hint 3: Count cudaMalloc and cudaFree.
//! cure: The memory is never freed. In a loop, or in a server, it is the memory that runs out. An owner such as
//!     std::unique_ptr frees on every way out.
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
