// SPDX-License-Identifier: MIT
// Races in global memory, between blocks and between launches, and the same kernels with what orders them.
#include <cooperative_groups.h>
#include <cuda/atomic>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <cstdio>

#include "cases.cuh"

namespace cg = cooperative_groups;

template <bool fixed>
__global__ void count(int* counter) {
    if (fixed) {
        atomicAdd(counter, 1);
    } else {
        *counter += 1;  // @counter Error: Race reported
    }
}

// The block that finishes last adds up what all have written.
template <bool fixed, bool second_fence>
__global__ void last_block(int* sums, unsigned* ticket, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x;  // @last-block Error: Race reported
        if (fixed) __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    if (second_fence) __threadfence();
    int sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += sums[i];  // @last-block
    atomicAdd(out, sum);
}

// Everybody writes and fences, one thread takes the ticket for all.
template <bool fixed>
__global__ void last_block_of_all(int* sums, unsigned* ticket, int* out) {
    __shared__ bool is_last;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // @fence-before-barrier Error: Race reported
    if (fixed) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x * blockDim.x; ++i) sum += sums[i];  // @fence-before-barrier
        *out = sum;
        *ticket = 0;
    }
}

template <bool fixed>
__global__ void locked(int* lock, int* value) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    if (fixed) __threadfence();
    *value += 1;  // @lock-without-fence Error: Race reported
    if (fixed) __threadfence();
    atomicExch(lock, 0);
}

// The lock is opened by a volatile store, and taken in a loop that does more than wait.
template <bool fixed>
__global__ void locked_by_store(int* lock, int* value) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) != 0) continue;
        __threadfence();
        *value += 1;  // @unlock-without-fence Error: Race reported
        if (fixed) __threadfence();
        *static_cast<volatile int*>(lock) = 0;
        done = true;
    }
}

template <bool fixed>
__global__ void locked_for_all(int* lock, int* value) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    fixed ? __threadfence() : __threadfence_block();
    *value += 1;  // @lock-fence-scope Error: Race reported
    __threadfence();
    atomicExch(lock, 0);
}

// The first read may be of any value: the compare-and-swap finds out.
template <bool fixed>
__global__ void doubled(unsigned long long* sum) {
    unsigned long long old = fixed ? atomicAdd(sum, 0) : *sum;  // @compare-and-swap-loop Info: Race reported
    unsigned long long seen;
    do {
        seen = old;
        old = atomicCAS(sum, seen, seen * 2 + 1);  // @compare-and-swap-loop
    } while (old != seen);
}

// The same with the upper half of a word, while others update its lower half.
template <bool fixed>
__global__ void halves(unsigned short* sums) {
    unsigned short* const sum = sums + threadIdx.x % 2;
    unsigned short old = fixed ? atomicCAS(sum, 0, 0) : *sum;  // @half-of-a-word Info: Race reported
    unsigned short seen;
    do {
        seen = old;
        old = atomicCAS(sum, seen, static_cast<unsigned short>(seen + 1));  // @half-of-a-word
    } while (old != seen);
}

template <bool fixed>
__global__ void maximum(int* most) {
    const int value = blockIdx.x * blockDim.x + threadIdx.x;
    if (fixed || *most < value) atomicMax(most, value);  // @tested-update Info: Race reported
}

template <bool fixed>
__global__ void count_and_look(int* counter, int* out) {
    atomicAdd(counter, 1);  // @early-look Warning: Race reported
    if (!fixed && threadIdx.x == 0 && blockIdx.x == 3) *out = *counter;  // @early-look
}

template <bool fixed>
__global__ void locked_by_cxx(cuda::atomic<int, cuda::thread_scope_device>* lock, int* value) {
    int expected = 0;
    while (!lock->compare_exchange_strong(expected, 1, cuda::std::memory_order_acquire)) expected = 0;
    *value += 1;  // @relaxed-unlock Error: Race reported
    lock->store(0, fixed ? cuda::std::memory_order_release : cuda::std::memory_order_relaxed);
}

