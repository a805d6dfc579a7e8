// SPDX-License-Identifier: MIT
// Right programs that look nearly like the wrong ones that simcc refuses.
#include <cstdio>
#include <functional>
#include <type_traits>

// The names that the toolkit's headers have for attributes.
struct __builtin_align__(16) Aligned { float x, y, z; };
typedef __device_builtin__ struct __align__(8) Two { int a, b; } Two;
static_assert(alignof(Aligned) == 16 && alignof(Two) == 8);
__device__ __nv_pure__ int square(int x) { return x * x; }
__device__ __no_return__ void give_up() { for (;;) __trap(); }

typedef void Nothing;
__global__ void plain(int* p) {
    if (square(*p) < 0) give_up();
    *p += 1;
}
void __global__ behind(int* p) { *p += 1; }
__global__ auto trailing(int* p) -> void { *p += 1; }
__global__ Nothing alias(int* p) { *p += 1; }
template <class T>
__global__ std::enable_if_t<(sizeof(T) > 2)> conditional(T* p) { *p += 1; }
template <int n, class T = int>
__global__ __launch_bounds__(n > 2 ? 256 : 128) void bounded(T* p) { *p += n; }
template __global__ void bounded<3, int>(int*);
extern template __global__ void bounded<4, int>(int*);
template <>
__global__ void bounded<5, int>(int* p) { *p += 5; }

// Kernels whose names something else has, too.
__global__ void run(int* p) { *p += 1; }
struct Runner {
    int runs = 0;
    void run(int* p) { ++runs, ::run<<<1, 1>>>(p); }
    void twice(int* p) { run(p), run(p); }
};
namespace host { int step(int x) { return x + 1; } }
namespace device { __global__ void step(int* p) { *p += 1; } }
__global__ void handler(int* p) { *p += 1; }
struct Table {
    friend __global__ void handler(int* p);
    void (*kernel)(int*) = handler;
};

// Functions of the device that the host may call, or does not call.
__device__ int of_both(int x) { return x; }
__host__ int of_both(int x, int y) { return x + y; }
__host__ __device__ int shared_code(int x) {
#ifdef __CUDA_ARCH__
    return x + threadIdx.x;
#else
    return x;
#endif
}
__device__ int only_device(int x) { return x; }
inline int guarded(int x) {
#ifdef __CUDA_ARCH__
    return only_device(x) + threadIdx.x;
#else
    return x + 10;
#endif
}
#ifdef __CUDA_ARCH__
#define EITHER __device__
#else
#define EITHER
#endif
EITHER inline int either(int x) { return x; }
__device__ constexpr int constant(int x) { return x + 1; }
template <class T>
int in_template(T x) {
    if constexpr (std::is_same_v<T, double>) return only_device(x);
    return int(x);
}
__device__ int declared_before(int x);
int declared_before(int x) { return x + threadIdx.x; }
__device__ int length(const char*) { return -1; }
struct Text {
    int length() const { return 3; }
    __device__ int only_member() { return only_device(4); }
    int twice() const { return 2 * length(); }
};
template <class F>
int apply(F only_device) { return only_device(5); }
template <class F>
__global__ void on_device(int* p, F f) { *p += f(1); }
__global__ void dims(int* p) {
    auto me = [] { return threadIdx.x; };
    if (me() == 0) *p += blockDim.x + of_both(1) + shared_code(0) + constant(1) + Text().only_member() + length("") + either(0);
}

template __global__ void bounded<4, int>(int*);

int main() {
    int* d;
    cudaMallocManaged(&d, sizeof *d);
    *d = 0;
    plain<<<1, 1>>>(d), behind<<<1, 1>>>(d), trailing<<<1, 1>>>(d), alias<<<1, 1>>>(d), conditional<<<1, 1>>>(d);
    bounded<3><<<1, 1>>>(d), bounded<4><<<1, 1>>>(d), bounded<5><<<1, 1>>>(d), device::step<<<1, 1>>>(d);
    Runner runner;
    runner.run(d), runner.twice(d);
    Table table;
    table.kernel<<<1, 1>>>(d);
    auto run = [](int x) { return x; };
    std::function<int(int)> plain_function = [](int x) { return host::step(x); };
    {
        __global__ void plain(int*);
        plain<<<1, 1>>>(d);
    }
    void* arguments[] = {&d};
    cudaLaunchKernel((void*)plain, 1, 1, arguments, 0, 0);
    decltype(plain(nullptr))* nothing = nullptr;
    static_assert(sizeof(only_device(1)) == sizeof(int));
    int n = constant(1), seen = 0;
    on_device<<<1, 1>>>(d, [=] __device__(int x) { return only_device(x) + int(threadIdx.x) + n; });
    on_device<<<1, 1>>>(d, [=] __host__ __device__(int x) { return x; });
    dims<<<1, 7>>>(d);
    for (int only_device : {1, 2}) seen += only_device;
    const struct { int threadIdx, gridDim; } own = {1, 2};
    dim3 blockDim(3);
    cudaDeviceSynchronize();
    printf("%d %d %s\n", *d, runner.runs, cudaGetErrorString(cudaGetLastError()));
    printf("%d %d %d %d %d %d %d %d %d\n", run(1), plain_function(1), of_both(1, 2), shared_code(4), either(6),
           in_template(7), Text().length() + Text().twice(), apply([](int x) { return x; }),
           seen + own.threadIdx + own.gridDim + int(blockDim.x) + (nothing == nullptr));
}
