// SPDX-License-Identifier: MIT
#pragma once
// All-reduce by kernels that access peer memory: every device launches the same kernel at the same time, and each reads
// or writes the others' memory directly.
//   all_reduce_two_shot      each device combines one share of all inputs and stores it into all outputs: elements
//                            cross links as few times as possible, between two barriers among the devices
//   all_reduce_one_shot      removes the second barrier: each device copies its input to where the others read it, and
//                            combines everything by itself; copies alternate between two buffers, so that no device
//                            waits for its copy to be read
//   all_reduce_low_latency   removes the first barrier, too, and the fence: each device stores its elements into the
//                            others' memory, and each 8 bytes carry tags that say they have arrived
#include <cuda_runtime.h>

#include <cstddef>

#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/collective/elements.cuh"

namespace BACKEND {

/// The most devices in a gang: a thread reads from all of them at once.
constexpr unsigned most_peers = 8;

/// A pointer into the memory of each device, by rank.
template <typename T>
struct PerRank {
    T* of[most_peers] = {};
};

/// The memory through which the devices communicate, set to zero once. It serves launch after launch of any of these
/// kernels; each launch begins with the epoch after the last one used.
struct Exchange {
    PerRank<unsigned> signals;              // signal_words on each device
    PerRank<unsigned long long> lines;      // 2 * line_words(ranks) on each device, for low-latency
    PerRank<Vector<unsigned char>> copies;  // 2 * copy_vectors on each device, for one-shot
    size_t copy_vectors = 0;
};

/// The arguments of the launch on one device. All devices launch with the same n, reduction, epoch, block_size and
/// multiprocessors. n is not 0. Buffers are aligned to 16 bytes; an output may be its device's input.
template <typename T>
struct AllReduceArguments {
    PerRank<const T> inputs;
    PerRank<T> outputs;
    size_t n = 0;
    Reduction reduction = Reduction::sum;
    unsigned rank = 0, ranks = 1;
    Exchange exchange;
    unsigned epoch = 1;            // not 0
    unsigned block_size = 256;     // rounded up to whole warps, at most most_block_size
    unsigned multiprocessors = 1;  // of the smallest device
    cudaStream_t stream = nullptr;
};

constexpr unsigned most_blocks = 1024;

/// For 16-bit elements a thread needs more registers than a block of 1024 threads could give it.
constexpr unsigned most_block_size = 512;
inline unsigned meeting_block(unsigned requested) {
    const unsigned block = whole_warps(requested);
    return block < most_block_size ? block : most_block_size;
}

/// The grid of a kernel that calls meet(): block b of a device waits for block b of the others. Devices start blocks in
/// index order, so blocks that wait for each other all start eventually, however few are resident.
inline unsigned meeting_grid(size_t items, unsigned block_size, unsigned multiprocessors) {
    const unsigned needed = grid_for(items, block_size);
    unsigned most = multiprocessors * 2;
    if (most > most_blocks) most = most_blocks;
    return needed < most ? needed : most;
}

}  // namespace BACKEND
