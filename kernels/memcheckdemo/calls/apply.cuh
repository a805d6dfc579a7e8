// SPDX-License-Identifier: MIT
//! plant: symbol-address, row 15
//! defect: cudaMemcpy to the address of a device variable
//! tool: memcheck, since 11.0
//! report: Program hit cudaErrorInvalidValue \(error 1\) due to "invalid argument" on CUDA API call to cudaMemcpy\.?
//! bare: wrong result
//! simulator: Y
//! hint 1: The result is wrong: the kernel works with the old coefficients.
//! hint 2: Did every call succeed?
//! hint 3: What is the address of a __device__ variable in host code?
//! cure: On the host the name is a shadow of the variable. cudaMemcpyToSymbol, or cudaGetSymbolAddress first.
#include "kernels/memcheckdemo/textbook.cuh"

__device__ int coefficients[32];

__global__ void apply(const int* in, int* out) { out[threadIdx.x] = coefficients[threadIdx.x] * in[threadIdx.x]; }

// The first 32 numbers are the coefficients; they are applied to the others.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, std::vector<int>(in.begin() + 32, in.end())));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
#if FAULTY
    cudaMemcpy(&coefficients, in.data(), sizeof coefficients, cudaMemcpyHostToDevice);  //! here
#else
    TRY(cudaMemcpyToSymbol(coefficients, in.data(), sizeof coefficients));
#endif
    apply<<<1, 32>>>(d_in, d_out);
    TRY(cudaDeviceSynchronize());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32 + 32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int i = 0; i < 32; ++i) right.push_back(in[i] * in[32 + i]);
    return right;
}
