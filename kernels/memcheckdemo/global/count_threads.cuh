// SPDX-License-Identifier: MIT
//! Every thread adds without an atomic, and most additions are lost.
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
