// SPDX-License-Identifier: MIT
// Names that the program takes for itself: of built-in variables, of the simulator's functions, of the standard library.
// (nvcc 13 includes so much of the last that `count` became ambiguous, and g++ 14 so much that `array` did.)
#include <cstdio>
using namespace std;

int values[4] = {1, 2, 3, 4}, count = 1, data = 2, size = 3, launch = 1, configure = 2, thread_index = 3;
struct dim { int x; };

template <class T>
__device__ T min(T a, T b, T c) { return min(min(a, b), c); }
__device__ float clamp(float x, float low, float high) { return max(low, min(x, high)); }

struct Configuration {
    dim3 gridDim, blockDim;
    int threadIdx = 5;
    Configuration(dim3 gridDim, dim3 blockDim) : gridDim(gridDim), blockDim{blockDim} {}
    template <class K, class... A>
    void start(K kernel, A... arguments) const { kernel<<<gridDim, blockDim>>>(arguments...); }
    void start_outside(int* out);
    int threads() const { return blockDim.x * blockDim.y * blockDim.z * gridDim.x; }
};
struct Derived : Configuration {
    using Configuration::Configuration;
    int width() { return blockDim.x; }
};

__global__ void count_threads(int* out) { atomicAdd(out, 1); }
__global__ void builtin(int* out) {
    if (threadIdx.x == 0 && blockIdx.x == 0) *out = 1000 * gridDim.x + blockDim.x;
}
__global__ void shadowed(int* out, int blockDim) {
    int gridDim = 7;
    if (threadIdx.x == 0) *out = blockDim + gridDim;
}
template <int blockDim>
__global__ void parameter(int* out) { *out = blockDim; }
__global__ void behind_it(int* out) { *out = blockDim.x; }
__global__ void passed(int* out) {
    auto volume = [](dim3 d) { return d.x * d.y * d.z; };
    uint3 me = threadIdx;
    const dim3 shape = blockDim;
    if (me.x == 0) *out = volume(blockDim) + shape.x + volume(gridDim);
}
__global__ void local_count(int* out) {
    int count = 1, data = 2, size = 3;
    for (int values = 0; values < 4; values++) count += values;
    *out = count + data + size + (int)clamp(5.0f, 0.0f, 2.0f) + min(4, 3, 9);
}
void Configuration::start_outside(int* out) { count_threads<<<gridDim, blockDim>>>(out); }
void by_reference(const dim3& gridDim, const dim3 &blockDim, int* out) { count_threads<<<gridDim, blockDim>>>(out); }

int main() {
    int* out;
    cudaMallocManaged(&out, sizeof(int));
    auto show = [&](const char* what) {
        cudaDeviceSynchronize();
        printf("%s %d\n", what, *out);
        *out = 0;
    };
    *out = 0;
    Configuration c(2, dim3(4, 2));
    c.start(count_threads, out), show("member");
    c.start_outside(out), show("member outside");
    Derived d(3, 5);
    d.start_outside(out), show("derived");
    by_reference(2, 3, out), show("reference");
    {
        dim3 gridDim(2), blockDim(1, 2);
        count_threads<<<gridDim, blockDim>>>(out), show("list");
    }
    {
        int blockDim = 3, gridDim = 2;
        count_threads<<<gridDim, blockDim>>>(out), show("integers");
    }
    builtin<<<2, 64>>>(out), show("builtin");
    shadowed<<<1, 1>>>(out, 5), show("shadowed");
    parameter<8><<<1, 1>>>(out), show("template parameter");
    behind_it<<<1, 9>>>(out), show("behind it");
    passed<<<3, dim3(2, 2)>>>(out), show("passed");
    local_count<<<1, 1>>>(out), show("locals");
    printf("host %d %d %d\n", c.threads() + c.threadIdx + d.width(), values[3] + launch + configure + thread_index,
           max(3, 4) + min(1, 2) + count + data + size);
}
