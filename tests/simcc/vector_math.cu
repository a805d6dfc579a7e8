// SPDX-License-Identifier: MIT
// Operators at namespace scope and in types, with and without __host__ and inline, in any order.
#include <cstdio>
struct V { int x, y; };
__device__ bool operator==(const V& a, const V& b) { return a.x == b.x && a.y == b.y; }
__device__ V& operator<<=(V& a, int n) { a.x <<= n; a.y <<= n; return a; }
inline __host__ __device__ void operator+=(V& a, V b) { a.x += b.x; a.y += b.y; }
inline __device__ bool operator<(V a, V b) { return a.x < b.x; }
inline __device__ bool operator<=(V a, V b) { return a.x <= b.x; }
inline __device__ bool operator>=(V a, V b) { return a.x >= b.x; }
inline __device__ bool operator!=(V a, V b) { return !(a == b); }
inline __device__ V operator-(V a) { return {-a.x, -a.y}; }
__device__ inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__host__ __device__ inline float4 operator*=(float4& a, float s) { a.x *= s; return a; }
struct F { int n; __device__ int operator()(int x) const { return x + n; } __device__ int operator[](int i) const { return i * n; } 
  __device__ F& operator++() { ++n; return *this; } __device__ operator int() const { return n; } };
__global__ void k(int* out) {
    V a{1, 2}, b{1, 2};
    a += b; a <<= 2;
    b <<= 3;
    F f{3};
    ++f;
    float2 p = make_float2(1, 2) + make_float2(3, 4);
    out[0] = a == b; out[1] = a.x + f(2) + f[3] + int(f) + int(p.x);
    out[2] = (a != b) + (a < b) + (a <= b) + (-a).x;
}
int main() { int* o; cudaMallocManaged(&o, 12); k<<<1,1>>>(o); cudaDeviceSynchronize(); printf("%d %d %d\n", o[0], o[1], o[2]); }
