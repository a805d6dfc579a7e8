#pragma once
// The elements beyond the ends of a signal, in memory of their own: where a device has a window of the signal, its kernels
// need no border.
//   conv1d_fill_beyond   repeats what the window has of the signal
#include "kernels/conv1d/arguments.cuh"

namespace BACKEND {

/// Which elements of a signal of n lie in a window by themselves, counted from the signal's begin: those between its ends,
/// of one that goes on by the signal again also a whole signal on either side. All others repeat one of them.
struct OwnElements {
    std::int64_t n;
    Border border;

    std::int64_t begin() const { return border == Border::wrap ? -n : 0; }
    std::int64_t end() const { return border == Border::wrap ? 2 * n : n; }

    /// The one that element i, before begin() or from end() on, repeats: the nearest.
    __device__ std::int64_t repeated_by(std::int64_t i) const {
        if (border == Border::wrap) return i < 0 ? (i % n + n) % n - n : i % n + n;
        return i < 0 ? 0 : n - 1;
    }
};

/// window[0] is element `window_begin`. Grid ceil(count / block): a thread for each element from `first` on.
template <typename T>
__global__ void conv1d_fill_beyond(T* window, std::int64_t window_begin, OwnElements own, std::int64_t first,
                                   size_t count) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= count) return;
    const std::int64_t i = first + static_cast<std::int64_t>(thread);
    window[i - window_begin] = window[own.repeated_by(i) - window_begin];
}

/// Elements first to end - 1, which the window has all before own.begin(), or all from own.end() on.
template <typename T>
void launch_fill_beyond(T* d_window, std::int64_t window_begin, const OwnElements& own, std::int64_t first,
                        std::int64_t end, cudaStream_t stream) {
    constexpr unsigned block = 256;
    if (first >= end) return;
    const auto count = static_cast<size_t>(end - first);
    conv1d_fill_beyond<<<grid_for(count, block), block, 0, stream>>>(d_window, window_begin, own, first, count);
}

}  // namespace BACKEND
