// SPDX-License-Identifier: MIT
// One thread of a group for all, what <cuda/pipeline> brings along, and volatile values of 16 bits.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/pipeline>
#if __has_include(<cuda/std/complex>)
#include <cuda/std/complex>
#endif

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void once(int* counts, int* last) {
    const auto block = cg::this_thread_block();
    cg::invoke_one(block, [=] { ++counts[blockIdx.x]; });
    block.sync();
    const auto tile = cg::tiled_partition<8>(block);
    const int first = cg::invoke_one_broadcast(tile, [=](int more) { return static_cast<int>(threadIdx.x) + more; }, 100);
    if (threadIdx.x == 63) *last = first;
    cuda::atomic_ref<int, cuda::thread_scope_device>(counts[3]).fetch_add(1);
}

__global__ void copy(const volatile __half* half, const volatile __nv_bfloat16* brain, float* out) {
    const __half a = *half;
    const __nv_bfloat16 b = *brain;
    out[0] = __half2float(a) + __bfloat162float(b);
}

int main() {
    int* counts = nullptr;
    cudaMallocManaged(&counts, 16 * sizeof(int));
    memset(counts, 0, 16 * sizeof(int));
    auto* const floats = reinterpret_cast<float*>(counts + 8);
    *reinterpret_cast<__half*>(counts + 10) = __float2half(1.5f);
    *reinterpret_cast<__nv_bfloat16*>(counts + 11) = __float2bfloat16(3);
    once<<<3, 64>>>(counts, counts + 4);
    copy<<<1, 1>>>(reinterpret_cast<__half*>(counts + 10), reinterpret_cast<__nv_bfloat16*>(counts + 11), floats);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%d %d %d %d  %d  %g\n", counts[0], counts[1], counts[2], counts[3], counts[4], floats[0]);
}
