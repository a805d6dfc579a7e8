// SPDX-License-Identifier: MIT
// Every way to write a launch. Each statement adds a number to *sum; expect() compares it.
#include <cstdio>
#include <functional>
#include <vector>

struct Pair {
    int a, b;
};
__global__ void one(int* sum, int v) {
    if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(sum, v);
}
__global__ void braced(int* sum, dim3 d, Pair p) {
    if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(sum, int(d.x * d.y * d.z) + 10 * p.a + p.b);
}
__global__ void defaulted(int* sum, Pair p) {
    if (threadIdx.x == 0) atomicAdd(sum, p.a + p.b);
}
template <class T>
__global__ void typed(T* sum, T v) {
    if (threadIdx.x == 0) atomicAdd(sum, v);
}
template <int N, class T = int>
__global__ void numbered(T* sum) {
    if (threadIdx.x == 0) atomicAdd(sum, T(N));
}
template <class F>
__global__ void functional(int* sum, F f) {
    if (threadIdx.x == 0) atomicAdd(sum, f(int(blockDim.x)));
}
template <class... A>
__global__ void variadic(int* sum, A... a) {
    if (threadIdx.x == 0) atomicAdd(sum, (0 + ... + int(a)));
}
namespace outer {
namespace inner {
__global__ void k(int* sum) { atomicAdd(sum, 1); }
template <class T, class U>
__global__ void mixed(T* sum, U u) {
    if (threadIdx.x == 0) atomicAdd(sum, T(u));
}
}  // namespace inner
}  // namespace outer
extern "C" {
__global__ void c_kernel(int* sum) { atomicAdd(sum, 1); }
}
extern "C" __global__ void c_kernel_too(int* sum) { atomicAdd(sum, 1); }

int* make_counter() {
    int* counter;
    cudaMallocManaged(&counter, sizeof(int));
    *counter = 0;
    return counter;
}
int* const at_start = make_counter();
static const bool launched_at_start = (one<<<1, 1>>>(at_start, 7), true);
auto lambda_at_file_scope = [](int* sum) { one<<<1, 1>>>(sum, 2); };

typedef void (*Kernel)(int*, int);
struct Member {
    int* sum;
    Kernel f;
    int v = 3;
    void operator()() {
        f<<<1, 2>>>(sum, v);
        this->f<<<1, 2>>>(this->sum, this->v);
        typed<int><<<1, 2>>>(sum, v);
    }
    template <class T>
    void go(T t) {
        typed<<<1, 2>>>(sum, t);
        typed<T> <<<1, 2>>>(sum, t);
        auto generic = [&](auto x) {
            typed<<<1, 1>>>(sum, x);
            f<<<1, 1>>>(sum, x);
        };
        generic(t);
    }
};
template <int... N>
void fold(int* sum) {
    (numbered<N><<<1, 1>>>(sum), ...);
}
template <class T, void (*K)(T*, T)>
void by_template_parameter(T* sum) {
    K<<<1, 1>>>(sum, T(1));
}
template <class T>
struct Kernels {
    template <class U>
    static constexpr void (*kernel)(T*, U) = outer::inner::mixed<T, U>;
};
template <template <class> class K>
void by_template_template(int* sum) {
    K<int>::template kernel<int><<<1, 1>>>(sum, 1);
}
Kernel choose() { return one; }
dim3 make(int n) { return dim3(n); }
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define CONFIGURATION <<<GRID, 1>>>
#define GRID 1

int* sum = nullptr;
int total = 0, failures = 0;
void expect(int value, int line) {
    cudaDeviceSynchronize();
    if (*sum - total != value) printf("line %d: %d instead of %d\n", line, *sum - total, value), failures++;
    total = *sum;
}
#define EXPECT(value) expect(value, __LINE__)

