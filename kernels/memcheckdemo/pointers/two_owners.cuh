// SPDX-License-Identifier: MIT
//! plant: double-free, row 10
//! defect: cudaFree is called twice for the same memory
//! tool: memcheck, since 11.0
//! report: Program hit cudaErrorInvalidValue \(error 1\) due to "invalid argument" on CUDA API call to cudaFree\.?
//! bare: silent
//! simulator: Y
//! hint 1: Nothing seems wrong, unless the error of every call is checked.
//! hint 2: Which call returns invalid argument?
//! hint 3: Two pointers, one allocation: who owns it?
//! cure: The second cudaFree may also free what somebody else has been given in between. One owner frees.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void three_times(int* data) { data[threadIdx.x] *= 3; }

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int* owner = nullptr;
    TRY(to_device(&owner, in));
    int* reader = owner;
    three_times<<<1, static_cast<unsigned>(in.size())>>>(owner);
    TRY(finished());
    TRY(to_host(out, reader));
    TRY(cudaFree(owner));
#if FAULTY
    return cudaFree(reader);  //! here
#else
    return cudaSuccess;
#endif
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int value : in) right.push_back(3 * value);
    return right;
}
