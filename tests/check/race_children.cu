// SPDX-License-Identifier: MIT
// Kernels that launch kernels, with and without races between what they do; @CASE marks the lines of a finding. Usage:
// race_children CASE...
#include <cstring>

__global__ void store(int* p, int value) { *p = value; }  // @reads_child @forgotten @two_blocks @cousins
__global__ void load(const int* p, int* to) { *to = *p; }  // @other_block @writes_later
__global__ void store_deeper(int* p, int* q) { store<<<1, 1>>>(p, *q); }
__global__ void fill(int* p) { p[threadIdx.x] = 1; }
__global__ void sum(const int* p, int* to) {
    for (int i = 0; i < 64; ++i) *to += p[i];  // @no_barrier
}

// ---- right

// A child sees what its thread has written, and what the block has, through the barrier.
__global__ void sees_block(int* p) {
    p[threadIdx.x] = int(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) sum<<<1, 1>>>(p, p + 100);
}
// Through two levels.
__global__ void sees_ancestors(int* p) {
    p[0] = 1, p[1] = 2;
    store_deeper<<<1, 1>>>(p, p + 1);
}
// Launches in one stream follow each other, also with all that the first has launched.
__global__ void in_order(int* p) {
    store_deeper<<<1, 1>>>(p, p + 1);
    load<<<1, 1>>>(p, p + 2);
    store<<<1, 1>>>(p, 4);
}
// A tail launch comes after all blocks and all their launches.
__global__ void tail(int* p) {
    p[threadIdx.x + blockIdx.x * blockDim.x] = 1;
    if (threadIdx.x) return;
    store<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 200 + blockIdx.x, 1);
    if (blockIdx.x == 0) sum<<<1, 1, 0, cudaStreamTailLaunch>>>(p, p + 100);
    if (blockIdx.x == 0) load<<<1, 1, 0, cudaStreamTailLaunch>>>(p + 201, p + 100);
}
// An event orders two streams.
__global__ void by_event(int* p) {
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    store<<<1, 1, 0, a>>>(p, 1);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    load<<<1, 1, 0, b>>>(p, p + 1);
    cudaMemcpyAsync(p + 2, p + 1, sizeof(int), cudaMemcpyDeviceToDevice, b);
    load<<<1, 1, 0, b>>>(p + 2, p + 3);
}
// The parent writes to what its children leave alone; a copy takes what it wrote before.
__global__ void apart(int* p) {
    p[0] = 1;
    cudaMemcpyAsync(p + 1, p, sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
    load<<<1, 1>>>(p, p + 2);
    p[3] = p[0];
}
// One block publishes by a counter; the last one launches a child, which sees all.
__device__ unsigned tickets;
__global__ void last_block(int* p) {
    p[blockIdx.x] = 1;
    __threadfence();
    if (atomicAdd(&tickets, 1) == gridDim.x - 1) {
        __threadfence();
        tickets = 0;
        sum<<<1, 1>>>(p, p + 100);
    }
}

// ---- wrong

// The threads that did not launch may still be writing.
__global__ void no_barrier(int* p) {
    p[threadIdx.x + 1] = 1;  // @no_barrier
    if (threadIdx.x == 0) sum<<<1, 1>>>(p, p + 100);
}
// Nor has anything ordered the other block.
__global__ void other_block(int* p) {
    p[blockIdx.x] = 1;  // @other_block
    if (blockIdx.x == 1) load<<<1, 1>>>(p, p + 100);
}
// The parent writes after the launch,
__global__ void writes_later(int* p) {
    load<<<1, 1>>>(p, p + 1);
    p[0] = 2;  // @writes_later
}
// or reads what the child may have written already.
__global__ void reads_child(int* p) {
    store<<<1, 1>>>(p, 1);
    p[1] = p[0];  // @reads_child
}
// Nothing is promised of launches that fire and are forgotten,
__global__ void forgotten(int* p) {
    store<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 1);
    store<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 2);
}
// of the null streams of two blocks,
__global__ void two_blocks(int* p) { store<<<1, 1>>>(p, int(blockIdx.x)); }
// of cousins,
__global__ void cousins(int* p) {
    p[1] = 1, p[2] = 2;
    store_deeper<<<1, 1, 0, cudaStreamFireAndForget>>>(p, p + 1);
    store_deeper<<<1, 1, 0, cudaStreamFireAndForget>>>(p, p + 2);
}
// and of a copy that the parent does not wait for.
__global__ void copies(int* p) {
    cudaMemcpyAsync(p + 1, p, sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
    p[0] = 1;  // @copies
}

// Pointers to what only the block or the thread has.
__global__ void shared_pointer(int* p) {
    __shared__ int s;
    s = p[0];
    load<<<1, 1>>>(&s, p);  // @shared_pointer
}
__global__ void local_pointer(int* p) {
    int own = p[0];
    store<<<1, 1>>>(&own, own);  // @local_pointer
    if (own == 77) p[1] = own;
}

struct Case {
    const char* name;
    void (*kernel)(int*);
    int blocks, threads;
};
const Case cases[] = {
    {"sees_block", sees_block, 1, 64},
    {"sees_ancestors", sees_ancestors, 1, 1},
    {"in_order", in_order, 1, 1},
    {"tail", tail, 2, 32},
    {"by_event", by_event, 1, 1},
    {"apart", apart, 1, 1},
    {"last_block", last_block, 64, 1},
    {"no_barrier", no_barrier, 1, 64},
    {"other_block", other_block, 2, 1},
    {"writes_later", writes_later, 1, 1},
    {"reads_child", reads_child, 1, 1},
    {"forgotten", forgotten, 1, 1},
    {"two_blocks", two_blocks, 2, 1},
    {"cousins", cousins, 1, 1},
    {"copies", copies, 1, 1},
    {"shared_pointer", shared_pointer, 1, 1},
    {"local_pointer", local_pointer, 1, 1},
};

int main(int count, char** arguments) {
    int* p;
    cudaMalloc(&p, 300 * sizeof(int));
    for (const Case& one : cases) {
        for (int i = 1; i < count; ++i) {
            if (std::strcmp(arguments[i], one.name)) continue;
            cudaMemset(p, 0, 300 * sizeof(int));
            one.kernel<<<one.blocks, one.threads>>>(p);
            // What comes after in the stream comes after all of it.
            fill<<<1, 300>>>(p);
            cudaDeviceSynchronize();
        }
    }
    cudaFree(p);
}
