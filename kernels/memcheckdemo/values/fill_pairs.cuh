// SPDX-License-Identifier: MIT
//! plant: copy-uninit-d2h, row 38
//! defect: a partly written array is copied back
//! tool: initcheck, since 11.0
//! report: Host API memory access error.*|Uninitialized .*
//! bare: wrong result
//! simulator: Y
//! hint 1: Every second element is wrong.
//! hint 2: No kernel reads unwritten memory. Who does?
//! hint 3: Which elements does the kernel write, and which are copied?
//! cure: The kernel writes the even elements only. Write all of them, or set them to something first.
#include "kernels/memcheckdemo/textbook.cuh"

// Each thread fills two elements.
__global__ void fill_pairs(int* out, int first) {
    const int i = 2 * static_cast<int>(threadIdx.x);
    out[i] = first + i;
#if !FAULTY
    out[i + 1] = first + i + 1;
#endif
}

// Numbers from in[0] on.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    int* d_out = nullptr;
    TRY(cudaMalloc(&d_out, n * sizeof(int)));
    fill_pairs<<<1, n / 2>>>(d_out, in[0]);
    TRY(finished());
    TRY(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));  //! here
    return cudaFree(d_out);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(256);
    for (int i = 0; i < 256; ++i) right[i] = in[0] + i;
    return right;
}
