// SPDX-License-Identifier: MIT
#pragma once
// Each thread has an array of its own, indexed by numbers that are known only when the kernel runs.
//   indexed_local            a local array, as the lecture writes it: registers have no index, so it lies in local memory
//   indexed_shared_own       the lecture's remedy, in shared memory, one thread's array behind the other's: lanes are
//                            `length` words apart, and meet in a few banks
//   indexed_shared_padded    one more word per array spreads the arrays over the banks, whatever their indices are
//   indexed_shared_strided   element i of all threads lies together: a lane's elements are all in one bank, its own
//   indexed_registers        constant indices alone: every access selects among all elements, which are in registers
//
// Any n; one thread per word; length 4, 8, 16 or 32. d_out[i] is the fold of word i.
#include "kernels/shared/arguments.cuh"

namespace BACKEND {

constexpr unsigned indexed_rounds = 64;

/// The lecture's complexfunc().
__host__ __device__ inline unsigned complexfunc(unsigned i, unsigned word) {
    const unsigned bits = (word ^ (i + 1) * 0x9e3779b9u) * 0x85ebca6bu;
    return bits ^ bits >> 15;
}

/// The lecture's secondfunc().
__host__ __device__ inline unsigned secondfunc(unsigned a, unsigned b) { return a * 0xc2b2ae35u + (b ^ b >> 16); }

/// Any block; grid ceil(n / block).
template <unsigned length>
__global__ void indexed_local(const SharedArguments arguments) {
    const size_t place = thread_in_grid();
    if (place >= arguments.n) return;
    const unsigned word = arguments.d_in[place];
    unsigned mydata[length];
    for (unsigned i = 0; i < length; ++i) mydata[i] = complexfunc(i, word);
    unsigned res = 0;
#pragma unroll 1
    for (unsigned i = 0; i < indexed_rounds; ++i)
        res += secondfunc(mydata[(threadIdx.x + i) % length], mydata[i * threadIdx.x % length]);
    arguments.d_out[place] = res;
}

/// The arrays of a block in shared memory: element i of this thread's is at word first() + i * step().
template <unsigned length>
struct OwnLayout {
    static constexpr unsigned words_per_thread = length;
    __device__ static unsigned first() { return length * threadIdx.x; }
    __device__ static unsigned step() { return 1; }
};
template <unsigned length>
struct PaddedLayout {
    static constexpr unsigned words_per_thread = length + 1;
    __device__ static unsigned first() { return (length + 1) * threadIdx.x; }
    __device__ static unsigned step() { return 1; }
};
template <unsigned length>
struct StridedLayout {
    static constexpr unsigned words_per_thread = length;
    __device__ static unsigned first() { return threadIdx.x; }
    __device__ static unsigned step() { return blockDim.x; }
};

/// Block a multiple of 32, of at most 48 KiB for all arrays; grid ceil(n / block). No thread reads another's array, so
/// there is no barrier.
template <template <unsigned> class Layout, unsigned length>
__global__ void indexed_shared(const SharedArguments arguments) {
    extern __shared__ unsigned allmydata[];
    const size_t place = thread_in_grid();
    if (place >= arguments.n) return;
    const unsigned word = arguments.d_in[place];
    unsigned* const mydata = allmydata + Layout<length>::first();
    const unsigned step = Layout<length>::step();
    for (unsigned i = 0; i < length; ++i) mydata[i * step] = complexfunc(i, word);
    unsigned res = 0;
#pragma unroll 1
    for (unsigned i = 0; i < indexed_rounds; ++i)
        res += secondfunc(mydata[(threadIdx.x + i) % length * step], mydata[i * threadIdx.x % length * step]);
    arguments.d_out[place] = res;
}

/// Element `index` of the `count` values, by a tree of count - 1 selections.
template <unsigned count>
__device__ __forceinline__ unsigned selected(const unsigned* values, unsigned index) {
    if constexpr (count == 1) {
        return values[0];
    } else {
        const unsigned low = selected<count / 2>(values, index), high = selected<count / 2>(values + count / 2, index);
        return index & (count / 2) ? high : low;
    }
}

/// Any block; grid ceil(n / block).
template <unsigned length>
__global__ void indexed_registers(const SharedArguments arguments) {
    const size_t place = thread_in_grid();
    if (place >= arguments.n) return;
    const unsigned word = arguments.d_in[place];
    unsigned mydata[length];
#pragma unroll
    for (unsigned i = 0; i < length; ++i) mydata[i] = complexfunc(i, word);
    unsigned res = 0;
#pragma unroll 1
    for (unsigned i = 0; i < indexed_rounds; ++i) {
        res += secondfunc(selected<length>(mydata, (threadIdx.x + i) % length),
                          selected<length>(mydata, i * threadIdx.x % length));
    }
    arguments.d_out[place] = res;
}

template <template <unsigned> class Layout, unsigned length>
LaunchShape launch_indexed_shared(const SharedArguments& arguments) {
    constexpr size_t bytes_per_thread = Layout<length>::words_per_thread * sizeof(unsigned);
    constexpr unsigned most_threads =
        most_shared_bytes_without_request / bytes_per_thread / lanes_per_warp * lanes_per_warp;
    const unsigned wanted = whole_warps(arguments.block_size);
    const unsigned block = wanted < most_threads ? wanted : most_threads;
    const size_t bytes = block * bytes_per_thread;
    const unsigned grid = grid_for(arguments.n, block);
    auto* const kernel = indexed_shared<Layout, length>;
    kernel<<<grid, block, bytes, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(block), bytes, address_of(kernel)};
}

struct IndexedLocal {
    template <unsigned length>
    static LaunchShape launch(const SharedArguments& arguments) {
        return launch_per_word(indexed_local<length>, arguments, arguments.block_size);
    }
};
template <template <unsigned> class Layout>
struct IndexedShared {
    template <unsigned length>
    static LaunchShape launch(const SharedArguments& arguments) {
        return launch_indexed_shared<Layout, length>(arguments);
    }
};
struct IndexedRegisters {
    template <unsigned length>
    static LaunchShape launch(const SharedArguments& arguments) {
        return launch_per_word(indexed_registers<length>, arguments, arguments.block_size);
    }
};

/// The launch for arrays of 4, 8, 16 or 32 elements, a number that is known only at run time.
template <typename Way>
SharedLaunch* launch_indexed(size_t length) {
    return length == 4    ? Way::template launch<4>
           : length == 8  ? Way::template launch<8>
           : length == 16 ? Way::template launch<16>
                          : Way::template launch<32>;
}

}  // namespace BACKEND
