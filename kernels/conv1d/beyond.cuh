// SPDX-License-Identifier: MIT
#pragma once
// Stores the elements beyond the ends of a signal in memory: if a device has a window of the signal, its kernels then
// need no border.
//   conv1d_fill_beyond   repeats elements of the signal that the window holds
#include <cstdint>

#include "kernels/conv1d/arguments.cuh"

namespace BACKEND {

/// Which elements a window holds without repeating others, counted from the start of a signal of n: those within the
/// signal and, if it wraps around, also one whole signal on either side. All others repeat one of these.
struct OwnElements {
    std::int64_t n;
    Border border;

    std::int64_t begin() const { return border == Border::wrap ? -n : 0; }
    std::int64_t end() const { return border == Border::wrap ? 2 * n : n; }

    /// The element that element i repeats, the nearest one; i lies before begin() or from end() on.
    __device__ std::int64_t repeated_by(std::int64_t i) const {
        if (border == Border::wrap) return i < 0 ? (i % n + n) % n - n : i % n + n;
        return i < 0 ? 0 : n - 1;
    }
};

/// window[0] is element `window_begin`. Grid ceil(count / block): one thread per element from `first` on.
template <typename T>
__global__ void conv1d_fill_beyond(T* window, std::int64_t window_begin, OwnElements own, std::int64_t first,
                                   size_t count) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= count) return;
    const std::int64_t i = first + static_cast<std::int64_t>(thread);
    window[i - window_begin] = window[own.repeated_by(i) - window_begin];
}

/// Fills elements first to end - 1, which all lie before own.begin() or all from own.end() on.
template <typename T>
void launch_fill_beyond(T* d_window, std::int64_t window_begin, const OwnElements& own, std::int64_t first,
                        std::int64_t end, cudaStream_t stream) {
    constexpr unsigned block = 256;
    if (first >= end) return;
    const auto count = static_cast<size_t>(end - first);
    conv1d_fill_beyond<<<grid_for(count, block), block, 0, stream>>>(d_window, window_begin, own, first, count);
}

}  // namespace BACKEND
