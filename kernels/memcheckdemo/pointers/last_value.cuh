// SPDX-License-Identifier: MIT
//! plant: device-ptr-on-host, row 12
//! defect: the host reads through a device pointer
//! tool: memcheck, since 11.0
//! report: Error: process didn't terminate successfully
//! line: not named
//! bare: crash of the process
//! simulator: Y
//! finding: Invalid host read of size 4 bytes
//! hint 1: On a GPU the process ends with a segmentation fault; in the simulator the result is right, unless a checker
//!     looks.
//! hint 2: No kernel is to blame: who reads?
//! hint 3: The host reads the last element without cudaMemcpy.
//! cure: Memory from cudaMalloc has no address on the host. Copy first, or use managed memory. This plant ends the
//!     process.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void add_index(int* data) { data[threadIdx.x] += static_cast<int>(threadIdx.x); }

// Adds its index to each element. The result is the last element.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const unsigned n = static_cast<unsigned>(in.size());
    int* d_data = nullptr;
    TRY(to_device(&d_data, in));
    add_index<<<1, n>>>(d_data);
    TRY(finished());
#if FAULTY
    out[0] = d_data[n - 1];  //! here
#else
    TRY(cudaMemcpy(&out[0], d_data + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
#endif
    return cudaFree(d_data);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(256, seed); }
std::vector<int> expected(const std::vector<int>& in) { return {in.back() + static_cast<int>(in.size()) - 1}; }
