// SPDX-License-Identifier: MIT
#pragma once
// The lecture's convolutions: output[i] is the sum over j of taps[j] * input[i - before + j], and zeros lie beyond the
// ends of the input.
//   conv1d_global     one thread per output, all inputs from global memory: each is loaded once per tap
//   conv1d_shared     removes most global loads: a block loads a tile with its halo, block + width - 1 elements instead
//                     of block * width
//   conv1d_constant   removes the loads of the taps: they come through the constant cache, one word for all lanes
//   conv1d_shuffle    removes shared memory and its barrier: a warp's lanes hold 32 neighboring inputs at a time and
//                     read each other's registers; a warp loads 31 + width inputs
// The lecture's filter is centered: before = width / 2, and there are as many outputs as inputs. With before = 0 and
// n - width + 1 outputs, nothing beyond the ends is needed.
//
// n and outputs > 0; grid ceil(outputs / block).
#include <cstdint>

#include "common/cuda/check.cuh"
#include "kernels/conv1d/arguments.cuh"

#include <cuda_runtime.h>

namespace BACKEND {

/// The filter as an argument: up to 31 taps travel with the kernel's parameters; more lie in global memory.
template <typename T>
struct Taps {
    T few[31];
    const T* many;
    unsigned width;

    __device__ T operator[](unsigned j) const { return width <= 31 ? few[j] : many[j]; }
};

/// Any block.
template <typename T>
__global__ void conv1d_global(const T* input, long long n, T* output, long long outputs, unsigned before,
                              Taps<T> taps) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i >= outputs) return;
    T sum = 0;
    for (unsigned j = 0; j < taps.width; ++j) {
        const long long k = i - before + j;
        if (k >= 0 && k < n) sum += taps[j] * input[k];
    }
    output[i] = sum;
}

/// Loads inputs first to first + count - 1 with all threads of the block.
template <typename T>
__device__ void load_tile(T* tile, unsigned count, const T* input, long long n, long long first) {
    for (unsigned t = threadIdx.x; t < count; t += blockDim.x) {
        const long long k = first + t;
        tile[t] = k >= 0 && k < n ? input[k] : 0;
    }
    __syncthreads();  // a thread reads elements that other threads loaded
}

/// Any block; dynamic shared memory for block + width - 1 elements.
template <typename T>
__global__ void conv1d_shared(const T* input, long long n, T* output, long long outputs, unsigned before,
                              Taps<T> taps) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* tile = reinterpret_cast<T*>(shared_bytes);
    const long long first = blockIdx.x * static_cast<long long>(blockDim.x), i = first + threadIdx.x;
    load_tile(tile, blockDim.x + taps.width - 1, input, n, first - before);
    if (i >= outputs) return;
    T sum = 0;
    for (unsigned j = 0; j < taps.width; ++j) sum += taps[j] * tile[threadIdx.x + j];
    output[i] = sum;
}

/// The taps of the next launch, float or double: the host copies them here.
__constant__ double constant_tap_memory[4095];

template <typename T>
__device__ inline const T* constant_taps() {
    return reinterpret_cast<const T*>(constant_tap_memory);
}

/// Block and shared memory as for conv1d_shared.
template <typename T>
__global__ void conv1d_constant(const T* input, long long n, T* output, long long outputs, unsigned before,
                                unsigned width) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* tile = reinterpret_cast<T*>(shared_bytes);
    const long long first = blockIdx.x * static_cast<long long>(blockDim.x), i = first + threadIdx.x;
    load_tile(tile, blockDim.x + width - 1, input, n, first - before);
    if (i >= outputs) return;
    T sum = 0;
    for (unsigned j = 0; j < width; ++j) sum += constant_taps<T>()[j] * tile[threadIdx.x + j];
    output[i] = sum;
}

/// Block a multiple of 32.
template <typename T>
__global__ void conv1d_shuffle(const T* input, long long n, T* output, long long outputs, unsigned before,
                               unsigned width) {
    const unsigned lane = threadIdx.x % 32;
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i - lane >= outputs) return;  // the whole warp
    // Input t of the 31 + width that the warp's outputs need.
    const auto load = [&](unsigned t) {
        const long long k = i - lane - before + t;
        return t < 31 + width && k >= 0 && k < n ? input[k] : T(0);
    };
    T near = load(lane), sum = 0;
    for (unsigned begin = 0; begin < width; begin += 32) {
        const T far = load(begin + 32 + lane);
        const unsigned taps_here = width - begin < 32 ? width - begin : 32;
        for (unsigned j = 0; j < taps_here; ++j) {
            // Tap j of lane l meets input l + j: one of the next 32 inputs, if that is beyond the warp.
            const T value = __shfl_sync(0xffffffff, lane < j ? far : near, (lane + j) % 32);
            sum += constant_taps<T>()[begin + j] * value;
        }
        near = far;
    }
    if (i < outputs) output[i] = sum;
}

