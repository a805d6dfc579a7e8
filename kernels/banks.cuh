// SPDX-License-Identifier: MIT
#pragma once
// What a warp's request to shared memory costs: the addresses of its lanes decide how many of them share a bank.
//   banks_read       loads
//   banks_write      stores
//   banks_exchange   atomic exchanges, which every GPU has as one instruction for words of 4 and 8 bytes
// All warps of a block make the same requests at the same time, so that the banks are never idle and are the only
// bottleneck. A warp's requests are independent of each other, eight at a time. They go to eight rows of the banks in
// turn, 128 bytes apart, which keeps every lane in its bank and the compiler from merging the requests.
//
// Any number of requests. The block is whole warps, the grid any: each block reports what its lanes have seen, and when
// its warps began and ended.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

constexpr unsigned bank_rows = 8, bank_row_bytes = 128;

/// Where the lanes' words are: lane l's index is l * lane_multiplier + addend + ((l ^ line) & swizzle_mask), in words.
struct BankPattern {
    unsigned lane_multiplier = 1, addend = 0;
    unsigned line = 0, swizzle_mask = 0;

    __host__ __device__ unsigned place_of(unsigned lane) const {
        return lane * lane_multiplier + addend + ((lane ^ line) & swizzle_mask);
    }
};

/// A multiprocessor's clock when a warp began its requests, and when it had completed them.
struct WarpClock {
    long long begin, end;
};

/// requests: per warp. shared_bytes: a multiple of 4 that holds the last lane's word in the last row. d_parts: see the
/// kernels below. d_clocks: one per warp of the grid. blocks: of the grid.
struct BankArguments {
    BankPattern pattern = {};
    size_t requests = 0;
    unsigned shared_bytes = 0;
    unsigned* d_parts = nullptr;
    WarpClock* d_clocks = nullptr;
    unsigned block_size = 256, blocks = 1;
    cudaStream_t stream = nullptr;
};

/// What shared memory holds at byte 4 * unit before the first request.
__host__ __device__ inline unsigned bank_content(unsigned unit) { return unit * 0x9e3779b1u + 0x7f4a7c15u; }

/// How many parts of 4 bytes a word has; a shorter word is one part.
template <typename Word>
constexpr unsigned parts_of = sizeof(Word) < 4 ? 1 : sizeof(Word) / 4;

__device__ __forceinline__ void add_to(unsigned (&sums)[1], unsigned word) { sums[0] += word; }
__device__ __forceinline__ void add_to(unsigned (&sums)[2], uint2 word) {
    sums[0] += word.x;
    sums[1] += word.y;
}
__device__ __forceinline__ void add_to(unsigned (&sums)[4], uint4 word) {
    sums[0] += word.x;
    sums[1] += word.y;
    sums[2] += word.z;
    sums[3] += word.w;
}

template <typename Word>
__device__ __forceinline__ Word word_of(unsigned part) {
    if constexpr (parts_of<Word> == 4) return {part, part + 1, part + 2, part + 3};
    else if constexpr (parts_of<Word> == 2) return {part, part + 1};
    else return static_cast<Word>(part);
}

__device__ inline unsigned warp_of_grid() { return (blockIdx.x * blockDim.x + threadIdx.x) / lanes_per_warp; }

/// A lane's words, one in each row of the banks.
template <typename Word>
class LaneWords {
public:
    __device__ LaneWords(unsigned char* shared, const BankPattern& pattern)
        : shared_(shared), byte_(pattern.place_of(threadIdx.x % lanes_per_warp) * sizeof(Word)) {}
    __device__ Word& operator[](unsigned row) const {
        return *reinterpret_cast<Word*>(shared_ + byte_ + row * bank_row_bytes);
    }

private:
    unsigned char* const shared_;
    const unsigned byte_;
};

