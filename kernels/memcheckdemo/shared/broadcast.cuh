// SPDX-License-Identifier: MIT
//! plant: block-flag-race, row 30
//! defect: a plain flag says that data is ready
//! tool: racecheck, since 11.0
//! report: Error: Race reported between (Read|Write) access at .*
//! bare: wrong or right result
//! simulator: Y
//! hint 1: Sometimes a warp reads something other than the data.
//! hint 2: How do the other threads learn that the data is there?
//! hint 3: What orders the data before the flag?
//! cure: A flag orders nothing by itself. __syncthreads(), or an atomic flag with release and acquire.
#include "kernels/memcheckdemo/textbook.cuh"

// Hands one number to all threads.
__global__ void broadcast(const int* in, int* out) {
    __shared__ int data;
#if FAULTY
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = *in;  //! here
        ready = 1;
    }
    while (ready == 0) {}
#else
    if (threadIdx.x == 0) data = *in;
    __syncthreads();
#endif
    out[threadIdx.x] = data;  //! here
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    broadcast<<<1, 64>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) { return std::vector<int>(64, in[0]); }
