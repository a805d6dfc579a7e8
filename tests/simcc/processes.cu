// SPDX-License-Identifier: MIT
// Two processes share device memory, of a page and of a few bytes, and events.
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

struct Message {
    cudaIpcMemHandle_t large, small;
    cudaIpcEventHandle_t filled, doubled;
};

__global__ void fill(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}
__global__ void twice(int* numbers, int* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        numbers[i] *= 2;
        atomicAdd(sum, numbers[i]);
    }
}

static int failures = 0;
#define OK(call)                                                                  \
    do {                                                                          \
        const cudaError_t error = (call);                                         \
        if (error) printf("%s: %s\n", #call, cudaGetErrorName(error)), ++failures; \
    } while (0)

constexpr int n = 100000;

int child(int in, int out) {
    Message message;
    if (read(in, &message, sizeof message) != sizeof message) return 1;
    int *numbers, *again, *sum;
    OK(cudaIpcOpenMemHandle((void**)&numbers, message.large, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void**)&again, message.large, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void**)&sum, message.small, cudaIpcMemLazyEnablePeerAccess));
    cudaEvent_t filled, doubled;
    OK(cudaIpcOpenEventHandle(&filled, message.filled));
    OK(cudaIpcOpenEventHandle(&doubled, message.doubled));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamWaitEvent(stream, filled, 0));
    twice<<<(n + 255) / 256, 256, 0, stream>>>(numbers, sum, n);
    OK(cudaEventRecord(doubled, stream));
    if (write(out, "!", 1) != 1) return 1;  // recorded
    OK(cudaStreamSynchronize(stream));
    printf("child: the same address %d\n", numbers == again);
    OK(cudaIpcCloseMemHandle(numbers));
    OK(cudaIpcCloseMemHandle(again));
    OK(cudaIpcCloseMemHandle(sum));
    fflush(stdout);
    char parent_is_done;
    return failures || read(in, &parent_is_done, 1) != 1;
}

int main() {
    int to_child[2], to_parent[2];
    if (pipe(to_child) || pipe(to_parent)) return 1;
    const pid_t process = fork();  // before either process uses CUDA
    if (process == 0) return child(to_child[0], to_parent[1]);

    int *numbers, *sum, *other;
    OK(cudaMalloc(&numbers, n * sizeof(int)));
    OK(cudaMalloc(&other, sizeof(int)));
    OK(cudaMalloc(&sum, sizeof(int)));
    OK(cudaMemset(sum, 0, sizeof(int)));
    OK(cudaMemset(other, 1, sizeof(int)));
    cudaEvent_t filled, doubled;
    OK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaEventCreateWithFlags(&doubled, cudaEventDisableTiming | cudaEventInterprocess));
    Message message;
    OK(cudaIpcGetMemHandle(&message.large, numbers));
    OK(cudaIpcGetMemHandle(&message.small, sum));
    OK(cudaIpcGetEventHandle(&message.filled, filled));
    OK(cudaIpcGetEventHandle(&message.doubled, doubled));
    fill<<<(n + 255) / 256, 256>>>(numbers, n);
    OK(cudaEventRecord(filled));
    if (write(to_child[1], &message, sizeof message) != sizeof message) return 1;
    char recorded;
    if (read(to_parent[0], &recorded, 1) != 1) return 1;
    OK(cudaEventSynchronize(doubled));
    int last, total, untouched;
    OK(cudaMemcpy(&last, numbers + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&untouched, other, sizeof untouched, cudaMemcpyDeviceToHost));
    if (write(to_child[1], "!", 1) != 1) return 1;
    int status;
    waitpid(process, &status, 0);
    printf("parent: last %d, sum %d, other %x, child %d\n", last, total, untouched, WEXITSTATUS(status));
    OK(cudaFree(numbers));
    OK(cudaFree(sum));
    return failures;
}