// ---- how they are launched: with a border other than zeros, conv1d_ends then computes the outputs at the ends again

static_assert(sizeof constant_tap_memory == largest_width * sizeof(double));

/// Enqueues the copy that must precede launches of kernels that use constant_taps().
template <typename T>
void put_taps_into_constant_memory(const ConvolutionArguments<T>& arguments) {
    CHECK(cudaMemcpyToSymbolAsync(constant_tap_memory, arguments.d_taps, arguments.width * sizeof(T), 0,
                                  cudaMemcpyDeviceToDevice, arguments.stream));
}

template <typename T>
Taps<T> taps_in_parameters(const ConvolutionArguments<T>& arguments) {
    Taps<T> taps{{}, arguments.d_taps, arguments.width};
    for (unsigned j = 0; j < taps.width && j < 31; ++j) taps.few[j] = arguments.h_taps[j];
    return taps;
}

/// The outputs that need elements beyond the ends, where these are not zeros: one thread per output, all inputs from
/// global memory. Grid ceil(ends / block), any block. They are the first `before` outputs and the last ones.
template <typename T>
__global__ void conv1d_ends(Signal<T> signal, T* output, size_t outputs, unsigned before, Taps<T> taps, size_t ends) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= ends) return;
    const size_t i = thread < before ? thread : outputs - ends + thread;
    T sum = 0;
    for (unsigned j = 0; j < taps.width; ++j) sum += taps[j] * signal.at(static_cast<std::int64_t>(i) - before + j);
    output[i] = sum;
}

/// launch(shape, ...) launches the kernel, and receives all its arguments but the filter. has_tile: the kernel has one
/// in shared memory.
template <typename T, typename Launch>
LaunchShape launch_with_border(const ConvolutionArguments<T>& arguments, unsigned block, bool has_tile, Launch launch) {
    const Signal<T>& signal = arguments.signal;
    const size_t outputs = arguments.outputs();
    const LaunchShape shape{dim3(grid_for(outputs, block)), dim3(block),
                            has_tile ? (block + arguments.width - 1) * sizeof(T) : 0};
    if (outputs == 0) return shape;
    launch(shape, signal.values, signal.n, arguments.d_output, outputs, arguments.before());
    const size_t ends = outputs < arguments.width - 1 ? outputs : arguments.width - 1;
    if (ends > 0 && (signal.border == Border::clamp || signal.border == Border::wrap))
        conv1d_ends<<<grid_for(ends, block), block, 0, arguments.stream>>>(
            signal, arguments.d_output, outputs, arguments.before(), taps_in_parameters(arguments), ends);
    return shape;
}

template <typename T>
LaunchShape launch_conv1d_global(const ConvolutionArguments<T>& arguments) {
    return launch_with_border(arguments, arguments.block_size, false, [&](const LaunchShape& shape, auto... most) {
        conv1d_global<<<shape.grid, shape.block, 0, arguments.stream>>>(most..., taps_in_parameters(arguments));
    });
}

template <typename T>
LaunchShape launch_conv1d_shared(const ConvolutionArguments<T>& arguments) {
    return launch_with_border(arguments, arguments.block_size, true, [&](const LaunchShape& shape, auto... most) {
        conv1d_shared<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(
            most..., taps_in_parameters(arguments));
    });
}

template <typename T>
LaunchShape launch_conv1d_constant(const ConvolutionArguments<T>& arguments) {
    return launch_with_border(arguments, arguments.block_size, true, [&](const LaunchShape& shape, auto... most) {
        conv1d_constant<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(most...,
                                                                                                   arguments.width);
    });
}

template <typename T>
LaunchShape launch_conv1d_shuffle(const ConvolutionArguments<T>& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    return launch_with_border(arguments, block, false, [&](const LaunchShape& shape, auto... most) {
        conv1d_shuffle<<<shape.grid, shape.block, 0, arguments.stream>>>(most..., arguments.width);
    });
}

}  // namespace BACKEND