// The readers are not the first of their warps, and one of them has come past many fences. The last to have read tells
// the writer.
template <bool fixed>
__global__ void told_by_readers(int* data, int* count, int* out) {
    const unsigned i = threadIdx.x;
    if (i == 5 || i == 37) {
        for (unsigned k = 5; k < i; ++k) __threadfence();
        out[i] = *data;  // @told-by-readers Error: Race reported
        if (fixed) __threadfence();
        atomicAdd(count, 1);
    } else if (i == 64) {
        while (atomicAdd(count, 0) < 2) {}
        __threadfence();
        *data = 1;  // @told-by-readers
    }
}

// Each block waits for the one before.
template <bool fixed>
__global__ void look_back(volatile int* flags, int* prefix) {
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0) {}
            if (fixed) __threadfence();
            before = prefix[blockIdx.x - 1];  // @look-back Error: Race reported
        }
        prefix[blockIdx.x] = before + 1;  // @look-back
        if (fixed) __threadfence();
        flags[blockIdx.x] = 1;
    }
}

// Blocks that come before the one that waits have stored already: only the launch as a whole knows that this is a flag.
template <bool fixed>
__global__ void wait_last(volatile int* flag, int* out) {
    if (blockIdx.x + 1 < gridDim.x) {
        __threadfence();
        *flag = blockIdx.x + 1;  // @store-after-fence Error: Race reported
    } else {
        while (fixed && *flag == 0) {}
        *out = *flag;  // @store-after-fence
    }
}

// Memory in which one launch had flags belongs to another array now.
template <bool fixed>
__global__ void store_index(volatile int* values) {
    values[fixed ? blockIdx.x : 0] = blockIdx.x;  // @reused-flag Error: Race reported
}

void reused_flag(bool fixed) {
    int* flag = device_array<int>(64);
    wait_last<true><<<4, 1>>>(flag, flag + 32);
    cudaDeviceSynchronize();
    cudaFree(flag);
    int* values = device_array<int>(64);
    fixed ? store_index<true><<<4, 1>>>(values) : store_index<false><<<4, 1>>>(values);
}

// A load that no cache may serve and a store that none may hold back are volatile.
template <bool fixed>
__global__ void uncached(int4* data, int* flag, int* out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = make_int4(1, 2, 3, 4);
        __threadfence();
        if (fixed) __stwt(flag, 1);
        else *flag = 1;  // @uncached Error: Race reported
    } else {
        while (__ldcv(flag) == 0) {}  // @uncached
        __threadfence();
        out[blockIdx.x] = __ldcv(data).w;
    }
}

// A loop that counts its rounds waits all the same if it sleeps.
template <bool fixed>
__global__ void sleep_longer(volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        *flag = 1;  // @no-wait Error: Race reported
    } else if (fixed) {
        for (unsigned time = 8; *flag == 0; time += time < 256 ? time : 0) __nanosleep(time);
    } else {
        out[blockIdx.x] = *flag;  // @no-wait
    }
}

template <bool fixed>
__global__ void narrow(int* counter) {
    if (fixed) {
        atomicAdd(counter, 1);
    } else {
        atomicAdd_block(counter, 1);  // @scope Error: Race reported
    }
}

template <bool fixed>
__global__ void narrow_fence(int* data, int* flag, int* out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 5;  // @fence-scope Error: Race reported
        fixed ? __threadfence() : __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        out[blockIdx.x] = *data;  // @fence-scope
    }
}

template <bool fixed>
__global__ void narrow_cxx(int* counter) {
    constexpr auto scope = fixed ? cuda::thread_scope_device : cuda::thread_scope_block;
    cuda::atomic_ref<int, scope>(*counter).fetch_add(1, cuda::std::memory_order_relaxed);  // @cxx-scope Error: Race reported
}

