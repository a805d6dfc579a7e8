// SPDX-License-Identifier: MIT
//! plant: oob-shared, row 5
//! defect: a tile in shared memory is one element too short
//! tool: memcheck, since 11.0
//! report: Invalid __shared__ write of size 4 bytes
//! bare: crash or right result
//! simulator: Y
//! hint 1: The result is right, or the kernel crashes.
//! hint 2: Count the slots of the tile that are written.
//! hint 3: tile[t + 1] for t = 255 is tile[256]; the tile has 256 elements.
//! cure: The last thread writes past the tile. Another array, or another block's data, may be there next time. The tile
//!     needs 256 + 1 elements.
#include "kernels/memcheckdemo/textbook.cuh"

// Each thread takes the element to its left; the first one takes 0.
__global__ void shift_right(const int* in, int* out) {
#if FAULTY
    __shared__ int tile[256];
#else
    __shared__ int tile[256 + 1];
#endif
    const int t = threadIdx.x;
    tile[t + 1] = in[t];  //! here
    __syncthreads();
    out[t] = t > 0 ? tile[t] : 0;
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    shift_right<<<1, 256>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(in.size(), 0);
    for (std::size_t i = 1; i < in.size(); ++i) right[i] = in[i - 1];
    return right;
}
