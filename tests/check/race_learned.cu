// SPDX-License-Identifier: MIT
// Kernels, copies and the host after a kernel that has waited for a flag of another stream: they come after all that the
// waiting thread has learned. In the cases with a defect nobody waits.
#include <cooperative_groups.h>

#include <atomic>
#include <thread>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <cuda/atomic>

#include "cases.cuh"

using Flag = cuda::atomic<int, cuda::thread_scope_device>;

__device__ int* own(int* values) { return values + blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void fill(int* values) { *own(values) = 1; }  // @learned-by-kernel @learned-late @learned-by-grid
__global__ void fill_for_copy(int* values) {
    *own(values) = 1;  // @learned-by-copy Error: Race reported between a kernel and an operation
}
__global__ void fill_for_host(int* values) {
    *own(values) = 1;  // @learned-by-host Error: Race reported between a kernel and the host
}

__global__ void signal(Flag* flag) { flag->store(1, cuda::memory_order_release); }

template <bool waits>
__global__ void wait_for(Flag* flag) {
    while (waits && flag->load(cuda::memory_order_acquire) == 0) {}
}

// The thread that fills tells of it itself.
__global__ void fill_and_signal(int* values, Flag* flag) {
    *own(values) = 1;  // @learned-across-devices
    __syncthreads();
    if (threadIdx.x == 0) flag->store(1, cuda::memory_order_release);
}

__global__ void double_all(int* values) { *own(values) *= 2; }    // @learned-by-kernel Error: Race reported
__global__ void double_late(int* values) { *own(values) *= 2; }   // @learned-late Error: Race reported
__global__ void double_there(int* values) { *own(values) *= 2; }  // @learned-across-devices Error: Race reported

template <bool waits>
__global__ void wait_and_double(int* values, Flag* flag) {
    if (threadIdx.x == 0) {
        while (waits && flag->load(cuda::memory_order_acquire) == 0) {}
    }
    __syncthreads();
    *own(values) *= 2;  // @told-of-copy Error: Race reported between a kernel and an operation
}

template <bool waits>
__global__ void wait_together(int* values, Flag* flag) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (waits && flag->load(cuda::memory_order_acquire) == 0) {}
    }
    cooperative_groups::this_grid().sync();
    *own(values) *= 2;  // @learned-by-grid Error: Race reported
}

// With fences and a volatile flag, as before C++11.
__global__ void signal_by_fence(volatile int* flag) {
    __threadfence();
    *flag = 1;
}

template <bool waits>
__global__ void wait_by_fence(volatile int* flag) {
    while (waits && *flag == 0) {}
    __threadfence();
}

constexpr int blocks = 4, threads = 32, count = blocks * threads;

struct Streams {
    cudaStream_t one = nullptr, other = nullptr, third = nullptr;
    Streams() {
        for (cudaStream_t* stream : {&one, &other, &third}) cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    }
    ~Streams() {
        for (cudaStream_t stream : {one, other, third}) cudaStreamDestroy(stream);
    }
};

struct Memory {
    int* values = device_array<int>(count);
    Flag* flags = device_array<Flag>(2);
    Memory() { cudaDeviceSynchronize(); }
    ~Memory() {
        cudaFree(values);
        cudaFree(flags);
    }
};

void wait_in(cudaStream_t stream, Flag* flag, bool waits) {
    waits ? wait_for<true><<<1, 1, 0, stream>>>(flag) : wait_for<false><<<1, 1, 0, stream>>>(flag);
}

void learned_by_kernel(bool fixed) {
    Memory memory;
    Streams streams;
    fill<<<blocks, threads, 0, streams.one>>>(memory.values);
    signal<<<1, 1, 0, streams.one>>>(memory.flags);
    wait_in(streams.other, memory.flags, fixed);
    double_all<<<blocks, threads, 0, streams.other>>>(memory.values);
    double_all<<<blocks, threads, 0, streams.other>>>(memory.values);
    cudaDeviceSynchronize();
}

// The stream of the flag has long ended, but the host does not know.
void learned_late(bool fixed) {
    Memory memory;
    Streams streams;
    fill<<<blocks, threads, 0, streams.one>>>(memory.values);
    signal_by_fence<<<1, 1, 0, streams.one>>>(reinterpret_cast<int*>(memory.flags));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto* const flag = reinterpret_cast<int*>(memory.flags);
    fixed ? wait_by_fence<true><<<1, 1, 0, streams.other>>>(flag) : wait_by_fence<false><<<1, 1, 0, streams.other>>>(flag);
    double_late<<<blocks, threads, 0, streams.other>>>(memory.values);
    cudaDeviceSynchronize();
}

