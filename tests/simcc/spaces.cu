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

// The parameters of all lanes, also where they wait, and of kernels in a grid at the same time.
struct Point {
    short x, y, z;
};
__device__ unsigned all_spaces(const void* p) { return spaces(p) | __isGridConstant(p) << 4; }
template <class T, class... Rest>
__global__ void ask_for_parameters(unsigned* answers, const __grid_constant__ T point, T plain,
                                   __grid_constant__ const int number, const __grid_constant__ Rest... rest) {
    const T own = point;
    const void* const places[] = {&point, &point.z, &number, &plain, &own, answers, &answers, &rest...};
    unsigned asked[sizeof places / sizeof *places];
    int i = 0;
    for (const void* place : places) asked[i++] = all_spaces(place);
    __syncthreads();
    bool good = asked[5] == 1;
    i = 0;
    for (const void* place : places) good &= asked[i++] == all_spaces(place);
    good &= *static_cast<const short*>(__cvta_grid_constant_to_generic(__cvta_generic_to_grid_constant(&point.z))) == 9;
    good &= plain.z + number == 12;
    for (i = 0; good && i < int(sizeof places / sizeof *places); ++i) atomicAdd(&answers[i], asked[i]);
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
    for (int i = 0; i < 9; ++i) answers[i] = 0;
    ask_for_parameters<<<2, 50>>>(answers, Point{0, 0, 9}, Point{0, 0, 5}, 7, 1.5f, 'c');
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 9; ++i) printf(" %u", answers[i] / 100);
    printf("\n");
    cudaFree(answers);
    cudaFreeHost(mapped);
}
