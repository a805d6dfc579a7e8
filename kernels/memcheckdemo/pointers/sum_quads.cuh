// SPDX-License-Identifier: MIT
//! plant: misaligned-float4, row 7
//! defect: a float4 is read from an address that is not a multiple of 16
//! tool: memcheck, since 11.0
//! report: Invalid __global__ read of size 16 bytes
//! bare: crash
//! simulator: Y
//! hint 1: A GPU ends the kernel, although every element that it reads exists; a processor may not mind.
//! hint 2: What must be true of the address of a float4?
//! hint 3: Look at the cast of in + 1.
//! cure: cudaMalloc aligns to 256 bytes, and in + 1 is 4 bytes further. Read the elements one by one, or start at a
//!     multiple of four.
#include "kernels/memcheckdemo/textbook.cuh"

// Each thread adds up four numbers; the very first number is skipped.
__global__ void sum_quads(const float* in, float* out) {
    const int i = threadIdx.x;
#if FAULTY
    const float4 quad = reinterpret_cast<const float4*>(in + 1)[i];  //! here
    out[i] = quad.x + quad.y + quad.z + quad.w;
#else
    const float* quad = in + 1 + 4 * i;
    out[i] = quad[0] + quad[1] + quad[2] + quad[3];
#endif
}

cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    std::vector<float> sums(out.size());
    float *d_in = nullptr, *d_sums = nullptr;
    TRY(to_device(&d_in, std::vector<float>(in.begin(), in.end())));
    TRY(cudaMalloc(&d_sums, sums.size() * sizeof(float)));
    sum_quads<<<1, static_cast<unsigned>(sums.size())>>>(d_in, d_sums);
    TRY(finished());
    TRY(to_host(sums, d_sums));
    out.assign(sums.begin(), sums.end());
    TRY(cudaFree(d_in));
    return cudaFree(d_sums);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1 + 4 * 32, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(32);
    for (int i = 0; i < 4 * 32; ++i) right[i / 4] += in[1 + i];
    return right;
}