template <bool fixed>
__global__ void narrow_flag(int* data, int* flags, int* out) {
    constexpr auto scope = fixed ? cuda::thread_scope_device : cuda::thread_scope_block;
    auto* const flag = reinterpret_cast<cuda::atomic<int, scope>*>(flags);
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 5;  // @cxx-flag-scope Error: Race reported
        flag->store(1, cuda::std::memory_order_release);
    } else {
        while (flag->load(cuda::std::memory_order_acquire) == 0) {}
        out[blockIdx.x] = *data;  // @cxx-flag-scope
    }
}

template <bool fixed>
__global__ void narrow_cxx_fence(int* data, int* flags, int* out) {
    constexpr auto scope = fixed ? cuda::thread_scope_device : cuda::thread_scope_block;
    const cuda::atomic_ref<int, cuda::thread_scope_device> flag(*flags);
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 5;  // @cxx-fence-scope Error: Race reported
        cuda::atomic_thread_fence(cuda::std::memory_order_release, scope);
        flag.store(1, cuda::std::memory_order_relaxed);
    } else {
        while (flag.load(cuda::std::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::std::memory_order_acquire, scope);
        out[blockIdx.x] = *data;  // @cxx-fence-scope
    }
}

template <bool fixed>
__global__ void between_grid_barriers(int* values, int* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = i;  // @grid-barrier Error: Race reported
    if (fixed) {
        cg::this_grid().sync();
    } else {
        __syncthreads();
    }
    out[i] = values[gridDim.x * blockDim.x - 1 - i];  // @grid-barrier
}

template <bool fixed>
__global__ void neighbors(const int* in, int* out, int* in_place) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) return;
    if (fixed) {
        out[i] = in[i] + in[i - 1];
    } else {
        in_place[i] = in_place[i] + in_place[i - 1];  // @in-place Error: Race reported
    }
}

template <bool fixed>
__global__ void pixels(unsigned char* image) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    image[fixed ? i : i / 2] = i;  // @pixels Error: Race reported
}

__device__ int device_counter;

template <bool fixed>
__global__ void device_variable() {
    if (fixed) {
        atomicAdd(&device_counter, 1);
    } else {
        device_counter = device_counter + 1;  // @device-variable Error: Race reported
    }
}

__global__ void fill(int* values, int value) { values[blockIdx.x * blockDim.x + threadIdx.x] = value; }

__global__ void add(const int* values, int* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] += values[i];  // @two-streams Error: Race reported
}

__global__ void slow_add(int* out, int value) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 100; ++k) out[i] += value;  // @copy-in-another-stream Error: Race reported
}

// Streams: events order two kernels, a copy and a kernel.
struct Streams {
    cudaStream_t one, other;
    cudaEvent_t event;
    Streams() {
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        cudaDeviceSynchronize();
    }
    void order(cudaStream_t first, cudaStream_t second) {
        cudaEventRecord(event, first);
        cudaStreamWaitEvent(second, event, 0);
    }
};

void two_streams(bool fixed) {
    int* values = device_array<int>(256);
    int* out = device_array<int>(256);
    Streams streams;
    fill<<<2, 128, 0, streams.one>>>(values, 1);
    if (fixed) streams.order(streams.one, streams.other);
    add<<<2, 128, 0, streams.other>>>(values, out);
    if (fixed) streams.order(streams.other, streams.one);
    fill<<<2, 128, 0, streams.one>>>(values, 2);
    cudaDeviceSynchronize();
    fill<<<2, 128>>>(values, 3);
    cudaStreamSynchronize(nullptr);
    add<<<2, 128, 0, streams.other>>>(values, out);
    cudaStreamSynchronize(streams.other);
    fill<<<2, 128, 0, streams.one>>>(values, 4);
}

void copy_in_another_stream(bool fixed) {
    int* out = device_array<int>(256);
    int* host = nullptr;
    cudaMallocHost(&host, 256 * sizeof(int));
    Streams streams;
    slow_add<<<2, 128, 0, streams.one>>>(out, 1);
    if (fixed) streams.order(streams.one, streams.other);
    cudaMemcpyAsync(host, out, 256 * sizeof(int), cudaMemcpyDeviceToHost, streams.other);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(out, host, 256 * sizeof(int), cudaMemcpyHostToDevice, streams.other);
    if (fixed) streams.order(streams.other, streams.one);
    slow_add<<<2, 128, 0, streams.one>>>(out, 1);
}

