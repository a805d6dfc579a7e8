// SPDX-License-Identifier: MIT
//! plant: oob-neighbor, row 3
//! defect: an overrun into the next array
//! tool: memcheck --padding 32, since 11.3
//! report: Invalid __global__ write of size 4 bytes
//! bare: wrong result
//! simulator: +
//! hint 1: An element of one array changes while a kernel works on another.
//! hint 2: On a GPU the address is valid: it belongs to the next array. Which option of compute-sanitizer keeps arrays
//!     apart? (The checked simulator always does.)
//! hint 3: Look at the guard of the kernel that the report names; compute-sanitizer needs --padding 32 to see it.
//! cure: Allocations of a multiple of 512 bytes lie end to end, so an overrun by one hits the neighbor. --padding puts
//!     a gap after each allocation. The cure is the guard: i < n.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void set_all(int* out, int value, int n) {
    const int i = threadIdx.x;
#if FAULTY
    if (i <= n) out[i] = value;  //! here
#else
    if (i < n) out[i] = value;
#endif
}

// Sets the elements of one array to in[0]; another array keeps the rest of the input. The result is both arrays.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = 128;
    std::vector<int> first(n), second(in.begin() + 1, in.end());
    int *d_first = nullptr, *d_second = nullptr;
    TRY(cudaMalloc(&d_first, n * sizeof(int)));
    TRY(to_device(&d_second, second));
    set_all<<<1, 256>>>(d_first, in[0], n);
    TRY(finished());
    TRY(to_host(first, d_first));
    TRY(to_host(second, d_second));
    out = first;
    out.insert(out.end(), second.begin(), second.end());
    TRY(cudaFree(d_first));
    return cudaFree(d_second);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1 + 128, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(128, in[0]);
    right.insert(right.end(), in.begin() + 1, in.end());
    return right;
}
