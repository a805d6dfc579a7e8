// SPDX-License-Identifier: MIT
// Tiles of more than a warp: ranks, barriers, shuffles, votes, reductions and scans, and tiles of tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

struct Pair {
    unsigned a[2];
};

template <unsigned size>
__global__ void tiles(int* wrong) {
    __shared__ cg::block_tile_memory<1024> memory;
    __shared__ unsigned shared[1024];
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<size>(block);
    const unsigned self = block.thread_rank(), rank = self % size, first = self - rank;
    int bad = tile.thread_rank() != rank || tile.size() != size || tile.num_threads() != size;
    bad += tile.meta_group_rank() != self / size || tile.meta_group_size() != block.size() / size;
    for (unsigned round = 0; round < 3; ++round) {
        shared[self] = self + round;
        tile.sync();
        bad += shared[first + (rank + 33) % size] != first + (rank + 33) % size + round;
        tile.sync();
    }
    // Tiles are independent of each other: only the first has more barriers.
    if (tile.meta_group_rank() == 0) {
        for (int i = 0; i < 5; ++i) tile.sync();
    }
    bad += tile.shfl(self, 40) != first + 40;
    const Pair pair = tile.shfl(Pair{{self, 2 * self}}, size - 1);
    bad += pair.a[1] != 2 * (first + size - 1);
    bad += tile.any(rank == size - 1) != 1 || tile.any(0) != 0 || tile.all(rank < size) != 1 || tile.all(rank != 35) != 0;
    bad += cg::reduce(tile, rank, cg::plus<unsigned>()) != size * (size - 1) / 2;
    bad += cg::reduce(tile, static_cast<int>(self), cg::greater<int>()) != static_cast<int>(first + size - 1);
    bad += cg::inclusive_scan(tile, rank, cg::plus<unsigned>()) != rank * (rank + 1) / 2;
    bad += cg::exclusive_scan(tile, rank) != rank * (rank - 1) / 2;
    bad += cg::inclusive_scan(tile, 1) != static_cast<int>(rank) + 1;
    auto warp = cg::tiled_partition<32>(tile);
    bad += warp.meta_group_rank() != rank / 32 || warp.meta_group_size() != size / 32;
    bad += cg::reduce(warp, 1, cg::plus<int>()) != 32;
    cg::thread_block_tile<size> kept = tile;
    bad += kept.meta_group_rank() != self / size;
    cg::sync(kept);
    if (bad) atomicAdd(wrong, 1);
}

__global__ void halves(int* wrong) {
    auto tile = cg::tiled_partition<256>(cg::this_thread_block());
    auto part = cg::tiled_partition<64>(tile);
    int bad = part.meta_group_rank() != tile.thread_rank() / 64 || part.meta_group_size() != 4;
    bad += cg::reduce(part, 1, cg::plus<int>()) != 64;
    if (bad) atomicAdd(wrong, 1);
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, sizeof *wrong);
    *wrong = 0;
    tiles<64><<<3, 1024>>>(wrong);
    tiles<128><<<3, dim3(16, 32)>>>(wrong);
    tiles<256><<<2, 512>>>(wrong);
    tiles<512><<<2, 1024>>>(wrong);
    halves<<<2, 512>>>(wrong);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %d\n", *wrong);
    cudaFree(wrong);
}
