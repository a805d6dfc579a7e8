// SPDX-License-Identifier: MIT
//! Atomic within each block, not between them.
#include "kernels/memcheckdemo/textbook.cuh"

// Adds the step once for each block.
__global__ void count_blocks(int* count, int step) {
#if FAULTY
    if (threadIdx.x == 0) atomicAdd_block(count, step);  //! here
#else
    if (threadIdx.x == 0) atomicAdd(count, step);
#endif
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int* d_count = nullptr;
    TRY(to_device(&d_count, std::vector<int>{0}));
    count_blocks<<<128, 32>>>(d_count, in[0]);
    TRY(finished());
    TRY(to_host(out, d_count));
    return cudaFree(d_count);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) { return {128 * in[0]}; }
