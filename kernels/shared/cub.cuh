// SPDX-License-Identifier: MIT
#pragma once
// The peers: CUB's DeviceSelect and DeviceHistogram, which come with the toolkit. Only for nvcc.
//   offsets_cub     keeps the words' order, with one pass over them
//   histogram_cub   bins of equal width
#include "common/cuda/check.cuh"
#include "common/cuda/cub_settings.hpp"
#include "kernels/shared/arguments.cuh"

#include <cuda_runtime.h>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_select.cuh>

#include <cstddef>
#include <limits>

namespace BACKEND {

/// The most words of both, which is what one call of CUB's older releases takes.
constexpr size_t shared_cub_largest_n = std::numeric_limits<int>::max();

struct BelowLimit {
    unsigned limit;

    __device__ bool operator()(unsigned word) const { return word < limit; }
};

/// With d_workspace null both only set `bytes`, as CUB always does. n at most shared_cub_largest_n.
inline void call_offsets_cub(void* d_workspace, size_t& bytes, const SharedArguments& arguments) {
    CHECK(cub::DeviceSelect::If(d_workspace, bytes, arguments.d_in, arguments.d_out, arguments.d_totals,
                                static_cast<int>(arguments.n), BelowLimit{arguments.limit}, arguments.stream));
}
inline void call_histogram_cub(void* d_workspace, size_t& bytes, const SharedArguments& arguments) {
    CHECK(cub::DeviceHistogram::HistogramEven(d_workspace, bytes, arguments.d_in, arguments.d_out,
                                              static_cast<int>(arguments.bins) + 1, 0u, arguments.bins,
                                              static_cast<int>(arguments.n), arguments.stream));
}

/// Bytes of workspace.
inline size_t offsets_cub_workspace(const SharedArguments& arguments) {
    size_t bytes = 0;
    call_offsets_cub(nullptr, bytes, arguments);
    return bytes;
}
inline size_t histogram_cub_workspace(const SharedArguments& arguments) {
    size_t bytes = 0;
    call_histogram_cub(nullptr, bytes, arguments);
    return bytes;
}

/// CUB chooses block and grid.
inline LaunchShape launch_offsets_cub(const SharedArguments& arguments) {
    size_t bytes = arguments.workspace_bytes;
    call_offsets_cub(arguments.d_workspace, bytes, arguments);
    return {};
}
inline LaunchShape launch_histogram_cub(const SharedArguments& arguments) {
    size_t bytes = arguments.workspace_bytes;
    call_histogram_cub(arguments.d_workspace, bytes, arguments);
    return {};
}

}  // namespace BACKEND
