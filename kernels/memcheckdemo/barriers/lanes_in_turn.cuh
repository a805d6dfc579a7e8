// SPDX-License-Identifier: MIT
//! plant: lane-spinlock, row 46
//! defect: lanes of one warp wait for each other's lock
//! tool: synccheck, in no toolkit
//! bare: right result; every GPU of CUDA 13 makes progress
//! simulator: + --schedule lockstep
//! finding: Barrier error detected\. Threads wait for others of their warp
//! hint 1: The total is right wherever the lanes of a warp advance one by one.
//! hint 2: What if the lanes of a warp run in lockstep?
//! hint 3: While a lane waits in the loop, who releases the lock?
//! cure: Before Volta, and wherever lanes run in lockstep, the loop keeps the lock's owner from running on. Take the
//!     lock, do the work and release it in one branch of the loop.
#include "kernels/memcheckdemo/textbook.cuh"

// One lane at a time adds its element.
__global__ void lanes_in_turn(const int* in, int* lock, volatile int* total) {
#if FAULTY
    while (atomicCAS(lock, 0, 1) != 0) {}  //! here
    __threadfence();
    *total = *total + in[threadIdx.x];
    __threadfence();
    atomicExch(lock, 0);
#else
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *total = *total + in[threadIdx.x];
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
#endif
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_lock = nullptr, *d_total = nullptr;
    TRY(to_device(&d_in, in));
    TRY(to_device(&d_lock, std::vector<int>{0}));
    TRY(to_device(&d_total, std::vector<int>{0}));
    lanes_in_turn<<<1, 32>>>(d_in, d_lock, d_total);
    TRY(finished());
    TRY(to_host(out, d_total));
    TRY(cudaFree(d_in));
    TRY(cudaFree(d_lock));
    return cudaFree(d_total);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    int sum = 0;
    for (int value : in) sum += value;
    return {sum};
}
