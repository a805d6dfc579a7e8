// SPDX-License-Identifier: MIT
#pragma once
// The arguments of every launch of a one-dimensional convolution, and what its kernels share. The ladder:
//   copy.cuh            the bound: memory traffic without sums
//   textbook.cuh        the lecture's: from a thread per output to a tile, and shuffles
//   register_tile.cuh   removes most shared loads: a window slides through registers
//   async_tile.cuh      removes the registers that wait for loads: asynchronous copies
//   vectors.cuh         removes the tile, for narrow filters
//   overlap_save.cuh    removes most multiplications, for wide filters: FFTs
//   fastest.cuh         chooses by width, type and alignment; cufft.cuh is the peer for wide filters
//
// Element i of the output is the sum over j of taps[j] * signal[i - before + j]: the taps are the weights in reverse
// order and slide over the signal. All kernels but the FFTs add in this order.
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/conv1d/border.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// How far before output i its first tap lies. For an even number of weights the center is the left one of the middle
/// two, as in mode "same" of NumPy and SciPy.
constexpr unsigned taps_before(unsigned width, Border border) { return border == Border::valid ? 0 : width / 2; }

/// How many elements the output has.
constexpr size_t output_length(size_t n, unsigned width, Border border) {
    return border != Border::valid ? n : n < width ? 0 : n - width + 1;
}

/// A signal of n elements, extended beyond its ends as `border` says.
template <typename T>
struct Signal {
    const T* values = nullptr;
    size_t n = 0;
    Border border = Border::zero;

    /// Whether elements first to first + count - 1 all lie within the signal.
    __host__ __device__ bool holds(std::int64_t first, size_t count) const {
        return first >= 0 && static_cast<size_t>(first) + count <= n;
    }

    /// Element i, which may lie beyond the ends; n > 0.
    __host__ __device__ T at(std::int64_t i) const {
        const auto length = static_cast<std::int64_t>(n);
        if (i >= 0 && i < length) return values[i];
        if (border == Border::clamp) return values[i < 0 ? 0 : length - 1];
        if (border == Border::wrap) return values[(i % length + length) % length];
        return T(0);
    }
};

/// The arrays are aligned as T is, not more, and do not overlap. The output has output_length() elements.
/// block_size: 1 to 1024, used as given except by kernels that say otherwise.
/// multiprocessors: of the device in use; most_shared_bytes: the most that a block can have there.
template <typename T>
struct ConvolutionArguments {
    Signal<T> signal;  // values on the device
    T* d_output = nullptr;
    const T* h_taps = nullptr;
    const T* d_taps = nullptr;
    unsigned width = 0;  // of the filter: how many taps, 1 to largest_width
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    size_t most_shared_bytes = most_shared_bytes_without_request;
    cudaStream_t stream = nullptr;

    size_t outputs() const { return output_length(signal.n, width, signal.border); }
    unsigned before() const { return taps_before(width, signal.border); }
};

}  // namespace BACKEND