__global__ void add_one(int* values) {
    values[threadIdx.x] += 1;  // @pageable-copy Error: Race reported between a kernel and an operation
}
__global__ void add_two(int* values) {
    values[threadIdx.x] += 2;  // @large-pageable-copy Error: Race reported between a kernel and an operation
}

// cudaMemcpy has read pageable memory when it returns, but may still write: only some streams wait for it. Pinned memory,
// those streams, and what is waited for, are no matter.
void pageable_copy(bool fixed) {
    Streams streams;
    static int pageable[64];
    int *pinned = nullptr, *const values = device_array<int>(64);
    cudaMallocHost(&pinned, sizeof pageable);
    cudaMemcpy(values, pinned, sizeof pageable, cudaMemcpyHostToDevice);
    add_one<<<1, 64, 0, streams.one>>>(values);
    cudaDeviceSynchronize();
    cudaMemcpy(values, pageable, sizeof pageable, cudaMemcpyHostToDevice);
    add_one<<<1, 64>>>(values);
    cudaDeviceSynchronize();
    cudaMemcpy(values, pageable, sizeof pageable, cudaMemcpyHostToDevice);
    if (fixed) cudaStreamSynchronize(nullptr);
    add_one<<<1, 64, 0, streams.one>>>(values);
    cudaStreamSynchronize(streams.one);
    cudaMemcpy(pageable, values, sizeof pageable, cudaMemcpyDeviceToHost);
}

// A larger one, which the simulator waits for: what it waits for by itself orders nothing, either.
void large_pageable_copy(bool fixed) {
    constexpr size_t bytes = size_t{1} << 20;
    char* const pageable = static_cast<char*>(std::calloc(bytes, 1));
    int* const values = device_array<int>(bytes / sizeof(int));
    Streams streams;
    cudaMemcpyAsync(values, pageable, bytes, cudaMemcpyHostToDevice, streams.other);
    if (fixed) streams.order(streams.other, streams.one);
    add_two<<<1, 64, 0, streams.one>>>(values);
    cudaDeviceSynchronize();
    std::free(pageable);
}

__global__ void count_up(int* counter) {
    atomicAdd(counter, 1);  // @copy-of-counter Error: Race reported between a kernel and an operation of another stream
}

// The kernel has ended, but nothing tells the host so.
void copy_of_counter(bool fixed) {
    int *counter = device_array<int>(1), *host = nullptr;
    cudaMallocHost(&host, sizeof *host);
    Streams streams;
    count_up<<<2, 32, 0, streams.one>>>(counter);
    if (fixed) streams.order(streams.one, streams.other);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cudaMemcpyAsync(host, counter, sizeof *host, cudaMemcpyDeviceToHost, streams.other);
}

// Memory that is allocated and freed in the order of a stream.
__global__ void touch(int* values) {
    values[threadIdx.x] = 1;  // @before-allocation Invalid __global__ write of size 4 bytes
}

__global__ void touch_again(int* values) {
    values[threadIdx.x] = 1;  // @after-free Invalid __global__ write of size 4 bytes
}

void before_allocation(bool fixed) {
    Streams streams;
    int* values = nullptr;
    cudaMallocAsync(&values, 1024, streams.one);
    if (fixed) streams.order(streams.one, streams.other);
    touch<<<1, 32, 0, streams.other>>>(values);
    cudaStreamSynchronize(streams.other);
    cudaFreeAsync(values, streams.other);
}

__global__ void spin(long long time) {
    const long long begin = clock64();
    while (clock64() - begin < time) {}
}

