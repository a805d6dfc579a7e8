// SPDX-License-Identifier: MIT
//! plant: syncwarp-missing-lane, row 43
//! defect: __syncwarp names a lane that waits elsewhere
//! tool: synccheck, in no toolkit
//! bare: hang
//! hangs: yes
//! simulator: +
//! finding: Barrier error detected\. Threads wait for each other in different places
//! hint 1: The kernel does not end.
//! hint 2: Who waits for whom?
//! hint 3: Which lane does not reach __syncwarp()?
//! cure: __syncwarp() waits for all 32 lanes, and lane 31 waits at __syncthreads(). All of them must reach the same
//!     one.
#include "kernels/memcheckdemo/textbook.cuh"

// Each lane takes its neighbor's element; the last lane takes the first one.
__global__ void next_in_warp(const int* in, int* out) {
    __shared__ int data[32];
    const int lane = threadIdx.x;
    data[lane] = in[lane];
#if FAULTY
    if (lane < 31) {
        __syncwarp();  //! here
        out[lane] = data[lane + 1];
    }
    __syncthreads();  //! here
#else
    __syncwarp();
    if (lane < 31) out[lane] = data[lane + 1];
    __syncthreads();
#endif
    if (lane == 31) out[lane] = data[0];
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    next_in_warp<<<1, 32>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(32);
    for (int i = 0; i < 32; ++i) right[i] = in[(i + 1) % 32];
    return right;
}
