// SPDX-License-Identifier: MIT
// Parts of groups of threads: which they are, how many, and what their members compute together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

constexpr int threads = 64, facts = 12;

// A part: its number among `parts`, the thread's rank in it, and how many it has.
template <class Group>
__device__ int fact_of(const Group& group) {
    return ((group.meta_group_rank() * 100 + group.meta_group_size()) * 100 + group.thread_rank()) * 100 + group.size();
}
int fact(int part, int parts, int rank, int size) { return ((part * 100 + parts) * 100 + rank) * 100 + size; }

template <unsigned size>
__device__ int fact_of_forgotten(cg::thread_block_tile<size> tile) {
    return fact_of(tile);
}

__global__ void split(int* out) {
    const auto block = cg::this_thread_block();
    const int i = block.thread_rank();
    const auto tile = cg::tiled_partition<16>(block);
    const auto inner = cg::tiled_partition<4>(tile);
    int* fact = out + i * facts;
    *fact++ = fact_of(tile);
    *fact++ = fact_of(inner);
    *fact++ = fact_of_forgotten<4>(inner);
    *fact++ = fact_of(cg::binary_partition(tile, i % 16 < 5));
    *fact++ = fact_of(cg::binary_partition(tile, i < 32));
    const auto labeled = cg::labeled_partition(tile, i % 5);
    *fact++ = fact_of(labeled);
    *fact++ = cg::reduce(labeled, i, cg::plus<int>());
    *fact++ = fact_of(cg::labeled_partition(tile, i % 2 == 0));
    *fact++ = cg::inclusive_scan(tile, i);
    *fact++ = tile.match_any(i % 4);
    *fact++ = cg::tiled_partition(block, 8).thread_rank();
    *fact = -1;
    if (i % 3 != 1) return;
    const auto together = cg::coalesced_threads();
    *fact = fact_of(cg::tiled_partition(together, 4));
}

__global__ void split_badly() { cg::tiled_partition(cg::this_thread_block(), 12); }

int main() {
    int* out;
    cudaMallocManaged(&out, threads * facts * sizeof(int));
    split<<<1, threads>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < threads; ++i) {
        const int rank = i % 16, tile = i / 16 * 16, label = i % 5;
        int before = 0, same = 0, sum = 0, scan = 0, first[5] = {-1, -1, -1, -1, -1}, part = 0, together = 0, alike = 0;
        for (int other = tile; other < tile + 16; ++other) {
            const bool is_same = other % 5 == label;
            same += is_same;
            before += is_same && other < i;
            sum += is_same ? other : 0;
            scan += other <= i ? other : 0;
            alike |= (other % 4 == i % 4) << (other - tile);
            if (first[other % 5] < 0) first[other % 5] = other;
        }
        for (const int other : first) part += other < first[label];
        for (int other = i / 32 * 32; other < i; ++other) together += other % 3 == 1;
        const int count = i < 32 ? 11 : 10;  // of those together
        const int tile_of = together / 4, last = count - tile_of * 4;
        const int expected[facts] = {fact(i / 16, 4, rank, 16),
                                     fact(rank / 4, 4, i % 4, 4),
                                     fact(rank / 4, 4, i % 4, 4),
                                     rank < 5 ? fact(1, 2, rank, 5) : fact(0, 2, rank - 5, 11),
                                     fact(0, 1, rank, 16),
                                     fact(part, 5, before, same),
                                     sum,
                                     fact(i % 2 == 0, 2, rank / 2, 8),
                                     scan,
                                     alike,
                                     i % 8,
                                     i % 3 == 1 ? fact(tile_of, 3, together % 4, last < 4 ? last : 4) : -1};
        for (int what = 0; what < facts; ++what)
            if (out[i * facts + what] != expected[what] && wrong++ < 10)
                std::printf("thread %d, fact %d: %d instead of %d\n", i, what, out[i * facts + what], expected[what]);
    }
    std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(error));
    cudaFree(out);
    split_badly<<<1, 32>>>();
    error = cudaDeviceSynchronize();
    std::printf("%s\n", error == cudaSuccess ? "nothing" : "refused");
}
