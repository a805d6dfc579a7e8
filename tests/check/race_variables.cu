// SPDX-License-Identifier: MIT
// Copies and fills of __device__ and __constant__ variables beside kernels that use them.
#include <cstring>

#include "cases.cuh"

__device__ int counter, limit, table[64];
__constant__ int factors[32];

__global__ void read_limit(int* out) {
    out[threadIdx.x] = limit;  // @copy-to-variable Error: Race reported between a kernel and an operation
}

__global__ void count() {
    atomicAdd(&counter, 1);  // @copy-of-variable Error: Race reported between a kernel and an operation
}

__global__ void fill_table() {
    table[threadIdx.x] = 1;  // @fill-by-address Error: Race reported between a kernel and an operation
}

__global__ void multiply(int* out) {
    out[threadIdx.x] = factors[threadIdx.x];  // @copy-to-constant Error: Race reported between a kernel and an operation
}

// A copy is no atomic operation; a store of the host to mapped memory is, if it is volatile.
__global__ void poll(const volatile int* flag, int* out) {
    while (*flag == 0) {}  // @polled-copy Warning: Race reported between a kernel and an operation
    *out = 1;
}

struct Streams {
    cudaStream_t one = nullptr, other = nullptr;
    cudaEvent_t before = nullptr;
    Streams() {
        cudaDeviceSynchronize();
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
    }
    // What follows in one stream comes after what the other one has.
    void order(cudaStream_t earlier, cudaStream_t later) const {
        cudaEventRecord(before, earlier);
        cudaStreamWaitEvent(later, before, 0);
    }
};

// Pinned, so that the copies do not wait.
int* pinned(size_t count) {
    int* values = nullptr;
    cudaMallocHost(&values, count * sizeof(int));
    std::memset(values, 0, count * sizeof(int));
    return values;
}

void copy_to_variable(bool fixed) {
    int *out = device_array<int>(32), *value = pinned(1);
    Streams streams;
    cudaMemcpyToSymbolAsync(limit, value, sizeof *value, 0, cudaMemcpyHostToDevice, streams.one);
    if (fixed) streams.order(streams.one, streams.other);
    read_limit<<<1, 32, 0, streams.other>>>(out);
}

void copy_of_variable(bool fixed) {
    int* value = pinned(1);
    Streams streams;
    count<<<2, 32, 0, streams.one>>>();
    if (fixed) streams.order(streams.one, streams.other);
    cudaMemcpyFromSymbolAsync(value, counter, sizeof *value, 0, cudaMemcpyDeviceToHost, streams.other);
}

// The halves of the table are different memory.
void fill_by_address(bool fixed) {
    void* address = nullptr;
    cudaGetSymbolAddress(&address, table);
    Streams streams;
    fill_table<<<1, 32, 0, streams.one>>>();
    cudaMemsetAsync(static_cast<int*>(address) + (fixed ? 32 : 31), 0, 32 * sizeof(int), streams.other);
}

void copy_to_constant(bool fixed) {
    int *out = device_array<int>(32), *values = pinned(32);
    Streams streams;
    multiply<<<1, 32, 0, streams.one>>>(out);
    if (fixed) streams.order(streams.one, streams.other);
    cudaMemcpyToSymbolAsync(factors, values, 32 * sizeof(int), 0, cudaMemcpyHostToDevice, streams.other);
}

void copy_to_flag(bool fixed) {
    int *out = device_array<int>(1), *value = pinned(2), *flag = device_array<int>(1);
    cudaMemset(flag, 0, sizeof *flag);
    Streams streams;
    *value = 1;
    if (fixed) cudaHostGetDevicePointer(&flag, value + 1, 0);
    poll<<<1, 1, 0, streams.one>>>(flag, out);
    if (fixed) static_cast<volatile int*>(value)[1] = 1;
    else cudaMemcpyAsync(flag, value, sizeof *flag, cudaMemcpyHostToDevice, streams.other);
}

constexpr Case cases[] = {
    {"copy-to-variable", copy_to_variable},
    {"copy-of-variable", copy_of_variable},
    {"fill-by-address", fill_by_address},
    {"copy-to-constant", copy_to_constant},
    {"polled-copy", copy_to_flag},
};

int main(int argc, char** argv) { return run_case(cases, argc, argv); }
