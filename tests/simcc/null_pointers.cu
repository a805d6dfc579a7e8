// SPDX-License-Identifier: MIT
// Accesses through null pointers whose values nothing reads: errors nevertheless, as on a GPU.
#include <cstdio>

__device__ int plain;
static __device__ int hidden;
__device__ struct {
    int member, array[4];
} record;
namespace {
__device__ double unnamed;
}

__global__ void to_plain(const int* p) { plain = *p; }
__global__ void to_hidden(const int* p) { hidden = p[threadIdx.x]; }
__global__ void to_record(const int* p) { record.array[1] = p[3]; }
__global__ void to_unnamed(const double* p) { unnamed = *p; }
__global__ void of_known(int*) {
    int* const null = nullptr;
    *null = 1;
}
__global__ void of_volatile(const int* p) {
    [[maybe_unused]] const int value = *static_cast<const volatile int*>(p);
}

template <class T>
int fails(const char* name, void (*kernel)(T*)) {
    kernel<<<1, 1>>>(nullptr);
    const bool failed = cudaDeviceSynchronize() != cudaSuccess;
    if (!failed) printf("%s reports nothing\n", name);
    cudaDeviceReset();
    return failed;
}

int main() {
    const int failed = fails("to_plain", to_plain) + fails("to_hidden", to_hidden) + fails("to_record", to_record) +
                       fails("to_unnamed", to_unnamed) + fails("of_known", of_known) +
                       fails("of_volatile", of_volatile);
    printf("%d failed\n", failed);
}
