// SPDX-License-Identifier: MIT
//! plant: shared-counter, row 28
//! defect: threads add to one counter without an atomic operation
//! tool: racecheck, since 11.0
//! report: Error: Race reported between (Read|Write) access at .*
//! bare: wrong result
//! simulator: Y
//! hint 1: On a GPU the count is too small; in the simulator, where threads take turns, it may be right.
//! hint 2: An addition reads, adds and writes.
//! hint 3: What do two threads do that read the same value?
//! cure: Additions get lost. Use atomicAdd(&counter, 1).
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void count_even(const int* in, int* count) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
#if FAULTY
    if (in[threadIdx.x] % 2 == 0) counter += 1;  //! here
#else
    if (in[threadIdx.x] % 2 == 0) atomicAdd(&counter, 1);
#endif
    __syncthreads();
    if (threadIdx.x == 0) *count = counter;
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    count_even<<<1, 256>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    int even = 0;
    for (int value : in) even += value % 2 == 0;
    return {even};
}
