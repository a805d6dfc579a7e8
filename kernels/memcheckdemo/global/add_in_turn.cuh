// SPDX-License-Identifier: MIT
//! plant: lock-no-fence, row 35
//! defect: a lock without fences
//! class: unreported
//! tool: racecheck, in no toolkit
//! bare: right or wrong result
//! simulator: +
//! finding: Error: Race reported between (Read|Write) access at .*
//! hint 1: The total is right, mostly.
//! hint 2: Only one thread at a time holds the lock. What about its writes?
//! hint 3: What orders the total before the release of the lock?
//! cure: __threadfence() after taking the lock and before releasing it.
#include "kernels/memcheckdemo/textbook.cuh"

// One block at a time adds its element.
__global__ void add_in_turn(const int* in, int* lock, volatile int* total) {
    if (threadIdx.x > 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
#if !FAULTY
    __threadfence();
#endif
    *total = *total + in[blockIdx.x];  //! here
#if !FAULTY
    __threadfence();
#endif
    atomicExch(lock, 0);
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_lock = nullptr, *d_total = nullptr;
    TRY(to_device(&d_in, in));
    TRY(to_device(&d_lock, std::vector<int>{0}));
    TRY(to_device(&d_total, std::vector<int>{0}));
    add_in_turn<<<static_cast<unsigned>(in.size()), 32>>>(d_in, d_lock, d_total);
    TRY(finished());
    TRY(to_host(out, d_total));
    TRY(cudaFree(d_in));
    TRY(cudaFree(d_lock));
    return cudaFree(d_total);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(64, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    int sum = 0;
    for (int value : in) sum += value;
    return {sum};
}