void after_free(bool fixed) {
    Streams streams;
    int* values = nullptr;
    cudaMallocAsync(&values, 1024, streams.one);
    cudaStreamSynchronize(streams.one);
    spin<<<1, 1, 0, streams.one>>>(100000000);
    if (fixed) {
        touch_again<<<1, 32, 0, streams.other>>>(values);
        streams.order(streams.other, streams.one);
    }
    cudaFreeAsync(values, streams.one);
    if (!fixed) touch_again<<<1, 32, 0, streams.other>>>(values);
}

// The host beside kernels and copies, in memory that both of them reach.
int* shared_with_host(size_t count) {
    int* values = nullptr;
    cudaMallocManaged(&values, count * sizeof(int));
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i);
    return values;
}

int host_sum(const int* values, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];  // @early-host-read Error: Race reported between a kernel and the host
    return sum;
}

__global__ void twice(int* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] *= 2;  // @early-host-read
}

// The kernel has not begun when the host reads.
void early_host_read(bool fixed) {
    int *values = shared_with_host(256), *others = shared_with_host(256);
    spin<<<1, 1>>>(20000000);
    twice<<<2, 128>>>(values);
    if (fixed) cudaDeviceSynchronize();
    std::printf("%d %d\n", host_sum(values, 256), host_sum(others, 256));
}

__global__ void twice_and_tell(int* values, volatile int* flag) {
    values[threadIdx.x] *= 2;  // @late-host-read Error: Race reported between a kernel and the host
    __syncthreads();
    __threadfence_system();
    if (threadIdx.x == 0) *flag = 1;
}

// It has ended, but only a flag could have told the host so.
void late_host_read(bool fixed) {
    int *values = shared_with_host(64), *flag = nullptr;
    cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
    *flag = 0;
    Streams streams;
    twice_and_tell<<<1, 64, 0, streams.one>>>(values, flag);
    if (fixed) while (*static_cast<volatile int*>(flag) == 0) {}
    else std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::printf("%d\n", values[1]);  // @late-host-read
}

__global__ void add_up(const int* values, int* out) {
    out[threadIdx.x] += values[threadIdx.x];  // @early-host-write Error: Race reported between a kernel and the host
}

void early_host_write(bool fixed) {
    int *values = shared_with_host(64), *out = device_array<int>(64);
    cudaEvent_t read;
    cudaEventCreate(&read);
    spin<<<1, 1>>>(20000000);
    add_up<<<1, 64>>>(values, out);
    cudaEventRecord(read);
    if (fixed) cudaEventSynchronize(read);
    values[63] = 0;  // @early-host-write
}

void copy_read_by_host(bool fixed) {
    int *out = device_array<int>(64), *host = nullptr;
    cudaMallocHost(&host, 64 * sizeof(int));
    Streams streams;
    cudaMemcpyAsync(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost, streams.one);
    if (fixed) while (cudaStreamQuery(streams.one) == cudaErrorNotReady) {}
    std::printf("%d\n", host[3]);  // @copy-read-by-host Error: Race reported between a copy or fill and the host
}

// What a host function of a stream touches is ordered by its place in the stream.
void host_function(bool fixed) {
    int* const values = shared_with_host(256);
    Streams streams;
    twice<<<2, 128, 0, streams.one>>>(values);
    cudaLaunchHostFunc(
        fixed ? streams.one : streams.other,
        [](void* data) { ++static_cast<int*>(data)[7]; },  // @host-function Error: Race reported between a kernel and the host
        values);
    twice<<<2, 128, 0, streams.one>>>(values);
}

#define LAUNCH(kernel, blocks, threads, ...)                                                             \
    [](bool fixed) {                                                                                     \
        int* a = device_array<int>(4096);                                                                \
        int* b = device_array<int>(4096);                                                                \
        int* c = device_array<int>(4096);                                                                \
        (void)a, (void)b, (void)c;                                                                       \
        for (int i = 0; i < 2; ++i)                                                                      \
            fixed ? kernel<true><<<blocks, threads>>>(__VA_ARGS__) : kernel<false><<<blocks, threads>>>(__VA_ARGS__); \
    }

