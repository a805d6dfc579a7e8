// SPDX-License-Identifier: MIT
//! plant: async-misattribution, row 19
//! defect: one kernel faults, the next one's check is blamed
//! tool: memcheck, since 11.0
//! report: Invalid __global__ write of size 4 bytes
//! bare: crash
//! simulator: Y
//! hint 1: The check after the second kernel reports an illegal address.
//! hint 2: Kernels run later than their launches return.
//! hint 3: It is the first kernel: look at the places that it writes to.
//! cure: The places are far outside: six bits begin at bit 5, not at bit 30. A check after each kernel, with
//!     cudaDeviceSynchronize, shows which one failed; CUDA_LAUNCH_BLOCKING=1 does so without a change.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void scatter(const int* in, int* out, const int* places) {
    out[places[threadIdx.x]] = in[threadIdx.x];  //! here
}

__global__ void gather(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }

// The six bits of a number reversed: the order in which a Fourier transform of 64 elements begins.
int reversed_bits(int number) {
    int reversed = 0;
#if FAULTY
    for (int bit = 0; bit < 6; ++bit) reversed |= (number >> bit & 1) << (30 - bit);
#else
    for (int bit = 0; bit < 6; ++bit) reversed |= (number >> bit & 1) << (5 - bit);
#endif
    return reversed;
}

// Each element goes to its place; then all are incremented.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(in.size());
    std::vector<int> places(n);
    for (int i = 0; i < n; ++i) places[i] = reversed_bits(i);
    int *d_in = nullptr, *d_places = nullptr, *d_middle = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(to_device(&d_places, places));
    TRY(to_device(&d_middle, std::vector<int>(n, 0)));
    TRY(cudaMalloc(&d_out, n * sizeof(int)));
    scatter<<<1, n>>>(d_in, d_middle, d_places);
    gather<<<1, n>>>(d_middle, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    TRY(cudaFree(d_places));
    TRY(cudaFree(d_middle));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(64, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(64);
    for (int i = 0; i < 64; ++i) {
        const int place = (i & 1) << 5 | (i & 2) << 3 | (i & 4) << 1 | (i & 8) >> 1 | (i & 16) >> 3 | (i & 32) >> 5;
        right[place] = in[i] + 1;
    }
    return right;
}
