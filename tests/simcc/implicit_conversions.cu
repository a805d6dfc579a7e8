// SPDX-License-Identifier: MIT
// Conversions to integers that no cast shows: out of range, they give what a GPU gives.
#include <cstdint>
#include <cstdio>

struct Cell {
    int a;
    float f;
    unsigned low : 5;
    int list[2];
};
struct Wrapped {
    int whole;
    float x, n;  // another n, a floating-point number
    __device__ Wrapped(float value) : whole(value), x(value), n(value) {}
    __device__ int rounded(float scale) const { return x * scale; }
    __device__ void set(int value) { whole = value; }
};
typedef int Index;
template <class T>
using Same = T;

template <class T>
__device__ T made_from(float x) {
    return x;
}
template <class T>
__device__ T kept(float x) {
    T t = x;
    T list[2] = {x, -x};
    return t == list[0] ? list[1] : t;
}
__device__ int doubled(int n, float scale = 1) { return n * scale; }
__device__ Index index_of(float x) { return x; }
__device__ auto trailing(float x) -> int { return x; }
__device__ int2 both(float x) { return {int(x), 1}; }
__device__ int either(bool first, float x, int n) { return first ? x : n; }

__global__ void convert(float big, double huge, float nan, int n, int* out) {
    int i = 0, count = 0;
    const auto put = [&](long long value) { out[count++] = value; };
    {
        float n = big;  // another n
        i = n;
        put(i);
        int j = n, k = -n;
        put(j), put(k);
    }
    Cell cell = {0, 1, 0, {0, 0}};
    cell.a = big;
    cell.list[1] = -big;
    cell.low = big;
    put(cell.a), put(cell.list[1]), put(cell.low);
    int row[8];
    int(*rows)[4] = reinterpret_cast<int(*)[4]>(row);
    *(row + 5) = nan;
    rows[0][2] = huge;
    *row = nan + 1;
    put(row[5]), put(row[2]), put(row[0]);
    i = 3;
    i *= big;
    put(i);
    i = -3;
    i += big, put(i);
    i -= huge;
    put(i);
    i /= nan;
    put(i);
    unsigned u = 7;
    u -= big;
    put(u);
    u = -1.5f * n;
    put(u);
    short s = 1;
    s *= big;
    put(s);
    cell.low = 3;
    cell.low *= 2.5f;
    put(cell.low);
    volatile int v = 2;
    v = big;
    put(v);
    v *= -big;
    put(v);
    bool b = false;
    b = nan;
    put(b);
    b += 0.5f;
    put(b);
    put(made_from<int>(big)), put(made_from<unsigned char>(-big)), put(made_from<long long>(big));
    put(kept<int>(big)), put(kept<float>(2));
    put(doubled(big)), put(doubled(1, big)), put(doubled(-big * 2, 0.5f));
    put(index_of(nan)), put(trailing(-big)), put(both(big).x), put(either(n > 0, big, n));
    const auto local = [](float x) -> int { return x; };
    put(local(big));
    const auto taking = [](int x) { return x; };
    put(taking(-big));
    Wrapped wrapped(big);
    put(wrapped.whole), put(wrapped.rounded(-1));
    wrapped.set(-big);
    put(wrapped.whole);
    int pair[2] = {big, -big}, square[2][2] = {{big, nan}, {-big, 1}};
    put(pair[0]), put(pair[1]), put(square[0][1]), put(square[1][0]);
    int braced{big}, parenthesized(-big);
    put(braced), put(parenthesized);
    Cell filled = {big, big, 1, {-big, nan}};
    put(filled.a), put(filled.f == big), put(filled.list[0]), put(filled.list[1]);
    int4 vector = make_int4(big, -big, nan, 4.5f);
    put(vector.x), put(vector.y), put(vector.z), put(vector.w);
    vector.y = big * 2;
    put(vector.y);
    Index own = big;
    Same<int> same = -big;
    std::uint16_t narrow = huge;
    put(own), put(same), put(narrow);
    for (int j = big; j > 2147483646; --j) put(j);
    for (unsigned k = nan, m = big; k < 1 && m > 0; ++k) put(m);
    i = u = big;
    put(i), put(u);
    i = n > 0 ? big : 0.5f, put(i);
    if (int chosen = big) put(chosen);
    int* p = &i;
    *p++ = -big;
    put(i);
    (*(p - 1)) = big;
    p[-1] -= 1.5;
    put(i);
    atomicAdd(&out[count], big), ++count;
    atomicMax(&out[count], big), ++count;
    i = 1;
    i <<= (int)big;
    put(i);
    u = 1u << n * 40, put(u);
    out[999] = count;
}

int main() {
    int* out;
    cudaMallocManaged(&out, 1000 * sizeof(int));
    convert<<<1, 1>>>(3e9f, 1e300, 0.0f / 0.0f, 1, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < out[999]; ++i) printf("%d%c", out[i], i % 8 == 7 ? '\n' : ' ');
    printf("\n");
    cudaFree(out);
}
