// SPDX-License-Identifier: MIT
// Races for parts of words: bytes and halves that threads, copies and fills use; and the same in order, or side by side.
#include <cuda_runtime.h>

#include <chrono>
#include <thread>

#include "cases.cuh"

// ---- copies and fills beside a kernel that has ended, which no event orders before them

struct Streams {
    cudaStream_t kernels, copies;
    cudaEvent_t event;
    char* data;
    Streams() : data(device_array<char>(4096)) {
        cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        cudaDeviceSynchronize();
    }
    // The kernel ends, but nothing tells the host so.
    void pause(bool ordered = false) {
        if (ordered) {
            cudaEventRecord(event, kernels);
            cudaStreamWaitEvent(copies, event, 0);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
};

__global__ void store_bytes(char* data) {
    data[threadIdx.x] = 1;  // @copy-of-bytes Error: Race reported between a kernel and an operation of another stream
}

void copy_of_bytes(bool fixed) {
    Streams streams;
    static char host[64];
    store_bytes<<<1, 64, 0, streams.kernels>>>(streams.data);
    streams.pause(fixed);
    cudaMemcpyAsync(host, streams.data, 64, cudaMemcpyDeviceToHost, streams.copies);
}

// The fill ends in the first half of a word of which the kernel has stored all bytes, or before it.
__global__ void store_word(char* data) {
    data[threadIdx.x] = 1;  // @end-of-fill Error: Race reported between a kernel and an operation of another stream
}

void end_of_fill(bool fixed) {
    Streams streams;
    store_word<<<1, 4, 0, streams.kernels>>>(streams.data + 4);
    streams.pause();
    cudaMemsetAsync(streams.data + 2, 1, fixed ? 2 : 4, streams.copies);
}

__global__ void store_half(short* data) {
    data[threadIdx.x] = 1;  // @halves-of-fill Error: Race reported between a kernel and an operation of another stream
}

void halves_of_fill(bool fixed) {
    Streams streams;
    store_half<<<1, 1, 0, streams.kernels>>>(reinterpret_cast<short*>(streams.data));
    streams.pause();
    cudaMemsetAsync(streams.data + (fixed ? 2 : 1), 1, 2, streams.copies);
}

// Two threads have stored halves of a word, and another has read one.
__global__ void read_and_store_halves(short* data, int* out) {
    if (threadIdx.x == 1) data[0] = 1;
    else if (threadIdx.x == 0) *out = data[1];  // @read-half Error: Race reported between a kernel and an operation of another stream
}

void read_half(bool fixed) {
    Streams streams;
    auto* const out = reinterpret_cast<int*>(streams.data + 1024);
    read_and_store_halves<<<1, 2, 0, streams.kernels>>>(reinterpret_cast<short*>(streams.data), out);
    streams.pause();
    static short host[4];
    if (fixed) cudaMemcpyAsync(host, streams.data + 2, 2, cudaMemcpyDeviceToHost, streams.copies);
    else cudaMemsetAsync(streams.data + 3, 1, 1, streams.copies);
}

// Columns of a matrix of bytes whose rows are not as long as words.
__global__ void store_columns(char* data, int pitch) {
    data[threadIdx.y * pitch + threadIdx.x] = 1;  // @columns Error: Race reported between a kernel and an operation of another stream
}

void columns(bool fixed) {
    Streams streams;
    store_columns<<<1, dim3(5, 8), 0, streams.kernels>>>(streams.data, 13);
    streams.pause();
    cudaMemset2DAsync(streams.data + (fixed ? 5 : 4), 13, 1, 8, 8, streams.copies);
}

// Threads of two warps have read the word: neither the first of its warp.
__global__ void read_by_two(const int* data, int* out) {
    if (threadIdx.x == 34 || threadIdx.x == 67) out[threadIdx.x] = *data;  // @two-readers Error: Race reported between a kernel and an operation of another stream
}

void two_readers(bool fixed) {
    Streams streams;
    auto* const data = reinterpret_cast<int*>(streams.data);
    read_by_two<<<1, 72, 0, streams.kernels>>>(data, data + 256);
    streams.pause(fixed);
    cudaMemsetAsync(data, 1, 4, streams.copies);
}

// ---- within one kernel

// The last warp has eight threads. The writer comes after both readers, in time, but has not fenced.
template <bool fixed>
__global__ void read_by_last_warp(int* data, int* count, int* out) {
    if (threadIdx.x == 1 || threadIdx.x == 64) {
        out[threadIdx.x] = *data;  // @reader-of-last-warp Error: Race reported
        if (fixed) __threadfence();
        atomicAdd(count, 1);
    } else if (threadIdx.x == 20) {
        while (atomicAdd(count, 0) < 2) {}
        if (fixed) __threadfence();
        *data = 1;  // @reader-of-last-warp
    }
}

#define LAUNCH(kernel, blocks, threads, ...)                                                             \
    [](bool fixed) {                                                                                     \
        char* a = device_array<char>(4096);                                                              \
        int* out = device_array<int>(4096);                                                              \
        fixed ? kernel<true><<<blocks, threads>>>(__VA_ARGS__) : kernel<false><<<blocks, threads>>>(__VA_ARGS__); \
    }

int main(int argc, char** argv) {
    static const Case cases[] = {
        {"copy-of-bytes", copy_of_bytes}, {"end-of-fill", end_of_fill}, {"halves-of-fill", halves_of_fill},
        {"read-half", read_half},         {"columns", columns},         {"two-readers", two_readers},
        {"reader-of-last-warp", LAUNCH(read_by_last_warp, 1, 72, reinterpret_cast<int*>(a), out, out + 1024)},
    };
    return run_case(cases, argc, argv);
}
