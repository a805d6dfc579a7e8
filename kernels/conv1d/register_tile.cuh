// SPDX-License-Identifier: MIT
#pragma once
// A thread that computes neighboring outputs uses each input it has loaded for several of them.
//   conv1d_register_tile   removes most shared loads: a window of the tile slides through registers, 16 bytes at a
//                          time, and every load serves 48 multiplications of floats. What is left is the sum itself
#include <cstdint>

#include "kernels/conv1d/sliding_window.cuh"

namespace BACKEND {

/// Threads per block: many, so that the halo is a small part of the tile; few if the signal is short, so that every
/// multiprocessor gets a block.
constexpr unsigned register_tile_block = 256, register_tile_small_block = 64;

/// Vectors of outputs per thread. It is odd, so that the vectors that eight neighboring threads load together lie in
/// different banks.
constexpr unsigned register_tile_vectors = 3;

template <typename T>
constexpr unsigned register_tile_outputs = register_tile_vectors* Vector<T>::length;  // of a thread

/// Grid ceil(outputs / (block * register_tile_outputs)); dynamic shared memory for the block's outputs plus width - 1
/// elements, in whole vectors.
template <typename T, unsigned block>
__global__ void __launch_bounds__(block)
    conv1d_register_tile(Signal<T> signal, T* output, size_t outputs, unsigned width, unsigned before) {
    constexpr unsigned block_outputs = block * register_tile_outputs<T>;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    auto* vectors = reinterpret_cast<Vector<T>*>(shared_bytes);
    T* tile = reinterpret_cast<T*>(shared_bytes);
    const size_t first_output = static_cast<size_t>(blockIdx.x) * block_outputs;
    const unsigned count = block_outputs + width - 1;
    const std::int64_t first = static_cast<std::int64_t>(first_output) - before;
    if (signal.holds(first, count)) {
        const T* source = signal.values + first + threadIdx.x;
        T loaded[register_tile_outputs<T>];  // all of them are in flight before the first is stored
#pragma unroll
        for (unsigned k = 0; k < register_tile_outputs<T>; ++k) loaded[k] = source[k * block];
        for (unsigned k = block_outputs; k + threadIdx.x < count; k += block) tile[k + threadIdx.x] = source[k];
#pragma unroll
        for (unsigned k = 0; k < register_tile_outputs<T>; ++k) tile[k * block + threadIdx.x] = loaded[k];
    } else if (first_output < outputs) {
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < count; k += block) tile[k] = signal.at(first + k);
    } else {
        return;
    }
    __syncthreads();  // the whole tile is loaded

    T sums[register_tile_outputs<T>] = {};
    Vector<T>* own_vectors = vectors + threadIdx.x * register_tile_vectors;
    slide_window<register_tile_vectors>(sums, own_vectors, 0, width);

    __syncthreads();  // the tile has been read: its place takes the outputs, which leave in coalesced stores
    memcpy(own_vectors, sums, sizeof sums);
    __syncthreads();  // all outputs are in shared memory
    if (outputs - first_output >= block_outputs && reinterpret_cast<std::uintptr_t>(output) % vector_bytes == 0) {
        auto* target = reinterpret_cast<Vector<T>*>(output + first_output) + threadIdx.x;
#pragma unroll
        for (unsigned v = 0; v < register_tile_vectors; ++v) target[v * block] = vectors[v * block + threadIdx.x];
    } else {
        const size_t left = outputs - first_output;
        for (unsigned k = threadIdx.x; k < block_outputs && k < left; k += block) output[first_output + k] = tile[k];
    }
}

template <unsigned block, typename T>
LaunchShape launch_register_tile(const ConvolutionArguments<T>& arguments) {
    constexpr unsigned block_outputs = block * register_tile_outputs<T>;
    const unsigned grid = grid_for(arguments.outputs(), block_outputs);
    const size_t shared_bytes = divide_up(block_outputs + arguments.width - 1, Vector<T>::length) * vector_bytes;
    conv1d_register_tile<T, block><<<grid, block, shared_bytes, arguments.stream>>>(
        arguments.signal, arguments.d_output, arguments.outputs(), arguments.width, arguments.before());
    return {dim3(grid), dim3(block), shared_bytes};
}

/// block_size is not used.
template <typename T>
LaunchShape launch_conv1d_register_tile(const ConvolutionArguments<T>& arguments) {
    // Small blocks if large ones would not fill the device, which holds four per multiprocessor.
    const size_t large_blocks = divide_up(arguments.outputs(), register_tile_block * register_tile_outputs<T>);
    if (large_blocks < 4 * arguments.multiprocessors && arguments.width <= register_tile_block)
        return launch_register_tile<register_tile_small_block>(arguments);
    return launch_register_tile<register_tile_block>(arguments);
}

}  // namespace BACKEND
