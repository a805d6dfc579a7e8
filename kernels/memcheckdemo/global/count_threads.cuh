// SPDX-License-Identifier: MIT
//! plant: global-counter, row 32
//! defect: threads of all blocks add to one counter without an atomic operation
//! class: unreported
//! tool: racecheck, in no toolkit
//! bare: wrong result
//! simulator: +
//! finding: Error: Race reported between (Read|Write) access at .*
//! hint 1: On a GPU the count is far too small; in the simulator, where threads take turns, it may be right.
//! hint 2: compute-sanitizer's racecheck looks at shared memory only, the simulator's at global memory, too. Where is
//!     this counter?
//! hint 3: An addition reads, adds and writes.
//! cure: Additions get lost. Use atomicAdd(count, 1), or a sum per block first.
#include "kernels/memcheckdemo/textbook.cuh"

// Adds the step once for each thread.
#if FAULTY
__global__ void count_threads(int* count, int step) {
    *count += step;  //! here
}
#else
__global__ void count_threads(int* count, int step) { atomicAdd(count, step); }
#endif

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int* d_count = nullptr;
    TRY(to_device(&d_count, std::vector<int>{0}));
    count_threads<<<64, 256>>>(d_count, in[0]);
    TRY(finished());
    TRY(to_host(out, d_count));
    return cudaFree(d_count);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) { return {64 * 256 * in[0]}; }
