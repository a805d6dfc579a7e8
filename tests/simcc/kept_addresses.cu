// SPDX-License-Identifier: MIT
// Pointers and references to a thread's own variables that live across a barrier, one kernel a file:
// KERNEL=n chooses it.
#include <cstdio>

struct List {
    int values[4];
    int n;
    __device__ int* begin() { return values; }
};
typedef int Row[4];
using Reference = int&;
struct Holder {
    int* p;
    __device__ Holder() {}
    __device__ Holder(int& x) : p(&x) {}
};
struct Pointers {
    int* list[2];
};
__device__ inline void keep(int*& p, int& x) { p = &x; }

__global__ void kernel(int* out, int k) {
    const int t = threadIdx.x;
    int x = 3 * t, y = 7;
#if KERNEL == 0  // a member that is an array
    List s;
    s.values[0] = x;
    int* p = s.values;
    __syncthreads();
    p[0] += 5;
    __syncthreads();
    x = s.values[0];
#elif KERNEL == 1  // a method
    List s;
    s.values[1] = x;
    int* p = s.begin();
    __syncthreads();
    p[1] += 5;
    __syncthreads();
    x = s.values[1];
#elif KERNEL == 2  // an array by another name
    Row r = {x, 1, 2, 3};
    int* p = r;
    __syncthreads();
    p[0] += 5;
    __syncthreads();
    x = r[0];
#elif KERNEL == 3  // a reference by another name
    Reference r = x;
    r += k * 5;
    __syncthreads();
#elif KERNEL == 4  // a constructor
    Holder h(x);
    __syncthreads();
    *h.p += 5;
    __syncthreads();
#elif KERNEL == 5
    Holder h;
    h = Holder{x};
    __syncthreads();
    *h.p += 5;
    __syncthreads();
#elif KERNEL == 6  // through a pointer
    Pointers h;
    int** q = h.list;
    q[1] = &x;
    __syncthreads();
    *h.list[1] += 5;
    __syncthreads();
#elif KERNEL == 7  // in shared memory
    __shared__ int* all[64];
    all[t] = &x;
    __syncthreads();
    *all[t] += 5;
    __syncthreads();
#elif KERNEL == 8  // behind a cast
    long a = (long)&x;
    __syncthreads();
    *(int*)a += 5;
    __syncthreads();
#elif KERNEL == 9
    int* p;
    keep(p, x);
    __syncthreads();
    *p += 5;
    __syncthreads();
#elif KERNEL == 10
    decltype((x)) r = x;
    __syncthreads();
    r += 5;
    __syncthreads();
#elif KERNEL == 11  // a choice
    (k > 0 ? x : y) += 5;
    __syncthreads();
#elif KERNEL == 12
    (y += 1, x) += 5;
    __syncthreads();
#endif
    out[t] = x + 0 * y;
}

int main() {
    int *out, wrong = 0;
    cudaMallocManaged(&out, 64 * sizeof(int));
    kernel<<<1, 64>>>(out, 1);
    cudaDeviceSynchronize();
    for (int t = 0; t < 64; ++t) wrong += out[t] != 3 * t + 5;
    printf("%d wrong\n", wrong);
    cudaFree(out);
}