/// Loads a word, even if it was loaded before: the compiler must not reuse the earlier value.
template <typename Word>
__device__ __forceinline__ Word load_again(const Word& word) {
#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__)
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&word));
    unsigned parts[4];
    if constexpr (sizeof(Word) == 16) {
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                     : "r"(address));
        return {parts[0], parts[1], parts[2], parts[3]};
    } else if constexpr (sizeof(Word) == 8) {
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(parts[0]), "=r"(parts[1]) : "r"(address));
        return {parts[0], parts[1]};
    } else {
        return *const_cast<const volatile Word*>(&word);
    }
#else
    return word;
#endif
}

/// Makes a warp's requests, request(row) for each, and records the clock.
template <typename Request>
__device__ __forceinline__ void make_requests(size_t requests, WarpClock* clocks, Request request) {
    __syncthreads();  // all warps begin together
    const long long begin = clock64();
#pragma unroll 1
    for (size_t group = 0; group < requests / bank_rows; ++group) {
#pragma unroll
        for (unsigned row = 0; row < bank_rows; ++row) request(row);
        asm volatile("" ::: "memory");  // keeps the compiler from dropping stores that the next group repeats
    }
#pragma unroll
    for (unsigned row = 0; row < bank_rows; ++row)
        if (row < requests % bank_rows) request(row);
    __syncthreads();  // all warps have finished, and their stores have arrived
    if (threadIdx.x % lanes_per_warp == 0) clocks[warp_of_grid()] = {begin, clock64()};
}

__device__ inline void fill_banks(unsigned char* shared, unsigned bytes) {
    unsigned* const units = reinterpret_cast<unsigned*>(shared);
    for (unsigned unit = threadIdx.x; unit < bytes / 4; unit += blockDim.x) units[unit] = bank_content(unit);
}

/// parts: for each thread of the grid and each row, the sums of the parts of the words that it has read.
template <typename Word>
__global__ void banks_read(BankPattern pattern, size_t requests, unsigned shared_bytes, unsigned* parts,
                           WarpClock* clocks) {
    extern __shared__ __align__(16) unsigned char shared[];
    fill_banks(shared, shared_bytes);
    const LaneWords<const Word> words(shared, pattern);
    unsigned sums[bank_rows][parts_of<Word>] = {};
    make_requests(requests, clocks, [&](unsigned row) { add_to(sums[row], load_again(words[row])); });
    unsigned* const own = parts + (blockIdx.x * blockDim.x + threadIdx.x) * bank_rows * parts_of<Word>;
    for (unsigned row = 0; row < bank_rows; ++row)
        for (unsigned part = 0; part < parts_of<Word>; ++part) own[row * parts_of<Word> + part] = sums[row][part];
}

/// The first part of the word that is written to this byte of shared memory, by whichever lane; each further part is
/// one more. (One lane's word in a row may be another's in the next.)
__host__ __device__ inline unsigned part_for(unsigned byte) { return byte * 0x85ebca6bu + 0x2545f491u; }

/// parts: for each thread of the grid and each row, the word that is there at the end, unless nothing was written.
template <typename Word>
__global__ void banks_write(BankPattern pattern, size_t requests, unsigned, unsigned* parts, WarpClock* clocks) {
    extern __shared__ __align__(16) unsigned char shared[];
    const unsigned byte = pattern.place_of(threadIdx.x % lanes_per_warp) * sizeof(Word);
    const LaneWords<Word> words(shared, pattern);
    Word written[bank_rows];
#pragma unroll
    for (unsigned row = 0; row < bank_rows; ++row) written[row] = word_of<Word>(part_for(byte + row * bank_row_bytes));
    make_requests(requests, clocks, [&](unsigned row) { words[row] = written[row]; });
    unsigned* const own = parts + (blockIdx.x * blockDim.x + threadIdx.x) * bank_rows * parts_of<Word>;
    for (unsigned row = 0; row < bank_rows; ++row) {
        if (row >= requests) break;
        unsigned seen[parts_of<Word>] = {};
        add_to(seen, words[row]);
        for (unsigned part = 0; part < parts_of<Word>; ++part) own[row * parts_of<Word> + part] = seen[part];
    }
}

