// SPDX-License-Identifier: MIT
// Properties of the fix-up of Stream-K, for any schedule, in the simulator: whatever blocks share a tile, each of its
// sums is stored once and is right, and all counters are zero again. In place of a product, sum number i of a thread of
// a tile adds a small integer for each step. Usage: fix_up CASES [SEED]. A failure prints the seed that makes it the
// first case.
#include "common/measure/random.hpp"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/stream_k.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace BACKEND {
namespace {

__host__ __device__ int term(unsigned tile, int thread, int i, int step) {
    return static_cast<int>((tile * 31 + static_cast<unsigned>(thread * 7 + i * 13 + step * 3)) % 17) - 8;
}

/// Where the sums go: of `count` sums of each thread of each tile, the value, and how many times it was stored.
template <typename T>
struct Stored {
    T* d_sums;
    int* d_times;

    __device__ void store(unsigned tile, int threads, int thread, int count, int i, T sum) const {
        const size_t place = (static_cast<size_t>(tile) * threads + thread) * count + i;
        d_sums[place] = sum;
        atomicAdd(d_times + place, 1);
    }
};

template <int threads, typename T, int count, bool can_exchange>
__global__ void share_tiles(StreamKSchedule schedule, PartialSums partial, Stored<T> stored) {
    using Shares = SumsOfShares<threads, T, count, can_exchange>;
    __shared__ float4 memory[threads];
    const int thread = static_cast<int>(threadIdx.x);
    TileSegment segment;
    for (unsigned index = 0; find_segment(schedule, index, segment); ++index) {
        T sums[count];
        for (int i = 0; i < count; ++i) {
            sums[i] = 0;
            for (int step = segment.first; step < segment.end; ++step) sums[i] += term(segment.tile, thread, i, step);
        }
        if (!Shares::complete(sums, segment, schedule, partial, threadIdx.x)) continue;
        for (int i = 0; i < count; ++i) stored.store(segment.tile, threads, thread, count, i, sums[i]);
    }
    if constexpr (can_exchange)
        Shares::add_part(schedule, partial, memory, threadIdx.x, [&](unsigned tile) {
            return [=](int piece, int of_thread, const T(&sums)[Shares::length]) {
                for (int i = 0; i < Shares::length; ++i)
                    stored.store(tile, threads, of_thread, count, piece * Shares::length + i, sums[i]);
            };
        });
}

void require(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
}

template <typename T>
std::vector<T> take(const void* d_memory, size_t n) {
    std::vector<T> values(n);
    require(cudaMemcpy(values.data(), d_memory, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

/// What is wrong; empty if all is right.
template <int threads, typename T, int count, bool can_exchange>
std::string run(const StreamKSchedule& schedule, unsigned multiprocessors) {
    const unsigned blocks = stream_k_grid(schedule, multiprocessors), tiles = schedule.tiles << schedule.paired;
    const size_t n = size_t{tiles} * threads * count;
    PartialSums partial;
    Stored<T> stored{};
    require(cudaMalloc(&partial.d_sums, multiprocessors * threads * count * sizeof(T)));
    require(cudaMalloc(&partial.d_counters, multiprocessors * sizeof(unsigned)));
    require(cudaMemset(partial.d_counters, 0, multiprocessors * sizeof(unsigned)));
    require(cudaMalloc(&stored.d_sums, n * sizeof(T)));
    require(cudaMalloc(&stored.d_times, n * sizeof(int)));
    require(cudaMemset(stored.d_times, 0, n * sizeof(int)));
    StreamKSchedule of_kernel = schedule;
    void* arguments[] = {&of_kernel, &partial, &stored};
    require(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&share_tiles<threads, T, count, can_exchange>),
                                        dim3(blocks), dim3(threads), arguments, 0, nullptr));
    require(cudaDeviceSynchronize());
    const std::vector<T> sums = take<T>(stored.d_sums, n);
    const std::vector<int> times = take<int>(stored.d_times, n);
    const std::vector<unsigned> counters = take<unsigned>(partial.d_counters, multiprocessors);
    for (void* d_memory : {static_cast<void*>(partial.d_sums), static_cast<void*>(partial.d_counters),
                           static_cast<void*>(stored.d_sums), static_cast<void*>(stored.d_times)})
        require(cudaFree(d_memory));
    for (unsigned tile = 0; tile < tiles; ++tile)
        for (int thread = 0; thread < threads; ++thread)
            for (int i = 0; i < count; ++i) {
                T right = 0;
                for (unsigned step = 0; step < schedule.steps; ++step)
                    right += term(tile, thread, i, static_cast<int>(step));
                const size_t place = (size_t{tile} * threads + thread) * count + i;
                const std::string name = "tile " + std::to_string(tile) + ", thread " + std::to_string(thread) +
                                         ", sum " + std::to_string(i);
                if (times[place] != 1) return name + " is stored " + std::to_string(times[place]) + " times";
                if (sums[place] != right) return name + " is wrong";
            }
    if (std::any_of(counters.begin(), counters.end(), [](unsigned counter) { return counter != 0; }))
        return "a counter is not zero at the end";
    return "";
}

/// Runs a random schedule, and returns its kind; ends the program if something is wrong.
std::string run_case(std::uint64_t seed) {
    std::uint64_t index = 0;
    const auto number = [&](size_t least, size_t most) {
        return least + static_cast<size_t>(random_bits(seed, index++) % (most - least + 1));
    };
    const unsigned paired = number(0, 3) == 0, units = static_cast<unsigned>(number(1, 24));
    const size_t tiles = number(1, number(0, 1) ? 1 + units / 4 : 2 * units), k = number(1, 60), left = tiles % units;
    const bool can_exchange = number(0, 3) > 0;
    StreamKSharing sharing;
    sharing.exchanges = can_exchange;
    sharing.with_wave = number(0, 3) == 0;
    if (left > 0 && number(0, 7)) {
        const size_t most_parts = units / left;
        sharing.shares =
            unsigned(number(0, 2) ? left * number(most_parts < 4 ? 1 : 4, most_parts) : number(left, units));
    }
    StreamKSchedule schedule = stream_k_schedule(tiles, k, 1, units, sharing);
    schedule.paired = paired;
    if (number(0, 1)) schedule = side_by_side(schedule);
    const unsigned multiprocessors = units << paired;
    std::string wrong;
    switch (can_exchange ? number(0, 3) : 4) {
        case 0: wrong = run<32, float, 8, true>(schedule, multiprocessors); break;
        case 1: wrong = run<64, double, 4, true>(schedule, multiprocessors); break;
        case 2: wrong = run<4, float, 4, true>(schedule, multiprocessors); break;  // fewer pieces than shares
        case 3: wrong = run<32, float, 64, true>(schedule, multiprocessors); break;
        default: wrong = run<32, float, 8, false>(schedule, multiprocessors);
    }
    if (!wrong.empty()) {
        std::printf("seed %llu: %zu tiles of %u steps, %u whole, %u shares%s, %u pairs of blocks: %s\n",
                    static_cast<unsigned long long>(seed), tiles, schedule.steps, schedule.whole, schedule.shares,
                    schedule.parts > 0 ? " side by side" : "", paired ? units : 0, wrong.c_str());
        std::exit(1);
    }
    if (schedule.shares == 0) return "whole";
    return std::string(schedule.parts > 0 ? "neighbors-" : "") + (schedule.exchanged ? "exchanged" : "added");
}

}  // namespace
}  // namespace BACKEND

int main(int count, char** arguments) {
    if (count < 2) return 2;
    const std::uint64_t cases = std::strtoull(arguments[1], nullptr, 10),
                        seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 42;
    std::map<std::string, int> kinds;
    for (std::uint64_t i = 0; i < cases; ++i) ++kinds[BACKEND::run_case(seed + i)];
    for (const auto& [kind, times] : kinds) std::printf("%s %d\n", kind.c_str(), times);
}