int main() {
    sum = make_counter();
    const int n = 4;
    dim3 grid(1), block(2);
    int* d = sum;

    one<<<1, 1>>>(d, 1);
    one << <1, 1 >> > (d, 1);
    one <<<grid, block>>> (d, 1);
    one<<<grid, block, 0>>>(d, 1);
    one<<<grid, block, 0, 0>>>(d, 1);
    EXPECT(5);
    one<<<{1}, {2, 1}>>>(d, 1);
    one<<<make(2), max(3, 4)>>>(d, 1);
    one<<<n>>1, 8>>1>>>(d, 1);
    one<<<(n + 1) / 2, sizeof(std::vector<std::vector<int>>)>>>(d, 1);
    EXPECT(7);
    one<<<1,
          1>>>(d, 1);
    one  // a comment with <<<1, 1>>>(d, 1);
        <<<1, 1>>>
        (d,
         __LINE__ - __LINE__ + 1);
    EXPECT(2);
    braced<<<1, {32, 2}>>>(d, {2, 3}, {1, 5});
    defaulted<<<1, 1>>>(d, {1, 2});
    defaulted<<<1, 1>>>(d, Pair{3, 4});
    EXPECT(31);
    typed<<<1, 1>>>(d, 2);
    typed<int><<<1, 1>>>(d, true);
    numbered<5><<<1, 1>>>(d);
    numbered<(3 > 2) ? 1 : 2><<<1, 1>>>(d);
    variadic<<<1, 1>>>(d, 1, 2.5, 'c' - 'a');
    variadic<<<1, 1>>>(d);
    EXPECT(14);
    functional<<<1, 4>>>(d, [=] __device__(int x) { return x + n; });
    functional<<<1, 4>>>(d, [] __host__ __device__(int x) { return x; });
    EXPECT(12);
    outer::inner::k<<<1, 1>>>(d);
    ::outer::inner::k<<<1, 1>>>(d);
    outer::inner::mixed<<<1, 1>>>(d, 2.0);
    outer::inner::mixed<int, float><<<1, 1>>>(d, 2.0f);
    by_template_template<Kernels>(d);
    c_kernel<<<1, 1>>>(d);
    c_kernel_too<<<1, 1>>>(d);
    EXPECT(9);
    lambda_at_file_scope(d);
    Member member{d, one};
    member();
    member.go(2);
    EXPECT(19);
    member.f<<<1, 1>>>(d, 1);
    (&member)->f<<<1, 1>>>(d, 1);
    (*member.f)<<<1, 1>>>(d, 1);
    (*(&member)->f)<<<1, 1>>>(d, 1);
    EXPECT(4);
    Kernel table[2] = {one, typed<int>};
    table[0]<<<1, 1>>>(d, 1);
    (*table[1])<<<1, 1>>>(d, 1);
    for (int i = 0; i < 2; i++) table[i]<<<1, 1>>>(d, i);
    for (auto kernel : table) kernel<<<1, 1>>>(d, 1);
    EXPECT(5);
    if (total > 0) (*table[0])<<<1, 1>>>(d, 1); else (table[1])<<<1, 1>>>(d, 5);
    if (total < 0) one<<<1, 1>>>(d, 1); else one<<<1, 1>>>(d, 5);
    do one<<<1, 1>>>(d, 1); while (total < 0);
    switch (n) { case 4: one<<<1, 1>>>(d, 1); break; default: one<<<1, 1>>>(d, 100); }
    total > 0 ? one<<<1, 1>>>(d, 1) : one<<<1, 1>>>(d, 2);
    EXPECT(9);
    choose()<<<1, 1>>>(d, 1);
    (total > 0 ? one : typed<int>)<<<1, 1>>>(d, 1);
    auto pointer = &typed<int>;
    pointer<<<1, 1>>>(d, 1);
    auto& reference = one;
    reference<<<1, 1>>>(d, 1);
    EXPECT(4);
    LAUNCH(one, d, 1);
    LAUNCH((numbered<3, int>), d);
    one CONFIGURATION (d, 1);
    EXPECT(5);
    fold<1, 2, 3>(d);
    by_template_parameter<int, one>(d);
    by_template_parameter<int, typed<int>>(d);
    EXPECT(8);
    std::function<void()> later = [&] { one<<<1, 1>>>(d, 1); };
    later();
    auto generic = [&](auto kernel, auto... arguments) { kernel<<<1, 1>>>(arguments...); };
    generic(one, d, 1);
    EXPECT(2);
    const char* raw = R"x(one<<<1, 1>>>(d, 1); " )x";
    printf("%s%s\n", raw, "one<<<1,1>>>(d, 2)");
    int v = 2;
    void* arguments[] = {&d, &v};
    cudaLaunchKernel((void*)one, dim3(1), dim3(1), arguments);
    cudaLaunchKernel((const void*)&one, 1, 1, arguments, 0, 0);
    cudaLaunchKernel(reinterpret_cast<void*>(&typed<int>), 1, 1, arguments, 0, 0);
    EXPECT(6);
    printf("at start %d, in all %d, failures %d, line %d\n", *at_start, total, failures, __LINE__);
    return failures != 0;
}
