// SPDX-License-Identifier: MIT
#pragma once
// A thread that computes neighboring outputs uses each input it has loaded for several of them: a window of the tile
// slides through its registers, a vector at a time.
#include "kernels/conv1d/textbook.cuh"

namespace BACKEND {

/// The sums of `vectors` vectors of neighboring outputs.
template <typename T, unsigned vectors>
using WindowSums = T[vectors * Vector<T>::length];

/// The inputs that these sums need at a time, with one vector more.
template <typename T, unsigned vectors>
using Window = Vector<T>[vectors + 1];

/// sums[r] += taps[j - first] * element r + j of the window, for j from `first` to `end` - 1, but for `count` taps at
/// most.
template <unsigned vectors, unsigned first, unsigned end, typename T>
__device__ __forceinline__ void add_taps(WindowSums<T, vectors>& sums, const Window<T, vectors>& window, const T* taps,
                                         unsigned count = end - first) {
    constexpr unsigned length = Vector<T>::length;
#pragma unroll
    for (unsigned j = first; j < end; ++j) {
        if (j - first < count) {
#pragma unroll
            for (unsigned r = 0; r < vectors * length; ++r)
                sums[r] += taps[j - first] * window[(r + j) / length].values[(r + j) % length];
        }
    }
}

/// Shifts the window by one vector; the caller loads the last one.
template <unsigned vectors, typename T>
__device__ __forceinline__ void move_window(Window<T, vectors>& window) {
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) window[v] = window[v + 1];
}

/// Adds up a thread's sums. Its first tap meets element `shift` of `tile`: 0 to Vector<T>::length - 1, the same for all
/// threads of the launch.
template <unsigned vectors, typename T>
__device__ __forceinline__ void slide_window(WindowSums<T, vectors>& sums, const Vector<T>* tile, unsigned shift,
                                             unsigned width) {
    constexpr unsigned length = Vector<T>::length;
    const T* taps = constant_taps<T>();
    Window<T, vectors> window;
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v) window[v] = tile[v];
    tile += vectors;
    if (shift > 0) {
        window[vectors] = *tile++;
        if (shift == 1) add_taps<vectors, 1, length>(sums, window, taps, width);
        if (shift == 2) add_taps<vectors, 2, length>(sums, window, taps, width);
        if (shift == 3) add_taps<vectors, 3, length>(sums, window, taps, width);
        move_window<vectors>(window);
        const unsigned added = width < length - shift ? width : length - shift;
        width -= added;
        taps += added;
    }
    const unsigned steps = width / length, rest = width % length;
    // Unrolled, so that most vectors need no moves.
#pragma unroll 4
    for (unsigned step = 0; step < steps; ++step) {
        window[vectors] = *tile++;
        add_taps<vectors, 0, length>(sums, window, taps);
        taps += length;
        move_window<vectors>(window);
    }
    if (rest > 1) window[vectors] = *tile;
    if (rest == 1) add_taps<vectors, 0, 1>(sums, window, taps);
    if (rest == 2) add_taps<vectors, 0, 2>(sums, window, taps);
    if (rest == 3) add_taps<vectors, 0, 3>(sums, window, taps);
}

}  // namespace BACKEND
