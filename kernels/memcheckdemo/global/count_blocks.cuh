// SPDX-License-Identifier: MIT
//! plant: scope-too-narrow, row 34
//! defect: atomicAdd_block where blocks meet
//! class: unreported
//! tool: racecheck, in no toolkit
//! bare: right result
//! simulator: +
//! finding: Error: Race reported between Atomic access at .*
//! hint 1: The count is right.
//! hint 2: Who are the threads that add?
//! hint 3: For whom is atomicAdd_block atomic?
//! cure: Its scope is one block; another block's addition may come in between. Use atomicAdd.
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
