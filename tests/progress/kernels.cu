// SPDX-License-Identifier: MIT
// Kernels that take long, in every way in which that is no mistake, and some that never end. The argument names one.
#include <time.h>

#include <cstdio>
#include <cstring>

// Uses processor time, and lets nobody else go first.
__host__ __device__ void work(int milliseconds) {
    const auto now = [] {
        timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_sec * 1000000000LL + time.tv_nsec;
    };
    for (const long long end = now() + milliseconds * 1000000LL; now() < end;) {}
}

__device__ void have_a_turn(int* lock, int* done) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    work(15);
    ++*done;
    __threadfence();
    atomicExch(lock, 0);
}

// A lock that goes from thread to thread. No block ends before nearly all threads have had it.
__global__ void take_turns(int* lock, int* done) { have_a_turn(lock, done); }

// The same, before a barrier: no thread comes to it before nearly all have had the lock.
__global__ void take_turns_and_meet(int* lock, int* done) {
    have_a_turn(lock, done);
    __syncthreads();
}

__global__ void run_alone(int* done) {
    work(400);
    atomicAdd(done, 1);
}

__global__ void run_one_by_one(int* done) {
    work(20);
    atomicAdd(done, 1);
}

// Two blocks hand a ball to each other and look for it by adding nothing.
__global__ void play(int* ball, int* done) {
    for (int round = 0; round < 40; ++round) {
        while (atomicAdd(ball, 0) != 2 * round + static_cast<int>(blockIdx.x)) {}
        work(5);
        atomicAdd(ball, 1);
    }
    atomicAdd(done, 1);
}

__global__ void wait_for(const volatile int* flag, int* done) {
    while (*flag == 0) {}
    atomicAdd(done, 1);
}

__global__ void open_late(volatile int* flag) {
    work(400);
    *flag = 1;
}

// The first thread passes barriers and votes, the others barriers only.
__global__ void pass_barriers(int* done) {
    for (int round = 0; round < 20; ++round) {
        if (threadIdx.x == 0) work(20);
        __syncthreads();
    }
    atomicAdd(done, 1);
}

__global__ void run_for_ever(volatile int* flag) {
    while (flag[0] == 0) flag[1] = flag[1] + 1;
}

// The lock is free again and again, yet what the threads wait for never comes.
__global__ void take_turns_for_ever(int* lock, int* value) {
    for (bool done = false; !done;) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        done = atomicAdd(value, 0) != 0;
        atomicExch(lock, 0);
    }
}

int main(int, char** arguments) {
    int *memory = nullptr, *done = nullptr;
    cudaMallocManaged(&memory, 256);
    cudaMallocManaged(&done, sizeof *done);
    std::memset(memory, 0, 256);
    *done = 0;
    cudaDeviceSynchronize();
    const auto is = [arguments](const char* name) { return std::strcmp(arguments[1], name) == 0; };
    if (is("take-turns")) take_turns<<<2, 20>>>(memory, done);
    if (is("take-turns-and-meet")) take_turns_and_meet<<<2, 40>>>(memory, done);
    if (is("run-alone")) run_alone<<<1, 1>>>(done);
    if (is("run-one-by-one")) run_one_by_one<<<1, 64>>>(done);
    if (is("play")) play<<<2, 1>>>(memory, done);
    if (is("pass-barriers")) pass_barriers<<<1, 40>>>(done);
    if (is("wait-for-another-kernel")) {
        cudaStream_t other;
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        open_late<<<1, 1, 0, other>>>(memory);
        wait_for<<<1, 32>>>(memory, done);
    }
    if (is("wait-for-ever")) wait_for<<<2, 32>>>(memory, done);
    if (is("run-for-ever")) run_for_ever<<<2, 32>>>(memory);
    if (is("take-turns-for-ever")) take_turns_for_ever<<<2, 2>>>(memory, memory + 1);
    const cudaError_t status = cudaDeviceSynchronize();
    std::printf("%d %s\n", *done, cudaGetErrorName(status));
}
