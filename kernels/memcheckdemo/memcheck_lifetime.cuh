// Memory that nobody frees, that is freed twice or in the wrong order, and a stack that does not end: memcheck's leak
// check, its device heap and its stream-ordered races. Names say what the code computes, never what is wrong with it:
// reports print them.
#pragma once

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

__global__ void fill(int* out) { out[threadIdx.x] = 100 + threadIdx.x; }
constexpr unsigned fill_line = __LINE__ - 1;

// What is left when the context ends is leaked. (The library's buffers would free it.)
inline Outcome run_fill(bool fixed) {
    constexpr int n = 256;
    int* data = nullptr;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    fill<<<1, n>>>(data);
    std::vector<int> values(n);
    CHECK(cudaMemcpy(values.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    if (fixed) CHECK(cudaFree(data));
    CHECK(cudaDeviceReset());
    return compare(values, numbers(n));
}
constexpr Place fill_place{__FILE__, __LINE__ - 8};

// Each thread builds its list on the device heap; the next kernel adds it up.
__global__ void build_lists(int** lists) {
    int* list = static_cast<int*>(malloc(3 * sizeof(int)));
    for (int i = 0; i < 3; ++i) list[i] = threadIdx.x + i;
    lists[threadIdx.x] = list;
}
constexpr Place build_lists_place{__FILE__, __LINE__ - 4};

template <bool then_free>
__global__ void sum_lists(int** lists, int* sums) {
    const int* list = lists[threadIdx.x];
    sums[threadIdx.x] = list[0] + list[1] + list[2];
    if (then_free) free(lists[threadIdx.x]);
}
constexpr Place sum_lists_place{__FILE__, __LINE__ - 2};

__global__ void free_lists(int** lists) { free(lists[threadIdx.x]); }
constexpr Place free_lists_place{__FILE__, __LINE__ - 1};

inline std::vector<int> sums_of_lists(int n) {
    std::vector<int> sums(n);
    for (int i = 0; i < n; ++i) sums[i] = 3 * i + 3;
    return sums;
}

inline Outcome run_lists(bool fixed) {
    constexpr int n = 32;
    Outcome outcome;
    {
        const DeviceBuffer<int*> lists(n);
        const DeviceBuffer<int> sums(n);
        build_lists<<<1, n>>>(lists.data());
        if (fixed) sum_lists<true><<<1, n>>>(lists.data(), sums.data());
        else sum_lists<false><<<1, n>>>(lists.data(), sums.data());
        outcome = outcome_of(sums, sums_of_lists(n));
    }
    CHECK(cudaDeviceReset());
    return outcome;
}

// Both the kernel that reads the lists and the one after it free them.
inline Outcome run_lists_of_two_owners(bool fixed) {
    constexpr int n = 32;
    const DeviceBuffer<int*> lists(n);
    const DeviceBuffer<int> sums(n);
    build_lists<<<1, n>>>(lists.data());
    sum_lists<true><<<1, n>>>(lists.data(), sums.data());
    if (!fixed) free_lists<<<1, n>>>(lists.data());
    return outcome_of(sums, sums_of_lists(n));
}

// 1 + 3 + ... + n in steps of two: for an even n as for an odd one, if the end is not stepped over. volatile keeps the
// frame, so that the recursion is one.
__device__ __noinline__ int sum_of_every_second(int n) {
    volatile int frame[64];
    frame[0] = n;
    if (n == 0) return 0;
    return sum_of_every_second(n - 2) + frame[0];
}
constexpr Place sum_of_every_second_place{__FILE__, __LINE__ - 2};

__device__ __noinline__ int sum_of_every_second_fixed(int n) {
    volatile int frame[64];
    frame[0] = n;
    if (n <= 0) return 0;
    return sum_of_every_second_fixed(n - 2) + frame[0];
}

__global__ void sums_to(const int* ends, int* sums) { *sums = sum_of_every_second(*ends); }
__global__ void sums_to_fixed(const int* ends, int* sums) { *sums = sum_of_every_second_fixed(*ends); }

inline Outcome run_sums_to(bool fixed) {
    const DeviceBuffer<int> end = on_device({3}), sum(1);
    const auto kernel = fixed ? sums_to_fixed : sums_to;
    kernel<<<1, 1>>>(end.data(), sum.data());
    return outcome_of(sum, {4});
}

// Memory that belongs to a stream's order is there for other streams only once an event says so.
inline void let_wait(const Stream& later, const Stream& earlier) {
    const Event event(cudaEventDisableTiming);
    event.record(earlier);
    CHECK(cudaStreamWaitEvent(later, event, 0));
}

inline Outcome run_allocate_in_order(bool fixed) {
    constexpr int n = 256;
    const Stream first, second;
    int* data = nullptr;
    CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data), n * sizeof(int), first));
    if (fixed) let_wait(second, first);
    fill<<<1, n, 0, second>>>(data);
    if (const cudaError_t error = cudaStreamSynchronize(second); error != cudaSuccess) return outcome_of(error);
    std::vector<int> values(n);
    CHECK(cudaMemcpyAsync(values.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost, second));
    second.synchronize();
    CHECK(cudaFreeAsync(data, second));
    second.synchronize();
    return compare(values, numbers(n));
}
constexpr Place allocate_in_order_place{__FILE__, fill_line, __LINE__ - 9};

__global__ void copy_values(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
constexpr unsigned copy_values_line = __LINE__ - 1;

inline Outcome run_free_in_order(bool fixed) {
    constexpr int n = 256;
    const Stream first, second;
    const DeviceBuffer<int> out(n);
    int* data = nullptr;
    CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data), n * sizeof(int), first));
    fill<<<1, n, 0, first>>>(data);
    first.synchronize();
    if (!fixed) CHECK(cudaFreeAsync(data, first));
    copy_values<<<1, n, 0, second>>>(data, out.data());
    if (fixed) let_wait(first, second);
    if (fixed) CHECK(cudaFreeAsync(data, first));
    return outcome_of(out, numbers(n));
}
constexpr Place free_in_order_place{__FILE__, copy_values_line, __LINE__ - 6};

}  // namespace BACKEND
