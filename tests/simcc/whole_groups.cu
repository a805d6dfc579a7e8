// SPDX-License-Identifier: MIT
// Cooperative groups of whole blocks and warps.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__device__ float sum_of_block(float value, float* partial, cg::thread_block block) {
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    for (int offset = warp.size() / 2; offset > 0; offset /= 2) value += warp.shfl_down(value, offset);
    if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = value;
    cg::sync(block);
    value = block.thread_rank() < block.size() / 32 ? partial[block.thread_rank()] : 0;
    if (warp.meta_group_rank() == 0) {
        for (int offset = 16; offset > 0; offset /= 2) value += warp.shfl_xor(value, offset);
    }
    return value;
}

__global__ void sums(const float* in, float* out) {
    __shared__ float partial[32];
    cg::thread_block block = cg::this_thread_block();
    const int first = block.group_index().x * block.size();
    const float sum = sum_of_block(in[first + block.thread_rank()], partial, block);
    if (block.thread_rank() == 0) out[block.group_index().x] = sum;
}

__global__ void reversed(int* values) {
    extern __shared__ int tile[];
    const auto block = cg::this_thread_block();
    const unsigned i = block.thread_rank();
    tile[i] = values[i];
    block.sync();
    values[i] = tile[block.num_threads() - 1 - i];
}

__global__ void votes(unsigned* out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const unsigned ballot = warp.ballot(warp.thread_rank() % 3 == 0);
    const bool all = warp.all(ballot != 0), any = warp.any(threadIdx.x == 5);
    warp.sync();
    const unsigned from = warp.shfl(block.thread_index().x, 7), below = warp.shfl_up(from + warp.thread_rank(), 2);
    if (warp.thread_rank() == 31) {
        unsigned* mine = out + 4 * warp.meta_group_rank();
        mine[0] = ballot;
        mine[1] = all + 2 * any;
        mine[2] = from;
        mine[3] = below;
    }
}

// Smaller tiles stay groups.
__global__ void quarters(int* out) {
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int value = threadIdx.x;
    for (int offset = 4; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = value;
    block.sync();
    if (block.thread_rank() == 0) out[8] = out[0] + out[7];
}

int main() {
    float *in, *sum;
    int* values;
    unsigned* votes_of_warps;
    cudaMallocManaged(&in, 4 * 256 * sizeof *in);
    cudaMallocManaged(&sum, 4 * sizeof *sum);
    cudaMallocManaged(&values, 100 * sizeof *values);
    cudaMallocManaged(&votes_of_warps, 8 * sizeof *votes_of_warps);
    for (int i = 0; i < 4 * 256; ++i) in[i] = float(i % 19);
    for (int i = 0; i < 100; ++i) values[i] = i * i;
    sums<<<4, dim3(32, 4, 2)>>>(in, sum);
    reversed<<<1, 100, 100 * sizeof(int)>>>(values);
    votes<<<1, 64>>>(votes_of_warps);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %g %g %g %g; %d %d %d;", cudaGetErrorString(error), sum[0], sum[1], sum[2], sum[3], values[0], values[1],
           values[99]);
    for (int i = 0; i < 8; ++i) printf(" %x", votes_of_warps[i]);
    quarters<<<1, 64>>>(values);
    printf("; %s:", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 9; ++i) printf(" %d", values[i]);
    printf("\n");
}
