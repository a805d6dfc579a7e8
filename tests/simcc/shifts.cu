// SPDX-License-Identifier: MIT
// Shifts in device code: PTX's results for every amount, and what is not a shift of integers stays what it is.
#include <cstdio>
#include <vector>

__device__ int wrong = 0;
#define EXPECT(condition)                                  \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            atomicAdd(&wrong, 1);                          \
        }                                                  \
    } while (0)

// One bit at a time, which needs no amount.
template <class T>
__device__ T left(T x, unsigned n) {
    for (; n > 0 && x != 0; --n) x = static_cast<T>(static_cast<unsigned long long>(x) * 2);
    return x;
}
template <class T>
__device__ T right(T x, unsigned n) {
    for (; n > 0 && static_cast<T>(x >> 1) != x; --n) x = static_cast<T>(x >> 1);
    return x;
}

template <class T, class N>
__device__ void check(T x, N n) {
    EXPECT((x << n) == left(+x, static_cast<unsigned>(n)));
    EXPECT((x >> n) == right(+x, static_cast<unsigned>(n)));
    EXPECT(sizeof(x << n) == sizeof(+x));
    T y = x, z = x;
    y <<= n;
    (z) >>= n;
    EXPECT(y == static_cast<T>(x << n) && z == static_cast<T>(x >> n));
    T list[2] = {x, x};
    int i = 0;
    list[i++] <<= n;
    EXPECT(i == 1 && list[0] == y && list[1] == x);
    volatile T seen = x;
    seen <<= n;
    EXPECT(seen == y);
}

template <class T>
__global__ void all_amounts() {
    const T numbers[] = {1, 5, static_cast<T>(-1), static_cast<T>(1ull << (8 * sizeof(T) - 1)), static_cast<T>(0x5a5a5a5a5a5a5a5a)};
    const int amounts[] = {0, 1, 7, 8, 15, 16, 31, 32, 33, 40, 63, 64, 65, 1000, -1, -32, -2147483647 - 1, 2147483647};
    for (const T x : numbers) {
        for (const int n : amounts) {
            check<T, int>(x, n);
            check<T, unsigned>(x, n);
            check<T, long long>(x, n);
            check<T, long long>(x, n + (1ll << 32));
            check<T, signed char>(x, static_cast<signed char>(n));
        }
    }
}

struct Bits {
    unsigned low : 3, high : 29;
    int number : 20;
};

enum Level { ground, top = 3 };

struct Stream {
    int sum;
};
__host__ __device__ Stream& operator<<(Stream& s, int x) {
    s.sum += x;
    return s;
}
template <class T>
__device__ Stream& operator<<(Stream& s, const T* text) {
    s.sum += static_cast<int>(*text);
    return s;
}
struct Matrix {
    int x;
    __device__ Matrix operator<<(const Matrix& other) const { return {10 * x + other.x}; }
    __device__ Matrix& operator>>=(int n) {
        x -= n;
        return *this;
    }
};
namespace own {
enum class Flag { a = 1, b = 2 };
__device__ constexpr int operator<<(Flag f, Flag g) { return 100 * static_cast<int>(f) + static_cast<int>(g); }
}  // namespace own

template <int n>
struct Size {
    static constexpr int value = n;
};
template <int log2>
__device__ int of_constants() {
    __shared__ int tile[1 << log2];
    enum { twice = 1 << (log2 + 1), all = ~0 << top };
    static_assert((1 << log2) * 2 == twice, "");
    constexpr unsigned long long far = 1ull << (log2 + 36);
    static_assert(far >> (log2 + 36) == 1, "");
    switch (twice) {
        case 1 << (log2 + 1): return Size<1 << log2>::value + Size<(twice >> log2)>::value + static_cast<int>(sizeof tile) + all;
        default: return 0;
    }
}

constexpr __host__ __device__ int power(int n) { return 1 << n; }
static_assert(power(4) == 16, "");

struct Shifter {
    int n;
    __device__ int by(int x) const;
};
__device__ int Shifter::by(int x) const { return x << n; }

__global__ void forms(int n, Bits* bits) {
    bits->low <<= n;
    bits->high >>= n;
    bits->number <<= n;
    EXPECT(bits->low == 0 && bits->high == 0 && bits->number == 0);
    bits->high = 7;
    EXPECT((bits->high << n) == 0 && (1 << bits->high) == 128);
    EXPECT(((1 + n) << n) == 0 && (3 << n - 31 & 7) == 6 && (n > 3 ? 1 << n : 2) == 0);
    EXPECT(!(1 << n) && ~(1 << n) == -1 && -(-1 >> n) == 1);
    EXPECT((1 << top) == 8 && (top << 2) == 12 && (true << n) == 0 && ('a' << n) == 0);
    const auto lambda = [=](int x) { return x << n << n; };
    EXPECT(lambda(5) == 0 && Shifter{n}.by(5) == 0);
    Stream s = {0};
    s << 1 << n << "A";
    EXPECT(s.sum == 1 + n + 'A');
    Matrix m = {1};
    m >>= n;
    EXPECT((Matrix{1} << Matrix{2} << Matrix{3}).x == 123 && m.x == 1 - n);
    EXPECT((own::Flag::a << own::Flag::b) == 102);
    EXPECT(of_constants<4>() == 16 + 2 + 64 - 8);
    int code = 0;  // as canonical Huffman codes are written: the whole word may move out
    unsigned word = 0xdeadbeef;
    for (int length = n; length > 0; length -= 8) code += (word >> length) != 0, word <<= length;
    EXPECT(code == 0 && word == 0);
}

int main() {
    all_amounts<signed char><<<1, 1>>>();
    all_amounts<unsigned char><<<1, 1>>>();
    all_amounts<short><<<1, 1>>>();
    all_amounts<unsigned short><<<1, 1>>>();
    all_amounts<int><<<1, 1>>>();
    all_amounts<unsigned><<<1, 1>>>();
    all_amounts<long><<<1, 1>>>();
    all_amounts<unsigned long long><<<1, 1>>>();
    Bits* bits;
    cudaMallocManaged(&bits, sizeof *bits);
    *bits = {5, 77, 9};
    forms<<<1, 1>>>(32, bits);
    int count = -1;
    cudaMemcpyFromSymbol(&count, wrong, sizeof count);
    std::vector<std::vector<int>> host(2, std::vector<int>(3));
    Stream s = {0};
    s << 4 << 5;
    printf("%d wrong, %d on the host\n", count, s.sum + static_cast<int>(host[1].size() << 1));
}
