// Races in global memory, between blocks and between streams: no tool of toolkit 13.0 reports them, but the checked
// simulator does. Names say what the code computes, never what is wrong with it: reports print them.
#pragma once

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

// Every thread adds one, and most of it is lost.
__global__ void count_threads(int* count) { *count += 1; }
constexpr Place count_threads_place{__FILE__, __LINE__ - 1, __LINE__ - 1};

__global__ void count_threads_fixed(int* count) { atomicAdd(count, 1); }

inline Outcome run_count_threads(bool fixed) {
    const DeviceBuffer<int> count = on_device({0});
    const auto kernel = fixed ? count_threads_fixed : count_threads;
    kernel<<<64, 256>>>(count.data());
    return outcome_of(count, {64 * 256});
}

// Blocks leave their counts, and the last to be done adds them up. Without a fence a count may come after the ticket
// that says it is there.
__global__ void count_odd(const int* in, volatile int* counts, unsigned* tickets, int* total) {
    const int count = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x] % 2);
    if (threadIdx.x > 0) return;
    counts[blockIdx.x] = count;
    if (atomicAdd(tickets, 1u) < gridDim.x - 1) return;
    int sum = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) sum += counts[block];
    *total = sum;
}
constexpr Place count_odd_place{__FILE__, __LINE__ - 6, __LINE__ - 3};

__global__ void count_odd_fixed(const int* in, volatile int* counts, unsigned* tickets, int* total) {
    const int count = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x] % 2);
    if (threadIdx.x > 0) return;
    counts[blockIdx.x] = count;
    __threadfence();
    if (atomicAdd(tickets, 1u) < gridDim.x - 1) return;
    __threadfence();
    int sum = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) sum += counts[block];
    *total = sum;
}

inline Outcome run_count_odd(bool fixed) {
    constexpr int blocks = 32, block = 64;
    const DeviceBuffer<int> in = on_device(numbers(blocks * block)), counts(blocks), total(1);
    const DeviceBuffer<unsigned> tickets(1);
    CHECK(cudaMemset(tickets.data(), 0, tickets.bytes()));
    const auto kernel = fixed ? count_odd_fixed : count_odd;
    kernel<<<blocks, block>>>(in.data(), counts.data(), tickets.data(), total.data());
    return outcome_of(total, {blocks * block / 2});
}

// Atomic within each block, not between them.
__global__ void count_blocks(int* count) {
    if (threadIdx.x == 0) atomicAdd_block(count, 1);
}
constexpr Place count_blocks_place{__FILE__, __LINE__ - 2, __LINE__ - 2};

__global__ void count_blocks_fixed(int* count) {
    if (threadIdx.x == 0) atomicAdd(count, 1);
}

inline Outcome run_count_blocks(bool fixed) {
    const DeviceBuffer<int> count = on_device({0});
    const auto kernel = fixed ? count_blocks_fixed : count_blocks;
    kernel<<<128, 32>>>(count.data());
    return outcome_of(count, {128});
}

// One thread at a time is between acquire and release, but nothing says that its writes are, too.
__global__ void add_in_turn(int* lock, volatile int* total) {
    if (threadIdx.x > 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    *total = *total + static_cast<int>(blockIdx.x);
    atomicExch(lock, 0);
}
constexpr Place add_in_turn_place{__FILE__, __LINE__ - 3, __LINE__ - 3};

__global__ void add_in_turn_fixed(int* lock, volatile int* total) {
    if (threadIdx.x > 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total = *total + static_cast<int>(blockIdx.x);
    __threadfence();
    atomicExch(lock, 0);
}

inline Outcome run_add_in_turn(bool fixed) {
    constexpr int blocks = 64;
    const DeviceBuffer<int> lock = on_device({0}), total = on_device({0});
    const auto kernel = fixed ? add_in_turn_fixed : add_in_turn;
    kernel<<<blocks, 32>>>(lock.data(), total.data());
    return outcome_of(total, {blocks * (blocks - 1) / 2});
}

__global__ void negate_all(int* data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = -data[i];
}
constexpr unsigned negate_all_line = __LINE__ - 2;

// The copy in one stream does not wait for the kernel in the other.
inline Outcome run_negate_all(bool fixed) {
    constexpr int n = 1 << 16;
    std::vector<int> expected = numbers(n);
    const DeviceBuffer<int> data = on_device(expected);
    const PinnedBuffer<int> result(n);
    for (int& value : expected) value = -value;
    const Stream first, second;
    const Event event(cudaEventDisableTiming);
    negate_all<<<1, 64, 0, first>>>(data.data(), n);
    event.record(first);
    if (fixed) CHECK(cudaStreamWaitEvent(second, event, 0));
    CHECK(cudaMemcpyAsync(result.data(), data.data(), data.bytes(), cudaMemcpyDeviceToHost, second));
    second.synchronize();
    if (const cudaError_t error = finished(); error != cudaSuccess) return outcome_of(error);
    return compare({result.data(), result.data() + n}, expected);
}
constexpr Place negate_all_place{__FILE__, negate_all_line, __LINE__ - 5};

}  // namespace BACKEND