void learned_by_copy(bool fixed) {
    Memory memory;
    Streams streams;
    int* values = nullptr;
    cudaMallocHost(&values, count * sizeof(int));
    fill_for_copy<<<blocks, threads, 0, streams.one>>>(memory.values);
    signal<<<1, 1, 0, streams.one>>>(memory.flags);
    wait_in(streams.other, memory.flags, fixed);
    cudaMemcpyAsync(values, memory.values, count * sizeof(int), cudaMemcpyDefault, streams.other);
    cudaDeviceSynchronize();
    cudaFreeHost(values);
}

void learned_by_host(bool fixed) {
    Memory memory;
    Streams streams;
    int* values = nullptr;
    cudaMallocManaged(&values, count * sizeof(int));
    fill_for_host<<<blocks, threads, 0, streams.one>>>(values);
    signal<<<1, 1, 0, streams.one>>>(memory.flags);
    wait_in(streams.other, memory.flags, fixed);
    cudaStreamSynchronize(streams.other);
    std::printf("%d\n", values[0]);  // @learned-by-host
    cudaDeviceSynchronize();
    cudaFree(values);
}

void told_of_copy(bool fixed) {
    Memory memory;
    Streams streams;
    int* values = nullptr;
    cudaMallocHost(&values, count * sizeof(int));
    std::memset(values, 0, count * sizeof(int));
    cudaMemcpyAsync(memory.values, values, count * sizeof(int), cudaMemcpyDefault, streams.one);
    signal<<<1, 1, 0, streams.one>>>(memory.flags);
    fixed ? wait_and_double<true><<<1, threads, 0, streams.other>>>(memory.values, memory.flags)
          : wait_and_double<false><<<1, threads, 0, streams.other>>>(memory.values, memory.flags);
    cudaDeviceSynchronize();
    cudaFreeHost(values);
}

void learned_by_grid(bool fixed) {
    Memory memory;
    Streams streams;
    fill<<<blocks, threads, 0, streams.one>>>(memory.values);
    signal<<<1, 1, 0, streams.one>>>(memory.flags);
    void* arguments[] = {&memory.values, &memory.flags};
    auto* const kernel = fixed ? wait_together<true> : wait_together<false>;
    cudaLaunchCooperativeKernel(kernel, blocks, threads, arguments, 0, streams.other);
    cudaDeviceSynchronize();
}

// From stream to stream, with an event to another device at the end.
void learned_across_devices(bool fixed) {
    Memory memory;
    Streams streams;
    fill_and_signal<<<1, threads, 0, streams.one>>>(memory.values, &memory.flags[0]);
    wait_in(streams.other, &memory.flags[0], fixed);
    signal<<<1, 1, 0, streams.other>>>(&memory.flags[1]);
    wait_in(streams.third, &memory.flags[1], true);
    cudaEvent_t waited = nullptr;
    cudaEventCreateWithFlags(&waited, cudaEventDisableTiming);
    cudaEventRecord(waited, streams.third);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    Streams there;
    cudaStreamWaitEvent(there.one, waited, 0);
    double_there<<<1, threads, 0, there.one>>>(memory.values);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaEventDestroy(waited);
}

template <bool waits>
__global__ void wait_for_host(const int* values, volatile int* flag, int* out) {
    if (threadIdx.x == 0) {
        while (waits && *flag == 0) {}
        __threadfence_system();
    }
    __syncthreads();
    *own(out) = values[threadIdx.x];  // @told-by-host Error: Race reported between a kernel and the host
}

// The host writes beside the kernel, and then tells it.
void told_by_host(bool fixed) {
    Memory memory;
    int *values = nullptr, *flag = nullptr;
    cudaMallocHost(&values, threads * sizeof(int));
    cudaMallocHost(&flag, sizeof *flag);
    *flag = 0;
    fixed ? wait_for_host<true><<<1, threads>>>(values, flag, memory.values)
          : wait_for_host<false><<<1, threads>>>(values, flag, memory.values);
    for (int i = 0; i < threads; ++i) values[i] = i;
    std::atomic_thread_fence(std::memory_order_release);
    *static_cast<volatile int*>(flag) = 1;
    cudaDeviceSynchronize();
    cudaFreeHost(values);
    cudaFreeHost(flag);
}

constexpr Case cases[] = {
    {"learned-by-kernel", learned_by_kernel},
    {"learned-late", learned_late},
    {"learned-by-copy", learned_by_copy},
    {"learned-by-host", learned_by_host},
    {"told-of-copy", told_of_copy},
    {"learned-by-grid", learned_by_grid},
    {"learned-across-devices", learned_across_devices},
    {"told-by-host", told_by_host},
};

int main(int argc, char** argv) { return run_case(cases, argc, argv); }
