// SPDX-License-Identifier: MIT
// Races in shared memory, and the same kernels with what orders them.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>

#include <utility>

#include "cases.cuh"

namespace cg = cooperative_groups;

template <bool fixed>
__global__ void tree(const int* in, int* out) {
    __shared__ int sums[128];
    const unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned half = 64; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];  // @missing-barrier Error: Race reported
        if (fixed) __syncthreads();
    }
    if (t == 0) *out = sums[0];
}

template <bool fixed>
__global__ void tiles(const int* in, int* out, int tile_count) {
    __shared__ int tile[64];
    int sum = 0;
    for (int i = 0; i < tile_count; ++i) {
        tile[threadIdx.x] = in[i * 64 + threadIdx.x];  // @tile-reuse Error: Race reported
        __syncthreads();
        for (int k = 0; k < 64; ++k) sum += tile[k];  // @tile-reuse
        if (fixed) __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// Two buffers need one barrier per tile: the other buffer is filled while this one is read.
template <bool fixed>
__global__ void two_buffers(const int* in, int* out, int tile_count) {
    __shared__ int tile[2][64];
    int sum = 0;
    for (int i = 0; i < tile_count; ++i) {
        tile[fixed ? i % 2 : 0][threadIdx.x] = in[i * 64 + threadIdx.x];  // @double-buffer Error: Race reported
        __syncthreads();
        for (int k = 0; k < 64; ++k) sum += tile[fixed ? i % 2 : 0][k];  // @double-buffer
    }
    out[threadIdx.x] = sum;
}

template <bool fixed>
__global__ void counter(int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (fixed) {
        atomicAdd(&count, 1);
    } else {
        count += 1;  // @counter Error: Race reported
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}

template <bool fixed>
__global__ void histogram(const int* in, int* out) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;  // @plain-against-atomic Error: Race reported
    if (fixed) __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 16], 1);  // @plain-against-atomic
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

// Several warps may store to the flag before the one that waits has looked.
template <bool fixed>
__global__ void ready_flag(int* out) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 96) {
        if (threadIdx.x % 32 == 0) ready = threadIdx.x / 32 + 1;  // @no-wait Error: Race reported
    } else {
        while (fixed && ready == 0) {}
        if (threadIdx.x == 96) *out = fixed ? 1 : ready;
    }
}

template <bool fixed>
__global__ void last_warp(int* out) {
    __shared__ volatile int sums[64];
    const unsigned t = threadIdx.x;
    sums[t] = t;
    __syncthreads();
    if (t < 32) {
        for (int half = 32; half > 0; half /= 2) {
            int other = sums[t + half];
            if (fixed) __syncwarp();
            if (t < half) sums[t] = sums[t] + other;  // @warp-synchronous Warning: Race reported
            if (fixed) __syncwarp();
        }
        if (t == 0) *out = sums[0];
    }
}

// Lanes 0 to 15 and 16 to 31 each meet among themselves.
template <bool fixed>
__global__ void half_warps(int* out) {
    __shared__ int values[32];
    const unsigned t = threadIdx.x, half = t / 16;
    values[t] = t;  // @partial-mask Warning: Race reported
    __syncwarp(half ? 0xffff0000u : 0x0000ffffu);
    out[t] = values[fixed ? half * 16 + (t + 1) % 16 : (t + 1) % 32];  // @partial-mask
}

// Lane 0 meets lane 1, then lane 2: what it had learned of lane 1 it passes on.
template <bool fixed>
__global__ void chain(int* out) {
    __shared__ int value;
    const unsigned t = threadIdx.x;
    if (t == 1) value = 7;  // @chain Warning: Race reported
    if (t == 0 || (t == 1 && fixed)) __syncwarp(fixed ? 3u : 1u);
    if (t == 0 || t == 2) __syncwarp(5u);
    if (t == 2) *out = value;  // @chain
}

template <bool fixed>
__global__ void shuffled(int* out) {
    __shared__ int values[32];
    const unsigned t = threadIdx.x;
    values[t] = t;  // @shuffle Warning: Race reported
    int sum = t;
    if (fixed) sum = __shfl_xor_sync(~0u, sum, 1);
    out[t] = sum + values[31 - t];  // @shuffle
}

template <bool fixed>
__global__ void flag(int* out) {
    __shared__ int data;
    __shared__ int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;  // @flag-without-fence Error: Race reported
        if (fixed) __threadfence_block();
        atomicExch(&ready, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd(&ready, 0) == 0) {}
        *out = data;  // @flag-without-fence
    }
}

template <bool fixed>
__global__ void bytes(char* out) {
    __shared__ char values[64];
    values[threadIdx.x] = threadIdx.x;  // @same-byte Error: Race reported
    if (!fixed) values[threadIdx.x ^ 33] = 1;  // @same-byte
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
}

template <bool fixed>
__global__ void same_value(int* out) {
    __shared__ int found;
    if (fixed ? threadIdx.x == 0 : threadIdx.x % 16 == 0) found = 1;  // @same-value Info: Race reported
    __syncthreads();
    out[threadIdx.x] = found;
}

template <bool fixed>
__global__ void async_copy(const int* in, int* out) {
    __shared__ alignas(16) int values[64];
    __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x], 4);  // @async-copy Error: Race reported
    __pipeline_commit();
    if (fixed) __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];  // @async-copy
    if (!fixed) __pipeline_wait_prior(0);
}

