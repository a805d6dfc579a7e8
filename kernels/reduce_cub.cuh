#pragma once
// The peer: CUB's DeviceReduce, which comes with the toolkit. Only for nvcc.
//   reduce_cub   up to a few thousand elements one block; above, two launches: partials, then their reduction
// Sum, Min and Max are CUB's own, which it may treat specially; its Min and Max ignore a NaN or not, by position.
#include "common/launch_shape.cuh"
#include "common/reduction_launch.cuh"
#include "common/reduction_operators.cuh"

#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// DeviceReduce's call for Operator; with d_workspace null it only sets `bytes`, as all of CUB does.
/// 32-bit sizes where they do, since CUB's offsets are then 32 bits wide too, which is the faster kernel.
template <typename T, typename Operator, typename Count>
cudaError_t call_cub_reduce(void* d_workspace, size_t& bytes, const T* input, T* result, Count n, cudaStream_t stream) {
    if constexpr (std::is_same_v<Operator, Min<T>>) {
        return cub::DeviceReduce::Min(d_workspace, bytes, input, result, n, stream);
    } else if constexpr (std::is_same_v<Operator, Max<T>>) {
        return cub::DeviceReduce::Max(d_workspace, bytes, input, result, n, stream);
    } else {
        static_assert(std::is_same_v<Operator, Sum<T>>);
        return cub::DeviceReduce::Sum(d_workspace, bytes, input, result, n, stream);
    }
}

/// Bytes of workspace; 0 if CUB finds no device.
template <typename T, typename Operator>
size_t reduce_cub_workspace(size_t n, unsigned /*block_size*/, unsigned /*multiprocessors*/) {
    size_t bytes = 0;
    const cudaError_t error = call_cub_reduce<T, Operator>(nullptr, bytes, static_cast<const T*>(nullptr),
                                                           static_cast<T*>(nullptr), static_cast<std::int64_t>(n), nullptr);
    return error == cudaSuccess ? bytes : 0;
}

/// n = 0 gives CUB's identity: for Min and Max of floats the largest and the lowest finite value.
template <typename T, typename Operator> LaunchShape launch_reduce_cub(const ReduceArguments<T>& arguments) {
    size_t bytes = arguments.workspace_bytes;
    call_cub_reduce<T, Operator>(arguments.d_workspace, bytes, arguments.d_input, arguments.d_result,
                                 static_cast<std::int64_t>(arguments.n), arguments.stream);
    return {};
}

} // namespace BACKEND
