// SPDX-License-Identifier: MIT
//! plant: launch-too-much-shared, row 17
//! defect: more than 48 KiB of shared memory without asking for it
//! tool: memcheck, since 11.0
//! report: Program hit cudaErrorInvalidValue \(error 1\) due to "invalid argument" on CUDA API call to
//!     cudaLaunchKernel.*
//! bare: wrong result
//! simulator: Y
//! hint 1: The kernel seems to do nothing.
//! hint 2: A launch returns no error: which call does?
//! hint 3: How much dynamic shared memory does the launch ask for?
//! cure: Above 48 KiB a kernel must opt in first: cudaFuncSetAttribute with
//!     cudaFuncAttributeMaxDynamicSharedMemorySize.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void reverse(const int* in, int* out, int n) {
    extern __shared__ int tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tile[n - 1 - i];
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(in.size()), bytes = n * static_cast<int>(sizeof(int));
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, bytes));
    TRY(cudaMemset(d_out, 0, bytes));
#if !FAULTY
    TRY(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
#endif
    reverse<<<1, 256, bytes>>>(d_in, d_out, n);  //! here
    TRY(cudaDeviceSynchronize());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(13 * 1024, seed); }
std::vector<int> expected(const std::vector<int>& in) { return {in.rbegin(), in.rend()}; }
