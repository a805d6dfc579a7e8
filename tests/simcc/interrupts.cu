// SPDX-License-Identifier: MIT
// A worker that could not run for a while finds many of the watchdog's signals waiting for it, all at once.
#include <pthread.h>
#include <signal.h>

#include <cstdio>

__host__ __device__ void receive_signals(int count) {
    sigset_t watchdog, before;
    sigemptyset(&watchdog);
    sigaddset(&watchdog, SIGRTMAX - 3);
    pthread_sigmask(SIG_BLOCK, &watchdog, &before);
    for (int i = 0; i < count; ++i) pthread_kill(pthread_self(), SIGRTMAX - 3);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

__global__ void interrupted(int* done) {
    receive_signals(500);
    atomicAdd(done, 1);
}

int main() {
    int* done;
    cudaMallocManaged(&done, sizeof *done);
    *done = 0;
    interrupted<<<2, 32>>>(done);
    const cudaError_t status = cudaDeviceSynchronize();
    std::printf("%d %s\n", *done, cudaGetErrorName(status));
}
