// SPDX-License-Identifier: MIT
#pragma once
// The tile is loaded without passing through registers, and outputs leave through the warp's own shared memory.
//   conv1d_async_tile   removes the registers that wait for loads, so that more of them hold sums, and all block
//                       barriers but one per tile. A block with several tiles prefetches the next one while it works on
//                       this one
#include <cstdint>

#include "common/cuda/async_copy.cuh"
#include "kernels/conv1d/register_tile.cuh"
#include "kernels/conv1d/sliding_window.cuh"

namespace BACKEND {

/// How a launch is divided into tiles. Element 0 of a tile in shared memory comes from a 16-byte boundary of the
/// signal, `shift` elements before the one that the block's first tap meets.
struct AsyncTiles {
    unsigned tiles;
    unsigned shift;
    unsigned tile_vectors;  // in shared memory
};

/// Starts copying a tile of `block` * `vectors` vectors and its halo. At the ends of the signal, copies it element by
/// element, so that it is complete on return.
template <unsigned block, unsigned vectors, typename T>
__device__ __forceinline__ void load_tile_async(Vector<T>* tile, const Signal<T>& signal, std::int64_t first,
                                                unsigned tile_vectors) {
    if (signal.holds(first, tile_vectors * Vector<T>::length)) {
        const auto* source = reinterpret_cast<const Vector<T>*>(signal.values + first);
#pragma unroll
        for (unsigned v = 0; v < vectors; ++v)
            copy_async_past_l1(tile + v * block + threadIdx.x, source + v * block + threadIdx.x);
        for (unsigned k = vectors * block + threadIdx.x; k < tile_vectors; k += block)
            copy_async_past_l1(tile + k, source + k);
    } else {
        T* elements = reinterpret_cast<T*>(tile);
        for (unsigned k = threadIdx.x; k < tile_vectors * Vector<T>::length; k += block)
            elements[k] = signal.at(first + k);
    }
}

/// Writes a warp's sums to output[first] and on, through `staged`: neighboring lanes write neighboring vectors.
template <unsigned vectors, typename T>
__device__ __forceinline__ void store_warp_outputs(T* output, size_t first, size_t outputs, Vector<T>* staged,
                                                   const WindowSums<T, vectors>& sums) {
    constexpr unsigned length = Vector<T>::length, warp_outputs = lanes_per_warp * vectors * length;
    const unsigned lane = threadIdx.x % lanes_per_warp;
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) {
        Vector<T> vector;
        memcpy(&vector, sums + v * length, sizeof vector);
        store_vector(staged + lane * vectors + v, vector);
    }
    __syncwarp();  // all lanes' outputs are staged
    if (first + warp_outputs <= outputs && reinterpret_cast<std::uintptr_t>(output) % vector_bytes == 0) {
        auto* target = reinterpret_cast<Vector<T>*>(output + first) + lane;
#pragma unroll
        for (unsigned v = 0; v < vectors; ++v)
            store_vector_global(target + v * lanes_per_warp, load_vector(staged + v * lanes_per_warp + lane));
    } else {
        const T* elements = reinterpret_cast<const T*>(staged);
        for (unsigned k = lane; k < warp_outputs && first + k < outputs; k += lanes_per_warp)
            output[first + k] = elements[k];
    }
    __syncwarp();  // they have been read: the next tile's may overwrite them
}