/// The token that a thread of the grid brings to exchange in a row.
__host__ __device__ inline unsigned token_of(size_t thread, unsigned row) {
    return static_cast<unsigned>(thread * bank_rows + row) * 0xc2b2ae35u + 0x27d4eb2fu;
}

/// Word: 4 or 8 bytes. parts: for each thread of the grid and each row, the word that it has at the end (two parts if 8
/// bytes); after these, for each block, all units of its shared memory. Exchanges neither lose nor create words.
template <typename Word>
__global__ void banks_exchange(BankPattern pattern, size_t requests, unsigned shared_bytes, unsigned* parts,
                               WarpClock* clocks) {
    extern __shared__ __align__(16) unsigned char shared[];
    fill_banks(shared, shared_bytes);
    constexpr unsigned parts_per_word = sizeof(Word) / 4;
    const size_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const LaneWords<Word> words(shared, pattern);
    Word tokens[bank_rows];
#pragma unroll
    for (unsigned row = 0; row < bank_rows; ++row) tokens[row] = token_of(thread, row);
    make_requests(requests, clocks, [&](unsigned row) { tokens[row] = atomicExch(&words[row], tokens[row]); });
    unsigned* const own = parts + thread * bank_rows * parts_per_word;
#pragma unroll
    for (unsigned row = 0; row < bank_rows; ++row) {
        own[row * parts_per_word] = static_cast<unsigned>(tokens[row]);
        if constexpr (parts_per_word == 2) own[row * 2 + 1] = static_cast<unsigned>(tokens[row] >> 32);
    }
    const unsigned* const units = reinterpret_cast<const unsigned*>(shared);
    parts += static_cast<size_t>(gridDim.x) * blockDim.x * bank_rows * parts_per_word;
    for (unsigned unit = threadIdx.x; unit < shared_bytes / 4; unit += blockDim.x)
        parts[blockIdx.x * (shared_bytes / 4) + unit] = units[unit];
}

enum class BankOperation { read, write, exchange };

/// How many parts a thread writes to d_parts per row.
constexpr unsigned bank_parts(unsigned word_bytes) { return word_bytes < 4 ? 1 : word_bytes / 4; }

template <typename Kernel>
LaunchShape launch_banks_kernel(Kernel* kernel, const BankArguments& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    kernel<<<arguments.blocks, block, arguments.shared_bytes, arguments.stream>>>(
        arguments.pattern, arguments.requests, arguments.shared_bytes, arguments.d_parts, arguments.d_clocks);
    return {dim3(arguments.blocks), dim3(block), arguments.shared_bytes};
}

using BankLaunch = LaunchShape(const BankArguments& arguments);

template <typename Word>
BankLaunch* banks_launch_of(BankOperation operation) {
    if (operation == BankOperation::read)
        return [](const BankArguments& arguments) { return launch_banks_kernel(banks_read<Word>, arguments); };
    return [](const BankArguments& arguments) { return launch_banks_kernel(banks_write<Word>, arguments); };
}

/// word_bytes: 1, 2, 4, 8 or 16; for an exchange, 4 or 8.
inline BankLaunch* banks_launch(BankOperation operation, unsigned word_bytes) {
    if (operation == BankOperation::exchange) {
        if (word_bytes == 4)
            return
                [](const BankArguments& arguments) { return launch_banks_kernel(banks_exchange<unsigned>, arguments); };
        return [](const BankArguments& arguments) {
            return launch_banks_kernel(banks_exchange<unsigned long long>, arguments);
        };
    }
    switch (word_bytes) {
        case 1: return banks_launch_of<unsigned char>(operation);
        case 2: return banks_launch_of<unsigned short>(operation);
        case 4: return banks_launch_of<unsigned>(operation);
        case 8: return banks_launch_of<uint2>(operation);
        default: return banks_launch_of<uint4>(operation);
    }
}

}  // namespace BACKEND
