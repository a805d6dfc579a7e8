// SPDX-License-Identifier: MIT
//! plant: shfl-short-warp, row 45
//! defect: a sum over a warp that has only eight lanes
//! tool: synccheck, in no toolkit
//! bare: right or wrong result
//! simulator: +
//! finding: Barrier error detected\. Invalid arguments
//! hint 1: The sums are right, by chance.
//! hint 2: How many threads does the last warp have?
//! hint 3: Which lanes does the shuffle read in a warp of eight?
//! cure: Lanes that do not exist have no value. Name the lanes that exist, and add only what comes from them.
//! note: A block of 40 threads: its second warp has eight lanes, but the sum reads from 32.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void sums_of_warps(const int* in, int* sums) {
#if FAULTY
    int sum = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);  //! here
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
#else
    const int lane = threadIdx.x % 32, lanes = min(32, static_cast<int>(blockDim.x - threadIdx.x + lane));
    const unsigned mask = 0xffffffff >> (32 - lanes);
    int sum = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        const int other = __shfl_down_sync(mask, sum, lane + offset < lanes ? offset : 0);
        if (lane + offset < lanes) sum += other;
    }
    if (lane == 0) sums[threadIdx.x / 32] = sum;
#endif
}

// Each warp adds up its elements.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    sums_of_warps<<<1, 40>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(40, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(2);
    for (int i = 0; i < 40; ++i) right[i / 32] += in[i];
    return right;
}
