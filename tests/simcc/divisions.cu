// SPDX-License-Identifier: MIT
// Integer divisions that trap on some processors and not on a GPU: by zero, and of the lowest number by -1.
#include <climits>
#include <cstdio>

constexpr int count = 64;
struct Table {
    int padding[33];
    int zeros[count];
};

template <class T>
__global__ void by(T* out, T lowest, T divisor, const Table* table) {
    __shared__ T shared[1];
    shared[threadIdx.x] = divisor;
    __syncthreads();
    T quotient = lowest / divisor, rest = lowest % shared[0];
    const volatile Table* volatile_table = table;
    T others = 0;  // operands in memory, of all the forms that a processor has
    for (int i = 0; i < count; i++) {
        if (divisor == 0) others |= static_cast<T>(~(lowest / static_cast<T>(volatile_table->zeros[i])));
        if (divisor == 0) others |= static_cast<T>(~(lowest % *const_cast<volatile T*>(&shared[0])));
    }
    out[0] = quotient;
    out[1] = rest;
    out[2] = others;
}

template <class T>
int wrong(T lowest, T divisor, T quotient, T rest) {
    T* out;
    Table* table;
    cudaMallocManaged(&out, 3 * sizeof(T));
    cudaMallocManaged(&table, sizeof *table);
    by<T><<<1, 1>>>(out, lowest, divisor, table);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
    const bool right = out[0] == quotient && out[1] == rest && out[2] == 0;
    if (!right) printf("%lld / %lld gave %lld, %lld, %lld\n", (long long)lowest, (long long)divisor, (long long)out[0], (long long)out[1], (long long)out[2]);
    cudaFree(out);
    cudaFree(table);
    return error != cudaSuccess || !right;
}

template <class T>
int wrong_by_zero(T number) {
    const T all = static_cast<T>(-1);
    return wrong<T>(number, 0, all, all);
}

int main(int argc, char**) {
    int failures = 0;
    failures += wrong_by_zero<unsigned char>(7) + wrong_by_zero<signed char>(-7) + wrong_by_zero<unsigned short>(7);
    failures += wrong_by_zero<short>(-7) + wrong_by_zero<unsigned>(7) + wrong_by_zero<int>(INT_MIN);
    failures += wrong_by_zero<unsigned long long>(7) + wrong_by_zero<long long>(LLONG_MIN);
    failures += wrong<int>(INT_MIN, -1, INT_MIN, 0) + wrong<long long>(LLONG_MIN, -1, LLONG_MIN, 0);
    printf("%d wrong\n", failures);
    fflush(stdout);
    volatile int zero = argc - 1;
    return 5 / zero;  // the host's own still ends the program
}
