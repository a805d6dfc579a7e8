// SPDX-License-Identifier: MIT
//! plant: grid-reduce-no-fence, row 33
//! defect: the last block adds up, but may not see the others' counts
//! class: unreported
//! tool: racecheck, in no toolkit
//! bare: right result
//! simulator: +
//! finding: Error: Race reported between (Read|Write) access at .*
//! hint 1: The total is right.
//! hint 2: The ticket is atomic. Which accesses are not?
//! hint 3: What keeps a block's count before its ticket?
//! cure: Plain writes and an atomic operation on another address may become visible in any order. __threadfence()
//!     between the count and the ticket, and after the last ticket.
#include "kernels/memcheckdemo/textbook.cuh"

// Every block stores its count, and the last one to finish adds them up.
__global__ void count_odd(const int* in, volatile int* counts, unsigned* tickets, int* total) {
    const int count = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x] % 2);
    if (threadIdx.x > 0) return;
    counts[blockIdx.x] = count;  //! here
#if !FAULTY
    __threadfence();
#endif
    if (atomicAdd(tickets, 1u) < gridDim.x - 1) return;
#if !FAULTY
    __threadfence();
#endif
    int sum = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) sum += counts[block];  //! here
    *total = sum;
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int blocks = 32, block = 64;
    int *d_in = nullptr, *d_counts = nullptr, *d_total = nullptr;
    unsigned* d_tickets = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_counts, blocks * sizeof(int)));
    TRY(cudaMalloc(&d_total, sizeof(int)));
    TRY(to_device(&d_tickets, std::vector<unsigned>{0}));
    count_odd<<<blocks, block>>>(d_in, d_counts, d_tickets, d_total);
    TRY(finished());
    TRY(to_host(out, d_total));
    TRY(cudaFree(d_in));
    TRY(cudaFree(d_counts));
    TRY(cudaFree(d_tickets));
    return cudaFree(d_total);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(32 * 64, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    int odd = 0;
    for (int value : in) odd += value % 2;
    return {odd};
}
