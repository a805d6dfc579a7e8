// SPDX-License-Identifier: MIT
// What kernels pass around: structures, vectors, half precision, lambdas, classes, function pointers, recursion.
#include <cuda_fp16.h>
#include <cstdio>

struct Particle {
    float3 position;
    float mass;
    __host__ __device__ float weight() const { return mass * 9.81f; }
    __device__ Particle operator+(const Particle& other) const {
        return {make_float3(position.x + other.position.x, position.y + other.position.y, position.z + other.position.z),
                mass + other.mass};
    }
};
struct Shape {
    __device__ virtual float area() const { return 0; }
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
template <class T, int size>
class Stack {
public:
    __device__ void push(T value) { items_[count_++] = value; }
    __device__ T pop() { return items_[--count_]; }
    __device__ bool empty() const { return count_ == 0; }

private:
    T items_[size];
    int count_ = 0;
};
struct Square_it {
    __device__ int operator()(int x) const { return x * x; }
};

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ int triple(int x) { return 3 * x; }
__device__ int negate(int x) { return -x; }
typedef int (*Operation)(int);
__device__ Operation operations[] = {triple, negate};
__device__ Operation single = triple;

__global__ void particles(Particle p, Particle* out) { *out = p + Particle{{1, 2, 3}, 4}; }
__global__ void vectors(const float4* in, float4* out, int2* pairs) {
    float4 v = in[threadIdx.x];
    v.x += 1, v.w *= 2;
    out[threadIdx.x] = v;
    pairs[threadIdx.x] = make_int2(threadIdx.x, -1);
}
__global__ void halves(const float* in, float* out) {
    __half a = __float2half(in[0]), b = __float2half(in[1]);
    __half2 pair = __halves2half2(a, b);
    out[0] = __half2float(__hadd(a, b));
    out[1] = __half2float(a * b);
    out[2] = __low2float(__hfma2(pair, pair, pair));
    out[3] = __high2float(pair);
}
template <class F>
__global__ void apply(F f, int* data) { data[threadIdx.x] = f(data[threadIdx.x]); }
__global__ void miscellaneous(int* out, Operation from_host) {
    Stack<int, 8> stack;
    for (int i = 1; i < 5; i++) stack.push(i * i);
    int sum = 0;
    while (!stack.empty()) sum = 10 * sum + stack.pop();
    out[0] = factorial(10);
    out[1] = operations[threadIdx.x](7) + operations[1](1);
    out[2] = sum;
    Shape* shape = new Square(3);
    out[3] = (int)shape->area();
    delete shape;
    out[4] = from_host(5);
    auto add = [&](int x) { return x + out[3]; };
    out[5] = add(1);
    switch (out[3]) {
        case 9: goto end;
        default: out[5] = 0;
    }
end:
    out[6] = sizeof(float4) * 100 + alignof(float4);
}

int main() {
    Particle* p;
    cudaMallocManaged(&p, sizeof *p);
    particles<<<1, 1>>>({{1, 1, 1}, 1}, p);
    cudaDeviceSynchronize();
    printf("particle %g %g %g %.2f\n", p->position.x, p->position.y, p->position.z, p->weight());

    float4 *in, *out;
    int2* pairs;
    cudaMallocManaged(&in, 2 * sizeof(float4)), cudaMallocManaged(&out, 2 * sizeof(float4)), cudaMallocManaged(&pairs, 16);
    in[0] = make_float4(1, 2, 3, 4), in[1] = {5, 6, 7, 8};
    vectors<<<1, 2>>>(in, out, pairs);
    cudaDeviceSynchronize();
    printf("vectors %g %g %d\n", out[0].w, out[1].x, pairs[1].x + pairs[1].y);

    float *h_in = (float*)in, *h_out = (float*)out;
    h_in[0] = 1.5f, h_in[1] = 2.25f;
    halves<<<1, 1>>>(h_in, h_out);
    cudaDeviceSynchronize();
    printf("halves %g %g %g %g\n", h_out[0], h_out[1], h_out[2], h_out[3]);

    int* data;
    cudaMallocManaged(&data, 64);
    for (int i = 0; i < 4; i++) data[i] = i;
    int shift = 100;
    apply<<<1, 4>>>(Square_it(), data);
    apply<<<1, 4>>>([=] __device__(int x) { return x + shift; }, data);
    apply<<<1, 4>>>([shift] __host__ __device__(int x) -> int { return 2 * x - shift; }, data);
    cudaDeviceSynchronize();
    printf("functions %d %d %d\n", data[0], data[1], data[3]);

    Operation from_device;
    cudaMemcpyFromSymbol(&from_device, single, sizeof from_device);
    miscellaneous<<<1, 1>>>(data, from_device);
    cudaDeviceSynchronize();
    printf("others %d %d %d %d %d %d %d\n", data[0], data[1], data[2], data[3], data[4], data[5], data[6]);
}
