// SPDX-License-Identifier: MIT
#pragma once
// Narrow filters need no tile: the loads of neighboring threads overlap, and L1 serves the repeated ones.
//   conv1d_vectors   removes the tile and its barriers: one vector of outputs per thread, the window in aligned 16-byte
//                    loads, the taps as operands from the kernel's parameters
#include <cstdint>

#include "kernels/conv1d/arguments.cuh"

namespace BACKEND {

constexpr unsigned vectors_block = 256;

/// The taps of windows that begin at a 16-byte boundary, `shift` elements before the first tap. Places without a tap
/// are skipped: even a tap of 0 would turn an infinity into a NaN.
template <typename T, unsigned vectors>
struct WindowTaps {
    static constexpr unsigned places = (vectors - 1) * Vector<T>::length + 1;
    T values[places];
    std::uint32_t used;  // bit q: place q has a tap
    unsigned shift, before, width;
};

/// Output i, one element at a time; its inputs may lie beyond the ends.
template <typename T, unsigned vectors>
__device__ T sum_at(const Signal<T>& signal, const WindowTaps<T, vectors>& taps, size_t i) {
    const std::int64_t first = static_cast<std::int64_t>(i) - taps.before;
    T sum = 0;
#pragma unroll 1
    for (unsigned j = 0; j < taps.width; ++j) sum += taps.values[taps.shift + j] * signal.at(first + j);
    return sum;
}

/// One thread per vector of outputs, then one per output outside them; block 256, grid ceil((vectors + edges) / 256).
template <typename T, unsigned vectors>
__global__ void __launch_bounds__(vectors_block) conv1d_vectors(Signal<T> signal, T* output, VectorSpan<T> span,
                                                                const __grid_constant__ WindowTaps<T, vectors> taps) {
    constexpr unsigned length = Vector<T>::length;
    const size_t thread = static_cast<size_t>(blockIdx.x) * vectors_block + threadIdx.x;
    const size_t first = span.head + thread * length;
    const std::int64_t begin = static_cast<std::int64_t>(first) - taps.before - taps.shift;
    if (thread < span.vectors && signal.holds(begin, vectors * length)) {
        const auto* source = reinterpret_cast<const Vector<T>*>(signal.values + begin);
        Vector<T> window[vectors], sums = {};
#pragma unroll
        for (unsigned v = 0; v < vectors; ++v) window[v] = source[v];
#pragma unroll
        for (unsigned q = 0; q < taps.places; ++q) {
            if ((taps.used >> q & 1) == 0) continue;
#pragma unroll
            for (unsigned r = 0; r < length; ++r)
                sums.values[r] += taps.values[q] * window[(q + r) / length].values[(q + r) % length];
        }
        store_vector_global(reinterpret_cast<Vector<T>*>(output + first), sums);
    } else if (thread < span.vectors) {  // close to an end of the signal
#pragma unroll 1
        for (unsigned r = 0; r < length; ++r) output[first + r] = sum_at(signal, taps, first + r);
    } else if (thread - span.vectors < span.edges()) {
        const size_t i = span.edge(thread - span.vectors);
        output[i] = sum_at(signal, taps, i);
    }
}

/// The windows of a launch: `shift` elements from a 16-byte boundary to the first tap, `vectors` vectors from there.
struct WindowPlace {
    unsigned shift, vectors;
};

template <typename T>
WindowPlace place_windows(const ConvolutionArguments<T>& arguments, const VectorSpan<T>& span) {
    constexpr unsigned length = Vector<T>::length;
    const size_t place = reinterpret_cast<std::uintptr_t>(arguments.signal.values) / sizeof(T);
    const auto shift = static_cast<unsigned>((place + span.head - arguments.before()) % length);
    return {shift, static_cast<unsigned>(divide_up(shift + arguments.width - 1 + length, length))};
}

/// block_size is not used.
template <unsigned vectors, typename T>
LaunchShape launch_conv1d_vectors(const ConvolutionArguments<T>& arguments, const VectorSpan<T>& span, unsigned shift) {
    WindowTaps<T, vectors> taps{};
    taps.shift = shift;
    taps.before = arguments.before();
    taps.width = arguments.width;
    taps.used = ((std::uint32_t{1} << arguments.width) - 1) << shift;
    for (unsigned j = 0; j < arguments.width; ++j) taps.values[shift + j] = arguments.h_taps[j];
    const unsigned grid = grid_for(span.vectors + span.edges(), vectors_block);
    conv1d_vectors<T, vectors>
        <<<grid, vectors_block, 0, arguments.stream>>>(arguments.signal, arguments.d_output, span, taps);
    return {dim3(grid), dim3(vectors_block), 0};
}

}  // namespace BACKEND
