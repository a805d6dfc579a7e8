// SPDX-License-Identifier: MIT
//! plant: oob-local, row 6
//! defect: an index runs past an array in the thread's own memory
//! tool: memcheck, since 11.0
//! report: Invalid __local__ write of size 4 bytes
//! bare: right result
//! simulator: +
//! hint 1: One value of the input is not what the kernel was written for.
//! hint 2: A thread's own array lies in local memory. compute-sanitizer sees an overrun that leaves the thread's frame,
//!     the simulator one that leaves the array.
//! hint 3: Which bin does the last thread fill?
//! cure: A bin beyond the 64 is written. Indices that come from data must be checked before they are used.
//! note: The members after the bins absorb a small overrun. compute-sanitizer knows where the thread's frame ends, not
//!     where an array in it ends: on a GPU one value is beyond the frame. The simulator's threads have their frames on
//!     host stacks, where it stays inside.
#include "kernels/memcheckdemo/textbook.cuh"

struct LocalBins {
    int count[64];
    int reserve[64];
};

// Each thread has 64 bins of its own and counts its element in one of them. The result is the number of that bin, from
// 1 on, or 0 for an element that belongs to none.
__global__ void spread(const int* in, int* out) {
    LocalBins local = {};
    const int bin_of_thread = in[threadIdx.x];
#if FAULTY
    local.count[bin_of_thread] = 1;  //! here
#else
    if (bin_of_thread < 64) local.count[bin_of_thread] = 1;
#endif
    int found = 0;
    for (int bin = 0; bin < 64; ++bin) found += (bin + 1) * local.count[bin];
    out[threadIdx.x] = found;
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    spread<<<1, 32>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) {
#ifdef __SIMCC__
    const int last = 64;
#else
    const int last = 128;
#endif
    std::vector<int> bins = numbers(32, seed);
    for (int& bin : bins) bin %= 64;
    bins.back() = last;
    return bins;
}
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int bin : in) right.push_back(bin < 64 ? bin + 1 : 0);
    return right;
}
