// SPDX-License-Identifier: MIT
//! plant: unused-memory, row 40
//! defect: half of an array is never touched
//! tool: initcheck --track-unused-memory, since 11.0
//! report: Unused memory in allocation 0x[0-9a-f]+ of size 1,?024 bytes.*
//! bare: silent
//! simulator: Y --check=all,leakcheck,unusedcheck
//! hint 1: The result is right.
//! hint 2: How much memory is asked for, and how much is used?
//! hint 3: Look at the size of the allocation.
//! cure: Twice as much is allocated as is used. Allocate what is needed.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void ascend(int* out, int n, int first) {
    const int i = threadIdx.x;
    if (i < n) out[i] = first + i;
}

// Numbers from in[0] on.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    int* d_out = nullptr;
#if FAULTY
    TRY(cudaMalloc(&d_out, 2 * n * sizeof(int)));  //! here
#else
    TRY(cudaMalloc(&d_out, n * sizeof(int)));
#endif
    ascend<<<1, 256>>>(d_out, n, in[0]);
    TRY(finished());
    TRY(to_host(out, d_out));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(128);
    for (int i = 0; i < 128; ++i) right[i] = in[0] + i;
    return right;
}