/// Any grid. A thread has `vectors` vectors of outputs: an odd number avoids bank conflicts, as in the register tile.
/// Dynamic shared memory for two tiles and the outputs of the block.
template <typename T, unsigned block, unsigned vectors, unsigned resident>
__global__ void __launch_bounds__(block, resident)
    conv1d_async_tile(Signal<T> signal, T* output, size_t outputs, unsigned width, unsigned before, AsyncTiles cut) {
    constexpr unsigned thread_outputs = vectors * Vector<T>::length, tile_outputs = block * thread_outputs;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    auto* stages = reinterpret_cast<Vector<T>*>(shared_bytes);
    const unsigned first_thread = threadIdx.x / lanes_per_warp * lanes_per_warp;
    auto* staged = stages + 2 * cut.tile_vectors + first_thread * vectors;
    const auto load = [&](unsigned tile, unsigned stage) {
        if (tile < cut.tiles) {
            const std::int64_t first = static_cast<std::int64_t>(tile) * tile_outputs - before - cut.shift;
            load_tile_async<block, vectors>(stages + stage * cut.tile_vectors, signal, first, cut.tile_vectors);
        }
        commit_copies();
    };
    unsigned stage = 0;
    load(blockIdx.x, stage);
    for (unsigned tile = blockIdx.x; tile < cut.tiles; tile += gridDim.x) {
        wait_copies<0>();
        __syncthreads();  // all threads' copies of this tile have arrived, and none still reads the previous tile
        load(tile + gridDim.x, 1 - stage);
        WindowSums<T, vectors> sums = {};
        slide_window<vectors>(sums, stages + stage * cut.tile_vectors + threadIdx.x * vectors, cut.shift, width);
        const size_t first = static_cast<size_t>(tile) * tile_outputs + first_thread * thread_outputs;
        store_warp_outputs<vectors>(output, first, outputs, staged, sums);
        stage = 1 - stage;
    }
}

template <unsigned block, unsigned vectors, typename T>
AsyncTiles cut_async_tiles(const ConvolutionArguments<T>& arguments) {
    constexpr unsigned length = Vector<T>::length, tile_outputs = block * vectors * length;
    const size_t place = reinterpret_cast<std::uintptr_t>(arguments.signal.values) / sizeof(T);
    AsyncTiles cut{};
    cut.tiles = static_cast<unsigned>(divide_up(arguments.outputs(), tile_outputs));
    cut.shift = static_cast<unsigned>((place - arguments.before()) % length);
    cut.tile_vectors = static_cast<unsigned>(divide_up(cut.shift + tile_outputs + arguments.width - 1, length));
    return cut;
}

template <unsigned block, unsigned vectors, typename T>
size_t async_tile_bytes(const ConvolutionArguments<T>& arguments) {
    return (2 * cut_async_tiles<block, vectors>(arguments).tile_vectors + block * vectors) * sizeof(Vector<T>);
}

template <unsigned block, unsigned vectors, unsigned resident, typename T>
LaunchShape launch_async_tiles(const ConvolutionArguments<T>& arguments, unsigned tiles_per_block) {
    const AsyncTiles cut = cut_async_tiles<block, vectors>(arguments);
    const unsigned grid = grid_for(cut.tiles, tiles_per_block);
    const size_t shared_bytes = async_tile_bytes<block, vectors>(arguments);
    const auto kernel = conv1d_async_tile<T, block, vectors, resident>;
    if (shared_bytes > most_shared_bytes_without_request)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)));
    kernel<<<grid, block, shared_bytes, arguments.stream>>>(arguments.signal, arguments.d_output, arguments.outputs(),
                                                            arguments.width, arguments.before(), cut);
    return {dim3(grid), dim3(block), shared_bytes};
}

/// The sums of narrow filters take less time than a tile takes to arrive: many resident blocks with one tile each keep
/// the memory busy. Wide filters get more outputs per thread, and prefetch. Measured on an H200. A device with less
/// shared memory than the widest filters of doubles need (compute capability 7.5: 64 KiB) gets smaller tiles, or those
/// of conv1d_register_tile. block_size is not used.
template <typename T>
LaunchShape launch_conv1d_async_tile(const ConvolutionArguments<T>& arguments) {
    constexpr size_t narrow_bytes = 17 * sizeof(float);
    if (arguments.width * sizeof(T) <= narrow_bytes) return launch_async_tiles<128, 3, 10>(arguments, 1);
    const size_t most = arguments.most_shared_bytes;
    if (async_tile_bytes<128, 5>(arguments) <= most) return launch_async_tiles<128, 5, 6>(arguments, 2);
    if (async_tile_bytes<128, 3>(arguments) <= most) return launch_async_tiles<128, 3, 10>(arguments, 1);
    return launch_conv1d_register_tile(arguments);
}

}  // namespace BACKEND
