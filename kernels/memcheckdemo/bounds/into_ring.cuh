// SPDX-License-Identifier: MIT
//! plant: index-overflow, row 4
//! defect: row * pitch does not fit in an int
//! tool: memcheck, since 11.0
//! report: Invalid __global__ write of size 4 bytes
//! bare: wrong result or crash
//! simulator: Y
//! hint 1: Small inputs work, large ones do not.
//! hint 2: How large is row * pitch at the first row?
//! hint 3: The product wraps to a negative number, and so does its remainder: look where it is computed.
//! cure: 50000 * 50001 is more than 2^31 - 1. Multiply in 64 bits: static_cast<long long>(row) * pitch.
//! note: From row 46341 on, the product does not fit in an int and becomes negative; volatile keeps the compiler from
//!     multiplying in 64 bits.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void into_ring(int* ring, int first_row, int pitch, int n) {
    const int row = first_row + static_cast<int>(threadIdx.x);
#if FAULTY
    volatile int position = static_cast<int>(static_cast<unsigned>(row) * pitch);
    ring[position % n] = row;  //! here
#else
    const long long position = static_cast<long long>(row) * pitch;
    ring[position % n] = row;
#endif
}

// Stores 32 row numbers from in[0] on, each at its position in a ring of 1000 elements; all other elements stay -1.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int* d_ring = nullptr;
    TRY(to_device(&d_ring, std::vector<int>(out.size(), -1)));
    into_ring<<<1, 32>>>(d_ring, in[0], 50001, static_cast<int>(out.size()));
    TRY(finished());
    TRY(to_host(out, d_ring));
    return cudaFree(d_ring);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return {50000 + numbers(1, seed)[0]}; }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(1000, -1);
    for (int row = in[0]; row < in[0] + 32; ++row) right[50001LL * row % 1000] = row;
    return right;
}
