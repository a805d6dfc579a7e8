// SPDX-License-Identifier: MIT
//! plant: warp-sync-assumption, row 29
//! defect: a warp is trusted to run in lockstep
//! tool: racecheck, since 11.0
//! report: (Warning|Error): Race reported between (Read|Write) access at .*
//! bare: right result
//! simulator: Y
//! hint 1: On a GPU the sum is right, mostly; in the simulator it is wrong. Which of the two may a program rely on?
//! hint 2: All threads belong to one warp. Is that enough?
//! hint 3: What orders the rounds of the loop since Volta?
//! cure: Since Volta each lane may be at its own place in the program; volatile orders the accesses of one lane only.
//!     __syncwarp() in each round.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void warp_sum(const int* in, int* sum) {
#if FAULTY
    __shared__ volatile int data[32];
#else
    __shared__ int data[32];
#endif
    const int lane = threadIdx.x;
    data[lane] = in[lane];
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) data[lane] = data[lane] + data[lane + offset];  //! here
#if !FAULTY
        __syncwarp();
#endif
    }
    if (lane == 0) *sum = data[0];
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    warp_sum<<<1, 32>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    int sum = 0;
    for (int value : in) sum += value;
    return {sum};
}
