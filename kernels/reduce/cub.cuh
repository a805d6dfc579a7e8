#pragma once
// The peer: CUB's DeviceReduce, which comes with the toolkit. Only for nvcc.
//   reduce_cub   up to a few thousand elements one block; above, two launches: partials, then their reduction
// Sum, Min and Max are CUB's own, which it may treat specially. Its Min and Max pass a NaN on or not, by position.
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace BACKEND {

/// The sizes that CUB takes. Before CUB 2.2 they are int, so that a launch of more elements is refused.
#if CUB_VERSION >= 200200
using CubCount = std::int64_t;
#else
using CubCount = int;
#endif
constexpr size_t reduce_cub_largest_n = static_cast<size_t>(std::numeric_limits<CubCount>::max());

/// DeviceReduce's call for Operator. With d_workspace null it only sets `bytes`, as all of CUB does.
template <typename T, typename Operator>
cudaError_t call_cub_reduce(void* d_workspace, size_t& bytes, const T* input, T* result, size_t n,
                            cudaStream_t stream) {
    const auto count = static_cast<CubCount>(n);
    if (n > reduce_cub_largest_n) {
        return cudaErrorNotSupported;
    } else if constexpr (std::is_same_v<Operator, Min<T>>) {
        return cub::DeviceReduce::Min(d_workspace, bytes, input, result, count, stream);
    } else if constexpr (std::is_same_v<Operator, Max<T>>) {
        return cub::DeviceReduce::Max(d_workspace, bytes, input, result, count, stream);
    } else {
        static_assert(std::is_same_v<Operator, Sum<T>>);
        return cub::DeviceReduce::Sum(d_workspace, bytes, input, result, count, stream);
    }
}

/// Bytes of workspace; 0 if CUB cannot do it.
template <typename T, typename Operator>
size_t reduce_cub_workspace(size_t n, unsigned /*block_size*/, unsigned /*multiprocessors*/) {
    size_t bytes = 0;
    const T* no_input = nullptr;
    T* no_result = nullptr;
    const cudaError_t error = call_cub_reduce<T, Operator>(nullptr, bytes, no_input, no_result, n, nullptr);
    return error == cudaSuccess ? bytes : 0;
}

/// n up to reduce_cub_largest_n: above, nothing is launched. CUB chooses block and grid. n = 0 is not left to CUB, whose
/// Min and Max of no floats are the largest and the lowest finite value, not infinities.
template <typename T, typename Operator> LaunchShape launch_reduce_cub(const ReduceArguments<T>& arguments) {
    if (arguments.n == 0) {
        store_identity<T, Operator><<<1, 1, 0, arguments.stream>>>(arguments.d_result);
        return {};
    }
    size_t bytes = arguments.workspace_bytes;
    call_cub_reduce<T, Operator>(arguments.d_workspace, bytes, arguments.d_input, arguments.d_result, arguments.n,
                                 arguments.stream);
    return {};
}

} // namespace BACKEND
