// SPDX-License-Identifier: MIT
// The operations of cuda::atomic and cuda::atomic_ref, between threads of all blocks.
#include <cuda/atomic>

#include <cstdio>

template <class T>
using Shared = cuda::atomic<T, cuda::thread_scope_device>;

struct Results {
    Shared<int> sum, most, bits, counted;
    Shared<float> total;
    Shared<unsigned char> small;
    int lock, guarded;
};

__global__ void operate(Results* results, Shared<int*>* next) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    results->sum += i;
    results->most.fetch_max(i, cuda::memory_order_relaxed);
    results->bits |= 1 << i % 8;
    ++results->counted;
    results->total.fetch_add(0.5f);
    results->small.fetch_add(1);
    *next->fetch_add(1) = i;
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(results->lock);
    for (bool done = false; !done;) {
        int open = 0;
        if (lock.compare_exchange_weak(open, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) {
            results->guarded += 1;
            lock.store(0, cuda::memory_order_release);
            done = true;
        }
    }
}

__global__ void pass(cuda::atomic<int>* ball) {
    const int own = blockIdx.x;
    for (int seen = ball->load(); seen != own; seen = ball->load()) ball->wait(seen);
    ball->exchange(own + 1);
    ball->notify_all();
}

// Blocks in the wrong order wait for each other by loads and by adding nothing.
__global__ void pass_back(cuda::atomic<int>* ball) {
    const int own = blockIdx.x;
    if (own % 2) {
        while (ball->load(cuda::memory_order_acquire) != own + 1) {}
    } else {
        while (ball->fetch_add(0) != own + 1) {}
    }
    ball->store(own, cuda::memory_order_release);
}

int main() {
    Results* results;
    int* array;
    Shared<int*>* next;
    cuda::atomic<int>* ball;
    cudaMallocManaged(&results, sizeof *results);
    cudaMallocManaged(&array, 256 * sizeof *array);
    cudaMallocManaged(&next, sizeof *next);
    cudaMallocManaged(&ball, sizeof *ball);
    cudaMemset(results, 0, sizeof *results);
    next->store(array);
    ball->store(0);
    operate<<<8, 32>>>(results, next);
    pass<<<8, 1>>>(ball);
    pass_back<<<8, 1>>>(ball);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < 256; ++i) sum += array[i];
    std::printf("%d %d %d %d %g %d %d %ld %d\n", results->sum.load(), results->most.load(), int(results->bits),
                results->counted.load(), results->total.load(), int(results->small), results->guarded, sum, ball->load());
}
