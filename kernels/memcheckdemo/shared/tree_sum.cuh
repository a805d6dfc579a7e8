// SPDX-License-Identifier: MIT
//! plant: reduce-missing-barrier, row 26
//! defect: a tree reduction without a barrier between its rounds
//! tool: racecheck, since 11.0
//! report: Error: Race reported between (Read|Write) access at .*
//! bare: wrong result
//! simulator: Y
//! hint 1: The sum is wrong, and on another machine it may be wrong in another way.
//! hint 2: Each round reads what the one before has written.
//! hint 3: What makes a warp wait for the others in the loop?
//! cure: A warp may be a round ahead of another. __syncthreads() at the start of each round.
#include "kernels/memcheckdemo/textbook.cuh"

// A tree: each round adds the upper half to the lower half.
__global__ void tree_sum(const int* in, int* sum) {
    __shared__ int data[256];
    const int t = threadIdx.x;
    data[t] = in[t];
#if FAULTY
    __syncthreads();
#endif
    for (int stride = 128; stride > 0; stride /= 2) {
#if !FAULTY
        __syncthreads();
#endif
        if (t < stride) data[t] += data[t + stride];  //! here
    }
    if (t == 0) *sum = data[0];
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    tree_sum<<<1, 256>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    int sum = 0;
    for (int value : in) sum += value;
    return {sum};
}
