// SPDX-License-Identifier: MIT
//! plant: syncwarp-extra-lane, row 42
//! defect: a lane calls __syncwarp with a mask that does not name it
//! tool: synccheck, since 11.0
//! report: Barrier error detected\. Invalid arguments.*
//! bare: right result
//! simulator: Y
//! hint 1: The result is right.
//! hint 2: Which lanes does the mask name?
//! hint 3: Which lanes call?
//! cure: A lane must be in the mask that it waits with. All 32 call: 0xffffffff.
//! note: The mask names the first 16 lanes; all 32 call.
#include "kernels/memcheckdemo/textbook.cuh"

// Each half of a warp is rotated by one.
__global__ void rotate(const int* in, int* out, unsigned lanes) {
    __shared__ int data[32];
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    __syncwarp(lanes);  //! here
    out[lane] = data[(lane + 1) % 16 + lane / 16 * 16];
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
#if FAULTY
    rotate<<<1, 32>>>(d_in, d_out, 0x0000ffff);
#else
    rotate<<<1, 32>>>(d_in, d_out, 0xffffffff);
#endif
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(32);
    for (int i = 0; i < 32; ++i) right[i] = in[(i + 1) % 16 + i / 16 * 16];
    return right;
}
