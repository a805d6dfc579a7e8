// SPDX-License-Identifier: MIT
//! plant: sticky-error, row 18
//! defect: valid calls fail after a kernel's fault
//! tool: memcheck, since 11.0
//! report: Invalid __global__ write of size 4 bytes
//! bare: crash
//! simulator: Y
//! hint 1: cudaMemset fails, and its arguments are right.
//! hint 2: Which error is it, and could an earlier call have caused it?
//! hint 3: The kernel writes through a pointer that is null.
//! cure: The fault of a kernel ends the context: every call after it returns the same error. Look for the first one.
#include "kernels/memcheckdemo/textbook.cuh"

// target[0] is where the result belongs.
__global__ void store_result(int* const* target, int value) {
    *target[0] = value + 1;  //! here
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_out = nullptr, *d_next = nullptr, **d_target = nullptr;
    TRY(cudaMalloc(&d_out, sizeof(int)));
    TRY(cudaMalloc(&d_next, sizeof(int)));
    TRY(cudaMalloc(&d_target, sizeof(int*)));
#if FAULTY
    TRY(cudaMemset(d_target, 0, sizeof(int*)));
#else
    TRY(cudaMemcpy(d_target, &d_out, sizeof(int*), cudaMemcpyHostToDevice));
#endif
    store_result<<<1, 1>>>(d_target, in[0]);
    cudaDeviceSynchronize();
    TRY(cudaMemset(d_next, 0, sizeof(int)));
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_target));
    TRY(cudaFree(d_next));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) { return {in[0] + 1}; }
