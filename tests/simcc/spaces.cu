// SPDX-License-Identifier: MIT
// The spaces of memory that generic addresses point into, and addresses within a space.
#include <cstdio>

__device__ int device_variable[4];
__constant__ int constant_variable[4] = {1, 2, 3, 4};
__managed__ int managed_variable;
extern __shared__ double dynamic_shared[];

__device__ unsigned spaces(const void* p) {
    return __isGlobal(p) | __isShared(p) << 1 | __isConstant(p) << 2 | __isLocal(p) << 3;
}

__device__ __noinline__ unsigned local_space(int n) {
    volatile int own[4] = {n, n, n, n};
    return spaces(const_cast<int*>(&own[n & 3]));
}

__global__ void ask(unsigned* answers, int* mapped) {
    __shared__ float fixed_shared[32];
    __shared__ int last;
    fixed_shared[threadIdx.x] = 1.f * threadIdx.x;
    dynamic_shared[threadIdx.x] = 2. * threadIdx.x;
    __syncthreads();
    const unsigned asked[] = {spaces(answers), spaces(&device_variable[3]), spaces(&constant_variable[3]),
                              spaces(&managed_variable), spaces(mapped), spaces(&fixed_shared[31]),
                              spaces(&dynamic_shared[31]), spaces(&last), local_space(threadIdx.x)};
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&fixed_shared[threadIdx.x]));
    auto* const back = static_cast<float*>(__cvta_shared_to_generic(at));
    bool good = *back == 1.f * threadIdx.x && back == &fixed_shared[threadIdx.x];
    good &= at % alignof(float) == 0 && at - __cvta_generic_to_shared(fixed_shared) == 4 * threadIdx.x;
    const auto dynamic_at = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared));
    good &= dynamic_at % 16 == 0 && __cvta_shared_to_generic(dynamic_at + 8) == dynamic_shared + 1;
    good &= __cvta_global_to_generic(__cvta_generic_to_global(answers)) == answers;
    good &= __cvta_constant_to_generic(__cvta_generic_to_constant(constant_variable)) == constant_variable;
    int own = threadIdx.x;
    good &= *static_cast<int*>(__cvta_local_to_generic(__cvta_generic_to_local(&own))) == own;
    if (!__syncthreads_and(good)) return;
    if (threadIdx.x == 31) {
        for (int i = 0; i < 9; ++i) answers[i] = asked[i];
    }
}

int main() {
    unsigned* answers;
    int* mapped;
    cudaMallocManaged(&answers, 9 * sizeof *answers);
    cudaMallocHost(&mapped, sizeof *mapped);
    for (int i = 0; i < 9; ++i) answers[i] = 0;
    ask<<<2, 32, 32 * sizeof(double)>>>(answers, mapped);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 9; ++i) printf(" %u", answers[i]);
    printf("\n");
    cudaFree(answers);
    cudaFreeHost(mapped);
}
