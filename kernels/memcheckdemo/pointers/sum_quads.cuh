// SPDX-License-Identifier: MIT
//! A float4 must be aligned to 16 bytes; in + 1 is not.
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
