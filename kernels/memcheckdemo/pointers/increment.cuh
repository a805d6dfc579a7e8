// SPDX-License-Identifier: MIT
//! plant: host-ptr-on-device, row 11
//! defect: a kernel gets a host array
//! tool: memcheck, since 11.0
//! report: Invalid __global__ read of size 4 bytes
//! bare: crash; legal where the GPU reaches pageable host memory (HMM, ATS)
//! simulator: Y
//! hint 1: The kernel crashes, or it is right: that depends on the machine.
//! hint 2: Where does the array live?
//! hint 3: The kernel is given a pointer from std::vector.
//! cure: The GPU does not know the host's addresses, unless it shares its page tables (the attribute
//!     pageableMemoryAccess). Copy the data to device memory, or allocate it with cudaMallocManaged.
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
