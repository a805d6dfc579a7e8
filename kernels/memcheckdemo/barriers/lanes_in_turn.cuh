// SPDX-License-Identifier: MIT
//! The lanes of a warp wait for each other's lock. If they run in lockstep, the owner never gets to release it.
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
