// SPDX-License-Identifier: MIT
#pragma once
// Launches the kernels of access: the instance for a word size and unrolling, on a grid that is resident at once.
#include "common/cuda/check.cuh"
#include "kernels/access/kernels.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

enum class AccessOperation { read, write, copy };

/// d_source: for read and copy; d_target: for write and copy, does not overlap it. Both are aligned to 32 bytes and
/// have pattern.allocated_words(unroll). d_folds: for read, one number per warp that the device can hold at once.
/// block_size is rounded up to whole warps.
struct AccessArguments {
    const void* d_source = nullptr;
    void* d_target = nullptr;
    unsigned* d_folds = nullptr;
    AccessPattern pattern;
    size_t n = 0;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

/// As many blocks as the device holds of this kernel at once, or fewer if that leaves some without work.
inline unsigned access_grid(const void* kernel, const AccessArguments& arguments, unsigned block_size,
                            unsigned unroll) {
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(block_size), 0));
    const size_t resident = static_cast<size_t>(blocks < 1 ? 1 : blocks) * arguments.multiprocessors;
    const size_t needed = arguments.n / (static_cast<size_t>(block_size) * unroll) + 1;
    return static_cast<unsigned>(needed < resident ? needed : resident);
}

template <typename Word, unsigned unroll>
LaunchShape launch_access_words(AccessOperation operation, const AccessArguments& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    const Word* source = static_cast<const Word*>(arguments.d_source);
    Word* target = static_cast<Word*>(arguments.d_target);
    const AccessPattern& pattern = arguments.pattern;
    const auto run = [&](auto kernel, const auto&... others) {
        const unsigned grid = access_grid(address_of(kernel), arguments, block, unroll);
        const AccessStep step(pattern, grid * (block / lanes_per_warp), unroll);
        kernel<<<grid, block, 0, arguments.stream>>>(pattern, step, arguments.n, others...);
        return LaunchShape{dim3(grid), dim3(block), 0};
    };
    switch (operation) {
        case AccessOperation::read: return run(access_read<Word, unroll>, source, arguments.d_folds);
        case AccessOperation::write: return run(access_write<Word, unroll>, target);
        default: return run(access_copy<Word, unroll>, source, target);
    }
}

using AccessLaunch = LaunchShape(AccessOperation operation, const AccessArguments& arguments);

template <typename Word>
AccessLaunch* access_launch_of_word(size_t unroll) {
    switch (unroll) {
        case 1: return launch_access_words<Word, 1>;
        case 2: return launch_access_words<Word, 2>;
        case 4: return launch_access_words<Word, 4>;
        default: return launch_access_words<Word, 8>;
    }
}

/// word_bytes: 1, 2, 4, 8 or 16; unroll: 1, 2, 4 or 8.
inline AccessLaunch* access_launch(size_t word_bytes, size_t unroll) {
    switch (word_bytes) {
        case 1: return access_launch_of_word<Word1>(unroll);
        case 2: return access_launch_of_word<Word2>(unroll);
        case 4: return access_launch_of_word<Word4>(unroll);
        case 8: return access_launch_of_word<Word8>(unroll);
        default: return access_launch_of_word<Word16>(unroll);
    }
}

}  // namespace BACKEND
