#pragma once
// The tile comes without passing through registers, and outputs leave by way of the warp's own shared memory.
//   conv1d_async_tile   removes the registers that wait for loads, so that more of them serve sums: 20 floats per thread;
//                       and all barriers but the one for the tile. A block with several tiles loads the next one while it
//                       works on this one
#include "common/cuda/async_copy.cuh"
#include "kernels/conv1d/sliding_window.cuh"

namespace BACKEND {

/// Vectors of outputs per thread: odd, as in the register tile, against bank conflicts.
constexpr unsigned async_tile_vectors = 5;

/// How a launch is cut. Element 0 of a tile in shared memory lies at a 16-byte boundary of the signal, `shift` elements
/// before the one that the block's first tap meets.
struct AsyncTiles {
    size_t tiles;
    unsigned shift;
    unsigned tile_vectors;  // in shared memory
    unsigned stages;        // tiles in shared memory
};

/// Starts copying a tile; at the ends of the signal it is there on return.
template <typename T, unsigned block>
__device__ __forceinline__ void load_tile_async(Vector<T>* tile, const Signal<T>& signal, std::int64_t first,
                                                unsigned tile_vectors) {
    if (signal.holds(first, tile_vectors * Vector<T>::length)) {
        const auto* source = reinterpret_cast<const Vector<T>*>(signal.values + first);
#pragma unroll
        for (unsigned v = 0; v < async_tile_vectors; ++v)
            copy_async_past_l1(tile + v * block + threadIdx.x, source + v * block + threadIdx.x);
        for (unsigned k = async_tile_vectors * block + threadIdx.x; k < tile_vectors; k += block)
            copy_async_past_l1(tile + k, source + k);
    } else {
        T* elements = reinterpret_cast<T*>(tile);
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < tile_vectors * Vector<T>::length; k += block)
            elements[k] = signal.at(first + k);
    }
}

/// Writes the sums of a warp, whose first output is output[first]: through `staged`, so that neighbouring lanes write
/// neighbouring vectors.
template <typename T>
__device__ __forceinline__ void store_warp_outputs(T* output, size_t first, size_t outputs, Vector<T>* staged,
                                                   const WindowSums<T, async_tile_vectors>& sums) {
    constexpr unsigned length = Vector<T>::length, warp_outputs = lanes_per_warp * async_tile_vectors * length;
    const unsigned lane = threadIdx.x % lanes_per_warp;
#pragma unroll
    for (unsigned v = 0; v < async_tile_vectors; ++v) {
        Vector<T> vector;
        memcpy(&vector, sums + v * length, sizeof vector);
        store_vector(staged + lane * async_tile_vectors + v, vector);
    }
    __syncwarp();  // the outputs are there
    if (first + warp_outputs <= outputs && reinterpret_cast<std::uintptr_t>(output) % vector_bytes == 0) {
        auto* target = reinterpret_cast<Vector<T>*>(output + first) + lane;
#pragma unroll
        for (unsigned v = 0; v < async_tile_vectors; ++v)
            store_vector_global(target + v * lanes_per_warp, load_vector(staged + v * lanes_per_warp + lane));
    } else {
        const T* elements = reinterpret_cast<const T*>(staged);
        for (unsigned k = lane; k < warp_outputs && first + k < outputs; k += lanes_per_warp)
            output[first + k] = elements[k];
    }
    __syncwarp();  // their place is free again
}

/// A block per tile; with two stages any grid. Dynamic shared memory for the stages, and for the outputs of the block.
template <typename T, unsigned block, unsigned resident>
__global__ void __launch_bounds__(block, resident)
    conv1d_async_tile(Signal<T> signal, T* output, size_t outputs, unsigned width, unsigned before, AsyncTiles cut) {
    constexpr unsigned length = Vector<T>::length, thread_outputs = async_tile_vectors * length;
    constexpr unsigned tile_outputs = block * thread_outputs;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    auto* tiles = reinterpret_cast<Vector<T>*>(shared_bytes);
    const unsigned first_thread = threadIdx.x / lanes_per_warp * lanes_per_warp;
    auto* staged = tiles + cut.stages * cut.tile_vectors + first_thread * async_tile_vectors;
    const auto load = [&](size_t tile, unsigned stage) {
        if (tile < cut.tiles) {
            const auto first_output = static_cast<std::int64_t>(tile * tile_outputs);
            load_tile_async<T, block>(tiles + stage * cut.tile_vectors, signal, first_output - before - cut.shift,
                                      cut.tile_vectors);
        }
        commit_copies();
    };
    unsigned stage = 0;
    load(blockIdx.x, stage);
    for (size_t tile = blockIdx.x; tile < cut.tiles; tile += gridDim.x) {
        wait_copies<0>();
        __syncthreads();  // this tile is there, and nobody reads the one before
        if (cut.stages > 1) load(tile + gridDim.x, 1 - stage);
        WindowSums<T, async_tile_vectors> sums = {};
        const Vector<T>* own = tiles + stage * cut.tile_vectors + threadIdx.x * async_tile_vectors;
        slide_window<async_tile_vectors>(sums, own, cut.shift, width);
        store_warp_outputs(output, tile * tile_outputs + first_thread * thread_outputs, outputs, staged, sums);
        stage = 1 - stage;
    }
}

/// A block per tile, or a half for those that load ahead.
template <unsigned block, unsigned resident, typename T>
LaunchShape launch_async_tiles(const ConvolutionArguments<T>& arguments, bool ahead) {
    constexpr unsigned length = Vector<T>::length, tile_outputs = block * async_tile_vectors * length;
    const size_t place = reinterpret_cast<std::uintptr_t>(arguments.signal.values) / sizeof(T);
    AsyncTiles cut{};
    cut.tiles = divide_up(arguments.outputs(), tile_outputs);
    cut.shift = static_cast<unsigned>((place - arguments.before()) % length);
    cut.tile_vectors = static_cast<unsigned>(divide_up(cut.shift + tile_outputs + arguments.width - 1, length));
    cut.stages = ahead ? 2 : 1;
    const unsigned grid = grid_for(cut.tiles, cut.stages);
    const size_t shared_bytes = (cut.stages * cut.tile_vectors + block * async_tile_vectors) * sizeof(Vector<T>);
    conv1d_async_tile<T, block, resident><<<grid, block, shared_bytes, arguments.stream>>>(
        arguments.signal, arguments.d_output, arguments.outputs(), arguments.width, arguments.before(), cut);
    return {dim3(grid), dim3(block), shared_bytes};
}

/// The sums of narrow filters take less time than a tile needs to come: many small blocks keep the memory busy. Wide ones
/// load ahead, as long as two tiles fit into 48 KiB. Measured on an H200. block_size is not used.
template <typename T>
LaunchShape launch_conv1d_async_tile(const ConvolutionArguments<T>& arguments) {
    constexpr unsigned narrow_block = 64, wide_block = 128;
    constexpr size_t widest_narrow_bytes = 17 * sizeof(float), widest_ahead_bytes = 2048 * sizeof(float);
    const size_t bytes = arguments.width * sizeof(T);
    if (bytes <= widest_narrow_bytes || bytes > widest_ahead_bytes)
        return launch_async_tiles<narrow_block, 1>(arguments, false);
    return launch_async_tiles<wide_block, 6>(arguments, true);
}

}  // namespace BACKEND
