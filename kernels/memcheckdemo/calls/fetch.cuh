// SPDX-License-Identifier: MIT
//! The copy back to the host has the direction of the copy to the device.
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
