// SPDX-License-Identifier: MIT
// Variables that change between barriers in ways that are easily overlooked: in parentheses, through references,
// pointers, arrays, constructors, casts and objects that are called. Prints a few values and a sum for each kernel.
#include <cstdio>

#define INCREMENT(x) (x) += 1

constexpr int threads = 64;

__global__ void parentheses(int* out, int) {
    int c = threadIdx.x;
    __syncthreads();
    INCREMENT(c);
    ++(c);
    __syncthreads();
    out[threadIdx.x] = c;
}

__global__ void space(int* out, int) {
    int c = threadIdx.x;
    __syncthreads();
    // clang-format off
    ++ c;
    // clang-format on
    __syncthreads();
    out[threadIdx.x] = c;
}

__global__ void reference(int* out, int) {
    int c = threadIdx.x;
    __syncthreads();
    {
        int& r = c;
        r += 5;
    }
    __syncthreads();
    out[threadIdx.x] = c;
}

__global__ void pointer(int* out, int) {
    int c = threadIdx.x;
    int* p = &c;
    __syncthreads();
    *p += 5;
    __syncthreads();
    out[threadIdx.x] = c;
}

__global__ void pointer_to_element(int* out, int) {
    int c[4] = {1, 2, 3, 4};
    int* p = c;
    __syncthreads();
    p[1] += threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = c[1];
}

__device__ void fill(int* a, int v) {
    for (int i = 0; i < 4; ++i) a[i] = v + i;
}

__global__ void array_of_a_function(int* out, int) {
    int c[4];
    fill(c, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = c[2];
}

__global__ void row_of_a_function(int* out, int) {
    int m[2][4];
    fill(m[1], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = m[1][2];
}

struct Four {
    int of[4];
};

__global__ void member_of_a_function(int* out, int) {
    Four four;
    fill(four.of, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = four.of[2];
}

struct Loaded {
    int v;
    __device__ explicit Loaded(const int* p) : v(*p) {}
};

__global__ void constructor_reads(int* out, int) {
    const int i = threadIdx.x;
    out[i] = i;
    Loaded a(out + i);
    __syncthreads();
    out[i] = 0;
    __syncthreads();
    out[i] += a.v;
}

struct Sums {
    int sum = 7, n = 3;
};

__global__ void default_values(int* out, int) {
    Sums a;
    for (int k = 0; k < 4; ++k) {
        a.sum += k;
        __syncthreads();
    }
    out[threadIdx.x] = a.sum + a.n;
}

__global__ void cast(int* out, int n) {
    float f = threadIdx.x;
    __syncthreads();
    reinterpret_cast<int&>(f) += n;
    __syncthreads();
    out[threadIdx.x] = __float_as_int(f);
}

struct Add {
    __device__ void operator()(int& x) const { x += 7; }
};

__global__ void object_called(int* out, int) {
    int c = threadIdx.x;
    Add add;
    __syncthreads();
    add(c);
    __syncthreads();
    out[threadIdx.x] = c;
}

__global__ void continue_in_a_switch(int* out, int n) {
    int c = 0;
    for (int k = 0; k < 4; ++k) {
        switch (n + k) {
            case 6: c += 100; continue;
            default: c += 1;
        }
        __syncthreads();
        c += 10;
    }
    out[threadIdx.x] = c;
}

__global__ void comma(int* out, int) {
    int v = threadIdx.x, w = 0;
    v += 10, w = __shfl_down_sync(~0u, v, 1);
    __syncthreads();
    out[threadIdx.x] = w;
}

__global__ void declarators(int* out, int) {
    int v = threadIdx.x * 3, w = __shfl_down_sync(~0u, v, 1);
    __syncthreads();
    out[threadIdx.x] = w + v;
}

__device__ int scaled_maximum(int v, int factor = 2, int more = 3) {
    for (int d = 16; d > 0; d /= 2) {
        const int other = __shfl_xor_sync(~0u, v, d);
        v = v > other ? v : other;
    }
    return v * factor + more;
}

__global__ void default_arguments(int* out, int) {
    __shared__ int s[2];
    int v = scaled_maximum(threadIdx.x);
    s[threadIdx.x / 32] = v;
    __syncthreads();
    out[threadIdx.x] = s[0];
}

__device__ int with_neighbors(int v) {
    v += 3;
    v += __shfl_xor_sync(~0u, v, 1);
    return v;
}

__global__ void nested_calls(int* out, int) {
    const int a = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = with_neighbors(with_neighbors(a) + 1);
}

__device__ int add_neighbor(int* p) {
    *p += 5;
    const int other = __shfl_xor_sync(~0u, *p, 1);
    *p += other;
    return other;
}

__global__ void address_to_a_function(int* out, int) {
    int a = threadIdx.x, b = a + 1;
    const int other = add_neighbor(&a);
    int* p = &b;
    add_neighbor(p);
    __syncthreads();
    out[threadIdx.x] = a * 100 + b * 10 + other;
}

__global__ void count_in_shared_memory(int* out, int n) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    s = n;
    __syncwarp();
    int m = s, c = 0;
    for (int k = 0; k < m; ++k) {
        c += k;
        __syncthreads();
    }
    out[threadIdx.x] = c;
}

// The count decides how often the block comes to the barrier.
__global__ void count_behind_a_head(int* out, int n) {
    int e = n;
    if (n == 5) (e)++;
    for (int k = 0; k < 2; ++k) (e) += 2;
    out[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < e; ++k) {
        out[threadIdx.x] += k;
        __syncthreads();
    }
}

int main() {
    const struct {
        const char* name;
        void (*kernel)(int*, int);
    } rows[] = {{"parentheses", parentheses},
                {"space", space},
                {"reference", reference},
                {"pointer", pointer},
                {"pointer_to_element", pointer_to_element},
                {"array_of_a_function", array_of_a_function},
                {"row_of_a_function", row_of_a_function},
                {"member_of_a_function", member_of_a_function},
                {"constructor_reads", constructor_reads},
                {"default_values", default_values},
                {"cast", cast},
                {"object_called", object_called},
                {"continue_in_a_switch", continue_in_a_switch},
                {"comma", comma},
                {"declarators", declarators},
                {"default_arguments", default_arguments},
                {"nested_calls", nested_calls},
                {"address_to_a_function", address_to_a_function},
                {"count_in_shared_memory", count_in_shared_memory},
                {"count_behind_a_head", count_behind_a_head}};
    int* out = nullptr;
    cudaMallocManaged(&out, threads * sizeof(int));
    for (const auto& row : rows) {
        for (int i = 0; i < threads; ++i) out[i] = -1;
        row.kernel<<<1, threads>>>(out, 5);
        const cudaError_t end = cudaDeviceSynchronize();
        long long sum = 0;
        for (int i = 0; i < threads; ++i) sum += static_cast<long long>(i + 1) * out[i];
        printf("%s: %s, %d %d %d, %lld\n", row.name, cudaGetErrorName(end), out[0], out[1], out[33], sum);
    }
    cudaFree(out);
}
