// SPDX-License-Identifier: MIT
// Operators in template arguments and array bounds, kernels that the program computes, and names of built-in variables in
// every sort of declaration.
#include <cstdio>

constexpr int N = 4;
enum { E = 2, F };
template <bool b>
__global__ void is(int* sum) { atomicAdd(sum, b ? 1 : 100); }
template <int n>
__global__ void number(int* sum) { atomicAdd(sum, n); }
template <class T, int n>
__global__ void typed(T* sum) { atomicAdd(sum, T(n)); }
template <class T, bool b>
__global__ void typed_is(T* sum) { atomicAdd(sum, b ? T(1) : T(100)); }
template <class A, class B, bool b>
struct Chosen { static constexpr int value = b ? sizeof(A) : sizeof(B); };

struct Three {
    float x, y, z;
    __host__ __device__ Three(float v = 0) : x(v), y(v), z(v) {}
};
template <class T, int n>
struct Row { T v[n]; Row() = default; };
__global__ void shared_arrays(int* sum) {
    __shared__ float4 a[N>>1];
    __shared__ Three b[N==4 ? 1<<1 : 1], c[(8>>1)];
    __shared__ Row<float, (4>>1)> d[N<=4 ? 2 : 1];
    extern __shared__ Row<int, N==4 ? 2 : 1> e[];
    if (threadIdx.x == 0) a[1].x = 1, b[1].y = 2, c[3].z = 3, d[1].v[1] = 4, e[0].v[1] = 5;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, int(a[1].x + b[1].y + c[3].z + d[1].v[1]) + e[0].v[1] + int(sizeof a / sizeof *a));
}

__global__ void one(int* sum) { atomicAdd(sum, 1); }
__global__ void two(int* sum) { atomicAdd(sum, 2); }
typedef void (*Kernel)(int*);
Kernel global = one;
struct Holder {
    Kernel kernel = one;
    void start(int* sum) { kernel<<<1, 1>>>(sum); }
};
int calls = 0;
Kernel choose() { return ++calls, two; }

struct Pair { int a, b; };
namespace shape { constexpr int blockDim = 3; enum { gridDim = 5 }; }
enum class Scoped { threadIdx, blockIdx = 7 };
struct Owner {
    enum { gridDim = 4, blockDim };
    __host__ __device__ int get() { return gridDim + blockDim; }
    __host__ __device__ int later();
};
__host__ __device__ int Owner::later() { return blockDim; }
__host__ __device__ int twice(int x) { return 2 * x; }
__global__ void names(int* p) {
    int s = 0;
    { auto [threadIdx, blockIdx] = Pair{3, 4}; s += threadIdx + blockIdx; }
    { Pair q{1, 2}; const auto& [n, gridDim] = q; s += n + gridDim; }
    for (auto [blockIdx, n] : {Pair{10, 20}, Pair{30, 40}}) s += blockIdx + n;
    if (auto [x, threadIdx] = Pair{5, 6}; threadIdx > x) s += threadIdx;
    s += threadIdx.x + blockIdx.x + [blockDim = 100] { return blockDim; }() + int(blockDim.x);
    { using shape::blockDim; s += blockDim; }
    { int a = 1, *q = &a, *gridDim = q; s += *gridDim; }
    { int (*blockDim)(int) = twice; int pair[2] = {1, 2}; int (&gridDim)[2] = pair; s += blockDim(4) + gridDim[1]; }
    { enum { threadIdx = 9 }; s += threadIdx; }
    s += int(Scoped::blockIdx) + Owner().get() + Owner().later() + shape::gridDim;
    uint3 copies[] = {threadIdx, blockIdx};
    *p += s + copies[threadIdx.x].x + (threadIdx.x == 0 ? gridDim.x : 0);
}
namespace found { struct Argument { int* sum; }; __global__ void by_argument(Argument a) { atomicAdd(a.sum, 1); } }

int main() {
    int* d;
    cudaMallocManaged(&d, sizeof *d);
    auto show = [&](const char* what) {
        const cudaError_t error = cudaDeviceSynchronize();
        printf("%s %d%s\n", what, *d, error == cudaSuccess ? "" : " failed");
        *d = 0;
    };
    *d = 0;
    is<N==4><<<1,1>>>(d), is<N!=5&&N><<<1,1>>>(d), is<N<5><<<1,1>>>(d), is<N<=4><<<1,1>>>(d), is<N>=4><<<1,1>>>(d);
    is<F<4><<<1,1>>>(d), is<!(N>4)><<<1,1>>>(d), is<(N>>2)==1><<<1,1>>>(d), show("comparisons");
    number<(8>>1)><<<1,1>>>(d), number<1<<3><<<1,1>>>(d), number<Chosen<char, int, N<5>::value><<<1,1>>>(d), show("shifts");
    typed<int, 1<<3><<<1,1>>>(d), typed<int,N ? E : F><<<1,1>>>(d), typed_is<int, N<5><<<1,1>>>(d), typed_is<int, E<3><<<1,1>>>(d);
    show("types");
    shared_arrays<<<1, 2, 64>>>(d), show("shared");
    Kernel table[] = {one, two};
    int j = 0;
    table[j++]<<<1,1>>>(d), table[j--]<<<1,1>>>(d), (table[j])<<<1,1>>>(d), show("table");
    global<<<1,1>>>(d), global = two;
    { Holder h; h.start(d), h.kernel = two; }
    choose()<<<1,3>>>(d), (j ? one : two)<<<1,1>>>(d), show("computed");
    names<<<1,1>>>(d), show("names");
    by_argument<<<1,1>>>(found::Argument{d}), show("found");
    printf("j %d calls %d\n", j, calls);
}
