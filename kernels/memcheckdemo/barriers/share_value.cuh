// SPDX-License-Identifier: MIT
//! plant: shfl-inactive-lane, row 44
//! defect: a shuffle reads from a lane that takes no part
//! tool: synccheck, in no toolkit
//! bare: right or wrong result
//! simulator: +
//! finding: Barrier error detected\. Invalid arguments
//! hint 1: The value that is shared is not what lane 20 has.
//! hint 2: Who takes part in the shuffle?
//! hint 3: Lane 20 is neither in the mask nor in the branch.
//! cure: The result of reading a lane that takes no part is undefined. Shuffle with all lanes, then branch.
#include "kernels/memcheckdemo/textbook.cuh"

// Half of the lanes add lane 20's value.
__global__ void share_value(const int* in, int* out) {
    const int lane = threadIdx.x, own = in[lane];
#if FAULTY
    if (lane < 16) out[lane] = own + __shfl_sync(0x0000ffff, own, 20);  //! here
#else
    const int shared = __shfl_sync(0xffffffff, own, 20);
    if (lane < 16) out[lane] = own + shared;
#endif
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    share_value<<<1, 32>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(16);
    for (int i = 0; i < 16; ++i) right[i] = in[i] + in[20];
    return right;
}
