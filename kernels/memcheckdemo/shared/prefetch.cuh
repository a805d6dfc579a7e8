// SPDX-License-Identifier: MIT
//! plant: async-copy-no-wait, row 31
//! defect: a tile is read before its asynchronous copy is waited for
//! tool: racecheck --racecheck-report hazard, since 11.3
//! report: (Error|Warning): .*hazard detected.*
//! bare: wrong result
//! simulator: ~
//! finding: Warning: Race reported between Write access at .*
//! hint 1: The result is what was in the tile before.
//! hint 2: The copy into the tile is asynchronous.
//! hint 3: Which call waits for it, and where does it stand?
//! cure: The tile may be read after __pipeline_wait_prior(0), and not before.
#include <cuda_pipeline.h>

#include "kernels/memcheckdemo/textbook.cuh"

// Copies through shared memory.
__global__ void prefetch(const int* in, int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
#if FAULTY
    tile[t] = -1;
#endif
    __pipeline_memcpy_async(&tile[t], in + t, sizeof(int));  //! here
    __pipeline_commit();
#if FAULTY
    out[t] = tile[t];  //! here
    __pipeline_wait_prior(0);
#else
    __pipeline_wait_prior(0);
    out[t] = tile[t];
#endif
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    int *d_in = nullptr, *d_out = nullptr;
    TRY(to_device(&d_in, in));
    TRY(cudaMalloc(&d_out, out.size() * sizeof(int)));
    prefetch<<<1, 64>>>(d_in, d_out);
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_in));
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(64, seed); }
std::vector<int> expected(const std::vector<int>& in) { return in; }
