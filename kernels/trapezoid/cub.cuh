// SPDX-License-Identifier: MIT
#pragma once
// The peer: CUB's DeviceReduce over indices, which it transforms into heights as it loads them. Only for nvcc.
//   trapezoid_cub   one block up to a few thousand trapezoids; above, two launches: partials, then their reduction
#include "common/cuda/cub_settings.hpp"
#include "kernels/trapezoid/launch.cuh"

#include <cuda_runtime.h>
#include <cub/version.cuh>

#if CUB_VERSION >= 300000
#define HAVE_CUB_TRANSFORM_REDUCE 1
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#else
#define HAVE_CUB_TRANSFORM_REDUCE 0
#endif

#include <cstddef>

namespace BACKEND {

#if HAVE_CUB_TRANSFORM_REDUCE
/// The heights of the default function only: choosing at each height would cost as much as the height itself.
template <typename T>
struct CubHeights {
    Trapezoids<T> rule;

    __device__ T operator()(unsigned i) const { return height(rule, Parabola<T>{}, i); }
};

/// With d_workspace null it only sets `bytes`, as CUB always does. Fewer than 2^32 trapezoids.
template <typename T>
cudaError_t call_cub_transform_reduce(void* d_workspace, size_t& bytes, const TrapezoidArguments<T>& arguments) {
    return cub::DeviceReduce::TransformReduce(d_workspace, bytes, thrust::counting_iterator<unsigned>(0),
                                              arguments.d_result, static_cast<unsigned>(arguments.rule.n),
                                              ::cuda::std::plus<T>{}, CubHeights<T>{arguments.rule}, T(0),
                                              arguments.stream);
}

template <typename T>
size_t trapezoid_cub_workspace(const TrapezoidArguments<T>& arguments) {
    size_t bytes = 0;
    CHECK(call_cub_transform_reduce(nullptr, bytes, arguments));
    return bytes;
}

/// CUB chooses block and grid.
template <typename T>
LaunchShape launch_trapezoid_cub(const TrapezoidArguments<T>& arguments) {
    size_t bytes = trapezoid_cub_workspace(arguments);
    CHECK(call_cub_transform_reduce(arguments.d_workspace, bytes, arguments));
    return {};
}
#endif

}  // namespace BACKEND