int main(int argc, char** argv) {
    static const Case cases[] = {
        {"counter", LAUNCH(count, 4, 32, a)},
        {"last-block", [](bool fixed) {
             int* sums = device_array<int>(64);
             int* out = device_array<int>(1);
             auto* ticket = device_array<unsigned>(1);
             for (int i = 0; i < 3; ++i) {
                 fixed ? last_block<true, false><<<64, 64>>>(sums, ticket, out)
                       : last_block<false, true><<<64, 64>>>(sums, ticket, out);
                 if (fixed) last_block<true, true><<<64, 64>>>(sums, ticket, out);
             }
         }},
        {"fence-before-barrier", LAUNCH(last_block_of_all, 16, 64, a, reinterpret_cast<unsigned*>(b), c)},
        {"lock-without-fence", LAUNCH(locked, 16, 64, a, b)},
        {"unlock-without-fence", LAUNCH(locked_by_store, 8, 4, a, b)},
        {"lock-fence-scope", LAUNCH(locked_for_all, 16, 64, a, b)},
        {"compare-and-swap-loop", LAUNCH(doubled, 4, 64, reinterpret_cast<unsigned long long*>(a))},
        {"half-of-a-word", LAUNCH(halves, 4, 64, reinterpret_cast<unsigned short*>(a) + 2)},
        {"tested-update", LAUNCH(maximum, 4, 64, a)},
        {"early-look", LAUNCH(count_and_look, 4, 1, a, b)},
        {"relaxed-unlock",
         LAUNCH(locked_by_cxx, 4, 4, reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(a), b)},
        {"told-by-readers", LAUNCH(told_by_readers, 1, 96, a + i, b + i, c)},
        {"look-back", LAUNCH(look_back, 40, 32, a + 64 * i, b)},
        {"store-after-fence", LAUNCH(wait_last, 4, 1, a + i, b)},
        {"reused-flag", reused_flag},
        {"uncached", LAUNCH(uncached, 4, 32, reinterpret_cast<int4*>(a) + i, b + i, c)},
        {"no-wait", LAUNCH(sleep_longer, 4, 1, a + i, b)},
        {"scope", LAUNCH(narrow, 4, 32, a)},
        {"fence-scope", LAUNCH(narrow_fence, 4, 32, a + i, b + i, c)},
        {"cxx-scope", LAUNCH(narrow_cxx, 4, 32, a)},
        {"cxx-flag-scope", LAUNCH(narrow_flag, 4, 32, a + i, b + i, c)},
        {"cxx-fence-scope", LAUNCH(narrow_cxx_fence, 4, 32, a + i, b + i, c)},
        {"grid-barrier", [](bool fixed) {
             int* values = device_array<int>(1024);
             int* out = device_array<int>(1024);
             void* arguments[] = {&values, &out};
             if (fixed) {
                 cudaLaunchCooperativeKernel((void*)between_grid_barriers<true>, 8, 64, arguments, 0, 0);
             } else {
                 cudaLaunchCooperativeKernel((void*)between_grid_barriers<false>, 8, 64, arguments, 0, 0);
             }
         }},
        {"in-place", LAUNCH(neighbors, 4, 64, a, b, c)},
        {"pixels", LAUNCH(pixels, 4, 64, reinterpret_cast<unsigned char*>(a))},
        {"device-variable", LAUNCH(device_variable, 4, 32)},
        {"two-streams", two_streams},
        {"copy-in-another-stream", copy_in_another_stream},
        {"copy-of-counter", copy_of_counter},
        {"pageable-copy", pageable_copy},
        {"large-pageable-copy", large_pageable_copy},
        {"before-allocation", before_allocation},
        {"after-free", after_free},
        {"early-host-read", early_host_read},
        {"late-host-read", late_host_read},
        {"early-host-write", early_host_write},
        {"copy-read-by-host", copy_read_by_host},
        {"host-function", host_function},
    };
    return run_case(cases, argc, argv);
}
