// SPDX-License-Identifier: MIT
//! plant: device-double-free, row 22
//! defect: two kernels free the same lists
//! tool: memcheck, since 11.0
//! report: Malloc/Free [Ee]rror encountered ?: .*[Dd]ouble free
//! bare: crash
//! simulator: Y
//! hint 1: The last kernel crashes.
//! hint 2: What does it do that was done before?
//! hint 3: Both kernels free the lists.
//! cure: The lists are already free. One owner frees.
#include "kernels/memcheckdemo/textbook.cuh"

// Each thread builds a list of three numbers on the device heap; the next kernel adds them up.
__global__ void build_lists(int** lists, int first) {
    int* list = static_cast<int*>(malloc(3 * sizeof(int)));
    for (int i = 0; i < 3; ++i) list[i] = first + static_cast<int>(threadIdx.x) + i;
    lists[threadIdx.x] = list;
}

__global__ void sum_lists(int** lists, int* sums) {
    const int* list = lists[threadIdx.x];
    sums[threadIdx.x] = list[0] + list[1] + list[2];
    free(lists[threadIdx.x]);  //! here
}

#if FAULTY
__global__ void free_lists(int** lists) {
    free(lists[threadIdx.x]);  //! here
}

#endif
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    int *d_sums = nullptr, **d_lists = nullptr;
    TRY(cudaMalloc(&d_lists, n * sizeof(int*)));
    TRY(cudaMalloc(&d_sums, n * sizeof(int)));
    build_lists<<<1, n>>>(d_lists, in[0]);
    sum_lists<<<1, n>>>(d_lists, d_sums);
#if FAULTY
    free_lists<<<1, n>>>(d_lists);
#endif
    TRY(finished());
    TRY(to_host(out, d_sums));
    TRY(cudaFree(d_lists));
    return cudaFree(d_sums);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(32);
    for (int i = 0; i < 32; ++i) right[i] = 3 * (in[0] + i) + 3;
    return right;
}
