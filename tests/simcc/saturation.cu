// SPDX-License-Identifier: MIT
// Conversions of floating-point numbers to integers in device code: the results of a GPU, in and out of range.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

__device__ int wrong = 0;
#define EXPECT(condition)                                  \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            atomicAdd(&wrong, 1);                          \
        }                                                  \
    } while (0)

constexpr int int_max = 2147483647, int_min = -int_max - 1;
constexpr long long ll_max = 9223372036854775807, ll_min = -ll_max - 1;

template <class T>
struct Numbers {
    T huge, infinite, nan, below, fraction;
};

template <class T, class F>
__device__ T converted(F x) {
    EXPECT((T)x == static_cast<T>(x) && T(x) == (T)x);
    return (T)x;
}

template <class F>
__global__ void numbers(const Numbers<F>* n) {
    EXPECT(converted<int>(n->huge) == int_max && converted<int>(-n->huge) == int_min);
    EXPECT(converted<int>(n->nan) == (sizeof(F) == 4 ? 0 : int_min) && converted<long long>(n->nan) == ll_min);
    EXPECT(converted<unsigned>(n->huge) == 0xffffffffu && converted<unsigned>(n->below) == 0);
    EXPECT(converted<long long>(n->infinite) == ll_max && converted<long long>(-n->infinite) == ll_min);
    EXPECT(converted<unsigned long long>(n->infinite) == ~0ull && converted<uint64_t>(n->below) == 0);
    EXPECT(converted<unsigned char>(n->huge) == 255 && converted<unsigned char>(n->below) == 0);
    EXPECT(converted<short>(n->huge) == -1 && converted<signed char>(-n->huge) == 0);  // by way of 32 bits
    EXPECT(converted<int>(n->fraction) == 2 && converted<int>(-n->fraction) == -2 && converted<uint8_t>(n->fraction) == 2);
    EXPECT(converted<bool>(n->nan) && converted<bool>(n->huge) && !converted<bool>(n->fraction - n->fraction));
    EXPECT(converted<float>(n->fraction) == 2.75f && converted<int>(static_cast<F>(int_min)) == int_min);
    EXPECT((int)fabs(n->huge) == int_max && (unsigned char)fabs(n->nan) == 0 && (int)(n->huge * n->huge) == int_max);
    const int initialized = n->huge, other = -n->huge;
    for (size_t i = n->below; i < 1; ++i) EXPECT(initialized == int_max && other == int_min && i == 0);
    EXPECT((unsigned)(short)n->fraction == 2 && (float)(int)n->huge == 2147483648.0f && -(int)n->huge == -int_max);
    EXPECT(~(short)n->nan == -1 && (int)n->huge / 2 == int_max / 2 && ((int)n->fraction << 2) == 8);
}

struct Level {
    int value;
    __device__ explicit operator int() const { return value; }
};
struct Pair {
    int x, y;
    __device__ Pair(int x_) : x(x_), y(1) {}
};
enum class Color { red = 3 };
struct Bits {
    unsigned low : 3;
};
template <class T>
__device__ T made_of(int x) {
    return (T)x;
}
template <int n>
__device__ int size() {
    int list[(int)3.5 + n];
    static_assert(static_cast<int>(2.5) == 2 && int(n * 1.5) == 3, "");
    return sizeof list / sizeof(int);
}

__global__ void forms(void* p, Bits bits) {
    EXPECT((int)Level{4} == 4 && static_cast<int>(Level{5}) == 5 && made_of<Pair>(7).x == 7);
    EXPECT((uintptr_t)p == reinterpret_cast<uintptr_t>(p) && (int)Color::red == 3 && (int)bits.low == 5);
    EXPECT(size<2>() == 5 && sizeof(int) * 2 == 8 && made_of<unsigned char>(300) == 44);
    volatile float seen = 1e20f;
    EXPECT((int)seen == int_max && (int)'a' == 97 && (size_t) nullptr == 0 && (long)(sizeof(int)) == 4);
    int overflowing = int_max;
    overflowing += threadIdx.x + 1;
    EXPECT(overflowing == int_min && -overflowing == int_min && overflowing - 1 == int_max && abs(overflowing) == int_min);
}

// The types of 16 bits convert to narrow integers directly.
template <class T>
__global__ void small_numbers(float infinite) {
    const T huge = infinite, nan = infinite - infinite, fraction = -2.5f;
    EXPECT((short)huge == 32767 && static_cast<signed char>(-huge) == -128 && (unsigned char)huge == 255);
    EXPECT((unsigned)-huge == 0 && (int)huge == int_max && (long long)-huge == ll_min && (short)nan == 0);
    EXPECT((int)fraction == -2 && (unsigned char)fraction == 0 && (short)fraction == -2 && (bool)fraction);
}

// Without a cast, as image filters do: what is negative becomes 0, not 251.
__device__ unsigned char rounded(float x) { return x + 0.5f; }
__global__ void assigned(unsigned char* bytes, int* whole, float x, int n) {
    int index;
    long long wide = 0;
    unsigned counts[2][2];
    index = x * 1e20f;
    wide = x * 1e30f;
    counts[n][1] = x;
    bytes[0] = x;
    bytes[n] = n ? x * 2 : 0.0f;
    *whole = -1e10f * x;
    if (n) bytes[2] = -x; else bytes[2] = 1.0f;
    EXPECT(index == int_min && wide == ll_min && counts[n][1] == 0 && *whole == int_max);
    EXPECT(bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 5 && rounded(x) == 0 && rounded(2.6f) == 3);
}

template <class F>
void run(F infinite) {
    Numbers<F>* n;
    cudaMallocManaged(&n, sizeof *n);
    *n = {F(1e30), infinite, infinite - infinite, F(-5.5), F(2.75)};
    numbers<<<1, 1>>>(n);
    cudaDeviceSynchronize();
    cudaFree(n);
}

int main() {
    run<float>(__builtin_inff());
    run<double>(__builtin_inf());
    small_numbers<__half><<<1, 1>>>(__builtin_inff());
    small_numbers<__nv_bfloat16><<<1, 1>>>(__builtin_inff());
    int* p;
    cudaMalloc(&p, 4);
    forms<<<1, 1>>>(p, Bits{5});
    unsigned char* bytes;
    cudaMalloc(&bytes, 4);
    assigned<<<1, 1>>>(bytes, p, -5.0f, 1);
    int count = -1;
    cudaMemcpyFromSymbol(&count, wrong, sizeof count);
    printf("%d wrong\n", count);
}
