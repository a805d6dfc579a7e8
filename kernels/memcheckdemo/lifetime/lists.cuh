// SPDX-License-Identifier: MIT
//! plant: leak-device-heap, row 21
//! defect: malloc in a kernel without free
//! tool: memcheck --leak-check full, since 11.0
//! report: Leaked [0-9,]+ bytes at 0x[0-9a-f]+ on the device heap.*
//! line: not named
//! bare: silent
//! simulator: Y --check=all,leakcheck
//! hint 1: The result is right. What is left behind?
//! hint 2: The device has a heap of its own.
//! hint 3: Which kernel should have freed the lists?
//! cure: What kernels allocate lives on after them, until a kernel frees it. The heap has 8 MiB by default; once it is
//!     full, malloc returns null.
#include "kernels/memcheckdemo/textbook.cuh"

// Each thread builds a list of three numbers on the device heap; the next kernel adds them up.
__global__ void build_lists(int** lists, int first) {
    int* list = static_cast<int*>(malloc(3 * sizeof(int)));  //! here
    for (int i = 0; i < 3; ++i) list[i] = first + static_cast<int>(threadIdx.x) + i;
    lists[threadIdx.x] = list;
}

__global__ void sum_lists(int** lists, int* sums) {
    const int* list = lists[threadIdx.x];
    sums[threadIdx.x] = list[0] + list[1] + list[2];
#if !FAULTY
    free(lists[threadIdx.x]);
#endif
}

// The device is not used afterwards.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    int *d_sums = nullptr, **d_lists = nullptr;
    TRY(cudaMalloc(&d_lists, n * sizeof(int*)));
    TRY(cudaMalloc(&d_sums, n * sizeof(int)));
    build_lists<<<1, n>>>(d_lists, in[0]);
    sum_lists<<<1, n>>>(d_lists, d_sums);
    TRY(finished());
    TRY(to_host(out, d_sums));
    TRY(cudaFree(d_lists));
    TRY(cudaFree(d_sums));
    return cudaDeviceReset();
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(32);
    for (int i = 0; i < 32; ++i) right[i] = 3 * (in[0] + i) + 3;
    return right;
}
