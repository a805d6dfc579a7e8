// SPDX-License-Identifier: MIT
// When may a consumer tell the producer of a ring of stages that it is done with a stage? TMA refills stages while warps
// load operands from shared memory into registers; a stage that is released too early is overwritten under its readers.
//     nvcc -std=c++17 -I. -DBACKEND=gpu -gencode arch=compute_90a,code=sm_90a tests/measure/stage_release.cu -o stage_release
//     ./stage_release [RUNS]       on a Hopper GPU; some seconds
// Build it in the top folder. A row per way to release: how many of RUNS (40) had wrong operands, how many operands in
// all, and the time of a run. As in the kernels, one thread refills stages and eight warps consume them; every stage is
// filled with the number of its step, so that a wrong operand shows, and bank conflicts make the loads take long.
//
// On an H200 all runs were wrong but those of the last way: an arrival at an mbarrier does not wait for loads from shared
// memory that are in flight, not even for the thread's own, and neither does __syncwarp().
#include "common/cuda/bulk_copy.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                 \
    do {                                                                            \
        const cudaError_t error = (call);                                           \
        if (error != cudaSuccess) {                                                 \
            std::fprintf(stderr, "stage_release: %s\n", cudaGetErrorString(error)); \
            std::exit(3);                                                           \
        }                                                                           \
    } while (0)

namespace gpu {

constexpr int stages = 2, stage_words = 4096, consumers = 256, loads = 4;

enum class Release { lane_0, lane_0_converged, every_lane, lane_0_after_use };
const char* const names[] = {"lane 0 after its loads", "lane 0 after __syncwarp", "every lane after its own loads",
                             "lane 0 after use and __syncwarp"};

struct alignas(1024) Ring {
    unsigned words[stages][stage_words];
    std::uint64_t filled[stages], emptied[stages];
};

__device__ inline void bulk_copy_in(void* shared, const void* global, unsigned bytes, std::uint64_t* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/// input: steps * stage_words words, those of a step all its number. Grid: any. Block 32 + 256.
template <Release way>
__global__ void consume(const unsigned* input, int steps, unsigned long long* wrong) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Ring& ring = *reinterpret_cast<Ring*>(memory);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(&ring.filled[stage], 1);
            barrier_init(&ring.emptied[stage], way == Release::every_lane ? consumers : consumers / 32);
        }
        fence_barrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x > 0) return;
        for (int step = 0; step < steps; ++step) {
            const int stage = step % stages;
            const unsigned parity = step / stages % 2;
            barrier_wait(&ring.emptied[stage], parity ^ 1);
            barrier_arrive_and_expect(&ring.filled[stage], stage_words * sizeof(unsigned));
            bulk_copy_in(ring.words[stage], input + size_t{unsigned(step)} * stage_words,
                         stage_words * sizeof(unsigned), &ring.filled[stage]);
        }
        return;
    }
    const unsigned thread = threadIdx.x - 32, lane = thread % 32;
    unsigned long long mistakes = 0;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % stages;
        barrier_wait(&ring.filled[stage], step / stages % 2);
        uint4 loaded[loads];
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            const std::uint32_t address = shared_address(ring.words[stage] + i * 1024 + lane * 32 + thread / 32 * 4);
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(loaded[i].x), "=r"(loaded[i].y), "=r"(loaded[i].z), "=r"(loaded[i].w)
                         : "r"(address)
                         : "memory");
        }
        if (way == Release::lane_0 && lane == 0) barrier_arrive(&ring.emptied[stage]);
        if (way == Release::every_lane) barrier_arrive(&ring.emptied[stage]);
        if (way == Release::lane_0_converged) {
            __syncwarp();
            if (lane == 0) barrier_arrive(&ring.emptied[stage]);
        }
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            const auto wanted = static_cast<unsigned>(step);
            mistakes +=
                (loaded[i].x != wanted) + (loaded[i].y != wanted) + (loaded[i].z != wanted) + (loaded[i].w != wanted);
        }
        if (way == Release::lane_0_after_use) {
            __syncwarp();
            if (lane == 0) barrier_arrive(&ring.emptied[stage]);
        }
    }
    if (mistakes != 0) atomicAdd(wrong, mistakes);
}

template <Release way>
void try_way(int runs, const unsigned* d_input, int steps, unsigned long long* d_wrong) {
    CHECK(cudaFuncSetAttribute(consume<way>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(sizeof(Ring))));
    int wrong_runs = 0;
    unsigned long long wrong = 0;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float milliseconds = 0;
    for (int run = 0; run < runs; ++run) {
        CHECK(cudaMemset(d_wrong, 0, sizeof *d_wrong));
        CHECK(cudaEventRecord(begin));
        consume<way><<<132 * 2, 32 + consumers, sizeof(Ring)>>>(d_input, steps, d_wrong);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        unsigned long long found = 0;
        CHECK(cudaMemcpy(&found, d_wrong, sizeof found, cudaMemcpyDeviceToHost));
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        wrong_runs += found != 0;
        wrong += found;
    }
    std::printf("%-34s wrong in %d of %d runs, %llu operands, %.3f ms\n", names[int(way)], wrong_runs, runs, wrong,
                milliseconds);
}

}  // namespace gpu

int main(int argc, char** argv) {
    using namespace gpu;
    const int runs = argc > 1 ? std::atoi(argv[1]) : 40, steps = 2000;
    unsigned *d_input = nullptr, *h_input = nullptr;
    unsigned long long* d_wrong = nullptr;
    const size_t words = size_t{steps} * stage_words;
    CHECK(cudaMalloc(&d_input, words * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_wrong, sizeof *d_wrong));
    h_input = static_cast<unsigned*>(std::malloc(words * sizeof(unsigned)));
    for (size_t i = 0; i < words; ++i) h_input[i] = static_cast<unsigned>(i / stage_words);
    CHECK(cudaMemcpy(d_input, h_input, words * sizeof(unsigned), cudaMemcpyHostToDevice));
    std::free(h_input);
    try_way<Release::lane_0>(runs, d_input, steps, d_wrong);
    try_way<Release::lane_0_converged>(runs, d_input, steps, d_wrong);
    try_way<Release::every_lane>(runs, d_input, steps, d_wrong);
    try_way<Release::lane_0_after_use>(runs, d_input, steps, d_wrong);
}
