// SPDX-License-Identifier: MIT
//! plant: stack-overflow, row 23
//! defect: a recursion steps over its end
//! tool: memcheck, since 11.0
//! report: Stack overflow.*
//! bare: crash
//! simulator: ~
//! hint 1: Even numbers work, odd ones crash the kernel.
//! hint 2: How deep does the recursion go?
//! hint 3: n goes down in steps of two: does it reach 0?
//! cure: It ends at n == 0, and 3, 1, -1 miss that: test n <= 0. A thread's stack has 1 KiB by default
//!     (cudaLimitStackSize).
//! note: The recursion ends at 0, which an odd n steps over. volatile keeps the frame, so that it stays a recursion.
//!     The corrected version, for an n of 1 or 3, fits in a stack of 1 KiB.
#include "kernels/memcheckdemo/textbook.cuh"

// 1 + 3 + ... + n for an odd n.
__device__ __noinline__ int sum_of_every_second(int n) {
    volatile int frame[64];
    frame[0] = n;  //! here in the simulator
#if FAULTY
    if (n == 0) return 0;
#else
    if (n <= 0) return 0;
#endif
    return sum_of_every_second(n - 2) + frame[0];  //! here on a GPU
}

__global__ void sums_to(const int* in, int* out) { *out = sum_of_every_second(in[0]) * in[1]; }

// The sum up to in[0], in[1] times.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    sums_to<<<1, 1>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) {
    std::vector<int> pair = numbers(2, seed);
    pair[0] = pair[0] % 2 == 0 ? 1 : 3;
    return pair;
}
std::vector<int> expected(const std::vector<int>& in) { return {(in[0] + 1) / 2 * ((in[0] + 1) / 2) * in[1]}; }
