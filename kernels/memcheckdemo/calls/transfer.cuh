// SPDX-License-Identifier: MIT
//! plant: memcpy-oversize, row 14
//! defect: a copy of more bytes than the array has
//! tool: memcheck, since 11.0
//! report: Program hit cudaErrorInvalidValue \(error 1\) due to "invalid argument" on CUDA API call to cudaMemcpy\.?
//! bare: wrong result
//! simulator: Y
//! hint 1: The result comes from what was there before.
//! hint 2: Did every call succeed?
//! hint 3: How many bytes does the array have?
//! cure: n * sizeof(int) was multiplied by sizeof(int) once more. The copy fails as a whole.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void add_one(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(in.size());
    const std::size_t bytes = n * sizeof(int);
    int* d_data = nullptr;
    TRY(cudaMalloc(&d_data, bytes));
    TRY(cudaMemset(d_data, 0, bytes));
#if FAULTY
    cudaMemcpy(d_data, in.data(), bytes * sizeof(int), cudaMemcpyHostToDevice);  //! here
#else
    TRY(cudaMemcpy(d_data, in.data(), bytes, cudaMemcpyHostToDevice));
#endif
    add_one<<<n / 256, 256>>>(d_data, n);
    TRY(cudaDeviceSynchronize());
    TRY(to_host(out, d_data));
    return cudaFree(d_data);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1 << 20, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int value : in) right.push_back(value + 1);
    return right;
}
