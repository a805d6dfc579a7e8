// SPDX-License-Identifier: MIT
//! plant: cuda-barrier-misuse, row 47
//! defect: a cuda::barrier is used without init
//! tool: synccheck, since 11.4
//! report: Barrier error detected\. Missing init.*
//! bare: crash or hang
//! hangs: yes
//! simulator: Y
//! hint 1: The kernel crashes, or does not end.
//! hint 2: How many arrivals does the barrier expect?
//! hint 3: Who sets that number?
//! cure: A barrier object in shared memory starts as whatever was there. One thread calls init, then all
//!     __syncthreads().
#include <cuda/barrier>

#include "kernels/memcheckdemo/textbook.cuh"

// nvcc warns that a barrier object in shared memory is not constructed. It does not have to be.
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

// The elements in reverse order.
__global__ void mirror(const int* in, int* out) {
    __shared__ int data[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const int t = threadIdx.x;
#if !FAULTY
    if (t == 0) init(&barrier, 64);
#endif
    __syncthreads();
    data[t] = in[t];
    barrier.arrive_and_wait();  //! here
    out[t] = data[63 - t];
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    mirror<<<1, 64>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(64, seed); }
std::vector<int> expected(const std::vector<int>& in) { return {in.rbegin(), in.rend()}; }