template <bool fixed>
__global__ void phases(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    if (threadIdx.x == 0) init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = threadIdx.x;  // @phases Error: Race reported
    auto token = barrier.arrive();
    if (fixed) barrier.wait(std::move(token));
    out[threadIdx.x] = values[63 - threadIdx.x];  // @phases
}

// A lane that goes on early comes to the next phase while others still use what the first one has ordered.
template <bool fixed>
__global__ void early_lanes(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    if (threadIdx.x == 0) init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = threadIdx.x;
    barrier.arrive_and_wait();
    out[threadIdx.x] = values[63 - threadIdx.x];  // @next-phase Error: Race reported
    if (fixed) barrier.arrive_and_wait();
    values[threadIdx.x] = 0;  // @next-phase
    barrier.arrive_and_wait();
}

template <bool fixed>
__global__ void early_arrival(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, 64);  // @barrier-init Error: Race reported
    if (fixed) __syncthreads();
    barrier.arrive_and_wait();  // @barrier-init
    out[threadIdx.x] = threadIdx.x;
}

template <bool fixed>
__global__ void copy_of_group(const int* in, int* out) {
    __shared__ alignas(16) int values[64];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, values, in, sizeof values);  // @group-copy Error: Race reported
    fixed ? cg::wait(block) : block.sync();
    out[threadIdx.x] = values[63 - threadIdx.x];  // @group-copy
}

template <bool fixed>
__global__ void copy_of_phase(const int* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) int values[64];
    if (threadIdx.x == 0) init(&barrier, 64);
    __syncthreads();
    cuda::memcpy_async(cg::this_thread_block(), values, in, cuda::aligned_size_t<16>(sizeof values), barrier);  // @phase-copy Error: Race
    if (!fixed) out[threadIdx.x] = values[63 - threadIdx.x];  // @phase-copy
    barrier.arrive_and_wait();
    if (fixed) out[threadIdx.x] = values[63 - threadIdx.x];
}

template <bool fixed>
__global__ void groups(int* out) {
    __shared__ int values[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    values[threadIdx.x] = threadIdx.x;  // @tile-group Warning: Race reported
    if (fixed) tile.sync();
    out[threadIdx.x] = values[threadIdx.x ^ 7];  // @tile-group
    block.sync();
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0) values[threadIdx.x] = 5;
        active.sync();
        out[threadIdx.x] += values[threadIdx.x / 32 * 32 + (threadIdx.x < 32 ? 0 : 1)];
    }
}

// Some threads of three warps have read before they take a ticket, and the one with the last writes.
template <bool fixed>
__global__ void tickets(int* out) {
    __shared__ int value, taken;
    if (threadIdx.x == 0) value = taken = 0;
    __syncthreads();
    for (unsigned i = 0; i < threadIdx.x / 32 * 5; ++i) __syncwarp();
    if (threadIdx.x % 32 < 7 || threadIdx.x % 32 > 9) return;
    out[threadIdx.x] = value;  // @tickets Error: Race reported
    if (fixed) __threadfence_block();
    const bool is_last = atomicAdd(&taken, 1) == 3 * 3 - 1;
    if (fixed) __threadfence_block();
    if (is_last) value = 1;  // @tickets
}

#define ONE_BLOCK(kernel, threads, ...)                                                 \
    [](bool fixed) {                                                                     \
        int* in = device_array<int>(4096);                                               \
        int* out = device_array<int>(4096);                                              \
        (void)in;                                                                        \
        fixed ? kernel<true><<<1, threads>>>(__VA_ARGS__) : kernel<false><<<1, threads>>>(__VA_ARGS__); \
    }

int main(int argc, char** argv) {
    static const Case cases[] = {
        {"missing-barrier", ONE_BLOCK(tree, 128, in, out)},
        {"tile-reuse", ONE_BLOCK(tiles, 64, in, out, 4)},
        {"double-buffer", ONE_BLOCK(two_buffers, 64, in, out, 5)},
        {"counter", ONE_BLOCK(counter, 64, out)},
        {"plain-against-atomic", ONE_BLOCK(histogram, 128, in, out)},
        {"warp-synchronous", ONE_BLOCK(last_warp, 64, out)},
        {"partial-mask", ONE_BLOCK(half_warps, 32, out)},
        {"chain", ONE_BLOCK(chain, 32, out)},
        {"shuffle", ONE_BLOCK(shuffled, 32, out)},
        {"no-wait", ONE_BLOCK(ready_flag, 128, out)},
        {"flag-without-fence", ONE_BLOCK(flag, 64, out)},
        {"same-byte", ONE_BLOCK(bytes, 64, reinterpret_cast<char*>(out))},
        {"same-value", ONE_BLOCK(same_value, 64, out)},
        {"async-copy", ONE_BLOCK(async_copy, 64, in, out)},
        {"next-phase", ONE_BLOCK(early_lanes, 64, out)},
        {"barrier-init", ONE_BLOCK(early_arrival, 64, out)},
        {"group-copy", ONE_BLOCK(copy_of_group, 64, in, out)},
        {"phase-copy", ONE_BLOCK(copy_of_phase, 64, in, out)},
        {"phases", ONE_BLOCK(phases, 64, out)},
        {"tickets", ONE_BLOCK(tickets, 96, out)},
        {"tile-group", ONE_BLOCK(groups, 64, out)},
    };
    return run_case(cases, argc, argv);
}
