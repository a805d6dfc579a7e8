// SPDX-License-Identifier: MIT
// The toolkit's semaphores, latches and atomics that wait: on one worker thread, too, whoever waits lets others go on.
#include <cstdio>
#include <new>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/chrono>
#include <cuda/std/semaphore>

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 3> three_places{3};
__device__ cuda::binary_semaphore<cuda::thread_scope_device> handed_over{0};
__device__ int inside, most_inside, entered, result;

__global__ void enter_in_turn() {
    three_places.acquire();
    atomicMax(&most_inside, atomicAdd(&inside, 1) + 1);
    __nanosleep(10);
    atomicSub(&inside, 1);
    atomicAdd(&entered, 1);
    three_places.release();
}

// The first thread waits for the last one of another block.
__global__ void hand_over() {
    const bool is_last_block = blockIdx.x == gridDim.x - 1;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        handed_over.acquire();
        ++result;
    } else if (is_last_block && threadIdx.x == blockDim.x - 1) {
        result = 10;
        handed_over.release();
    }
}

struct Shared {
    cuda::latch<cuda::thread_scope_block> latch;
    cuda::std::binary_semaphore semaphore{0};
    cuda::std::atomic<int> flag{0};
    explicit __device__ Shared(int threads) : latch(threads) {}
};

__global__ void wait_in_all_ways(int* out) {
    __shared__ alignas(Shared) char memory[sizeof(Shared)];
    Shared* const shared = reinterpret_cast<Shared*>(memory);
    __shared__ int sum;
    if (threadIdx.x == 0) new (shared) Shared(blockDim.x);
    __syncthreads();
    out[threadIdx.x] = 1;
    shared->latch.arrive_and_wait();
    if (threadIdx.x == 0) {
        shared->semaphore.acquire();
        sum = out[0] + out[blockDim.x - 1];
        shared->flag.store(1);
        shared->flag.notify_all();
    }
    if (threadIdx.x == 40) shared->semaphore.release();
    shared->flag.wait(0);
    const bool in_time = threadIdx.x == 1 && shared->semaphore.try_acquire_for(cuda::std::chrono::microseconds(100));
    out[threadIdx.x] += 10 * sum + 100 * in_time;
}

template <class T>
T value_of(const T& variable) {
    T value;
    cudaMemcpyFromSymbol(&value, variable, sizeof value);
    return value;
}

int main() {
    int* out;
    cudaMallocManaged(&out, 64 * sizeof(int));
    enter_in_turn<<<4, 50>>>();
    std::printf("%d entered, at most %d at once\n", value_of(entered), value_of(most_inside));
    hand_over<<<3, 64>>>();
    std::printf("handed over %d\n", value_of(result));
    wait_in_all_ways<<<1, 64>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%d %d %d, %s\n", out[0], out[1], out[63], cudaGetErrorName(error));
    cudaFree(out);
}
