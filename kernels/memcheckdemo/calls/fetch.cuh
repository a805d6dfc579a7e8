// SPDX-License-Identifier: MIT
//! plant: memcpy-wrong-kind, row 13
//! defect: cudaMemcpyHostToDevice on the way back
//! tool: memcheck, since 11.0
//! report: Program hit cudaErrorInvalidValue \(error 1\) due to "invalid argument" on CUDA API call to cudaMemcpy\.?
//! bare: wrong result
//! simulator: Y
//! hint 1: The result is what was there before.
//! hint 2: Did every call succeed?
//! hint 3: Look at the copy's last argument.
//! cure: The direction says that the source is on the host. cudaMemcpyDeviceToHost is right, cudaMemcpyDefault always
//!     is.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void add_one(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(in.size());
    int* d_data = nullptr;
    TRY(to_device(&d_data, in));
    add_one<<<1, n>>>(d_data, n);
    TRY(finished());
#if FAULTY
    cudaMemcpy(out.data(), d_data, n * sizeof(int), cudaMemcpyHostToDevice);  //! here
    cudaFree(d_data);
    return cudaSuccess;
#else
    TRY(cudaMemcpy(out.data(), d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    return cudaFree(d_data);
#endif
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int value : in) right.push_back(value + 1);
    return right;
}
