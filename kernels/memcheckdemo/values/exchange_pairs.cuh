// SPDX-License-Identifier: MIT
//! plant: uninit-shared, row 39
//! defect: a thread without an element leaves its slot of the tile as it was
//! tool: initcheck, in no toolkit
//! bare: wrong result
//! simulator: +
//! finding: Uninitialized __shared__ memory read of size 4 bytes
//! hint 1: The last element is not what it should be.
//! hint 2: compute-sanitizer's initcheck does not look at shared memory; the simulator's does.
//! hint 3: Who fills the slot that the last thread reads?
//! cure: Slot 63 is read, and its thread has skipped the load. Every slot that is read needs a value: here -1.
#include "kernels/memcheckdemo/textbook.cuh"

// Neighbors exchange their elements. A thread whose neighbor has none gets -1.
__global__ void exchange_pairs(const int* in, int* out, int n) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
#if FAULTY
    if (t < n) tile[t] = in[t];
#else
    tile[t] = t < n ? in[t] : -1;
#endif
    __syncthreads();
    if (t < n) out[t] = tile[t ^ 1];  //! here
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    exchange_pairs<<<1, 64>>>(d_in, d_out, static_cast<int>(in.size()));
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(63, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(63, -1);
    for (int i = 0; i < 62; ++i) right[i] = in[i ^ 1];
    return right;
}
