// SPDX-License-Identifier: MIT
//! The array is host memory. If the GPU can use the host's page tables (HMM, ATS), that is legal, and the result is
//! right.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void increment(int* data) {
    data[threadIdx.x] += 1;  //! here
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const unsigned n = static_cast<unsigned>(in.size());
#if FAULTY
    out = in;
    increment<<<1, n>>>(out.data());
    return finished();
#else
    int* d_data = nullptr;
    TRY(to_device(&d_data, in));
    increment<<<1, n>>>(d_data);
    TRY(finished());
    TRY(to_host(out, d_data));
    return cudaFree(d_data);
#endif
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int value : in) right.push_back(value + 1);
    return right;
}
