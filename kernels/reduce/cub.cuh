// SPDX-License-Identifier: MIT
#pragma once
// The peer: CUB's DeviceReduce, which comes with the toolkit. Only for nvcc.
//   reduce_cub   one block up to a few thousand elements; above, two launches: partials, then their reduction
// The sum is CUB's own Sum, which has special cases for some types. Minimum and maximum are CUB's Reduce with our
// operator: its own Min and Max treat NaN differently from our variants, and each would be another large instance.
#include "common/cuda/cub_settings.hpp"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace BACKEND {

/// The type of CUB's sizes. Before CUB 2.2 it is int, and a launch of more elements is refused.
#if CUB_VERSION >= 200200
using CubCount = std::int64_t;
#else
using CubCount = int;
#endif
constexpr size_t reduce_cub_largest_n = static_cast<size_t>(std::numeric_limits<CubCount>::max());

/// The operator as CUB calls it.
template <typename T>
struct CubExtreme {
    Extreme<T> op;

    __device__ T operator()(T a, T b) const { return op.combine(a, b); }
};

/// Calls DeviceReduce for the arguments' operation. With d_workspace null it only sets `bytes`, as CUB always does.
template <typename T>
cudaError_t call_cub_reduce(void* d_workspace, size_t& bytes, const ReduceArguments<T>& arguments) {
    if (arguments.n > reduce_cub_largest_n) return cudaErrorNotSupported;
    const auto count = static_cast<CubCount>(arguments.n);
    if (arguments.operation == Operation::sum) {
        return cub::DeviceReduce::Sum(d_workspace, bytes, arguments.d_input, arguments.d_result, count,
                                      arguments.stream);
    }
    const Extreme<T> op{arguments.operation == Operation::maximum};
    return cub::DeviceReduce::Reduce(d_workspace, bytes, arguments.d_input, arguments.d_result, count,
                                     CubExtreme<T>{op}, op.identity(), arguments.stream);
}

/// Bytes of workspace; 0 if CUB cannot do it.
template <typename T>
size_t reduce_cub_workspace(const ReduceArguments<T>& arguments) {
    size_t bytes = 0;
    return call_cub_reduce(nullptr, bytes, arguments) == cudaSuccess ? bytes : 0;
}

/// n at most reduce_cub_largest_n, or nothing is launched. CUB chooses block and grid.
template <typename T>
LaunchShape launch_reduce_cub(const ReduceArguments<T>& arguments) {
    size_t bytes = arguments.workspace_bytes;
    call_cub_reduce(arguments.d_workspace, bytes, arguments);
    return {};
}

}  // namespace BACKEND
