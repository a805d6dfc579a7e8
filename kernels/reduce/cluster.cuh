// SPDX-License-Identifier: MIT
#pragma once
// The hand-over within a cluster, for inputs too large for one block and too small for the whole device:
//   reduce_cluster  removes, from the tagged tile, the trip through L2: the eight blocks of a cluster, which Hopper and
//                   later schedule together on neighboring multiprocessors, put their warps' totals directly into the
//                   first block's shared memory
// Any n that fits, any alignment. The order is fixed, so the result is the same bits every time. The simulator has no
// clusters.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"
#include "kernels/reduce/running_vector.cuh"

#include <cuda_runtime.h>

#if defined(__CUDACC__) && !defined(__SIMCC__)

namespace BACKEND {

constexpr unsigned blocks_in_cluster = 8;  // the largest size that every device with clusters supports

/// Block block_size, grid one cluster, `loads` vectors per thread: span.vectors is at most 8 * block_size * loads.
template <unsigned block_size, unsigned loads, typename T, typename Operator>
__global__ void __launch_bounds__(block_size)
    reduce_cluster(const T* input, VectorSpan<T> span, T* result, Operator op) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    constexpr unsigned warps = block_size / lanes_per_warp;
    __shared__ T totals[blocks_in_cluster * warps];
    __cluster_barrier_arrive_relaxed();  // "I am running": only then may other blocks write to my shared memory

    RunningVector<T, Operator> running(op);
    running.template add_before<loads>(reinterpret_cast<const Vector<T>*>(input + span.head),
                                       blockIdx.x * (block_size * loads) + threadIdx.x, block_size,
                                       static_cast<unsigned>(span.vectors), op);
    T value = running.total(op);
    if (blockIdx.x == 0 && threadIdx.x < span.edges()) value = op.combine(value, input[span.edge(threadIdx.x)]);
    value = warp_reduce(op, value);

    __cluster_barrier_wait();  // the first block is running: its shared memory exists
    const unsigned warp = threadIdx.x / lanes_per_warp;
    T* const slot = &totals[blockIdx.x * warps + warp];
    if (threadIdx.x % lanes_per_warp == 0) *static_cast<T*>(__cluster_map_shared_rank(slot, 0)) = value;
    __cluster_barrier_arrive();  // "my total is there": only the first warp of the first block waits for that
    if (blockIdx.x != 0 || warp != 0) return;
    __cluster_barrier_wait();  // all totals are there
    value = op.identity();
#pragma unroll
    for (unsigned k = 0; k < blocks_in_cluster * warps; k += lanes_per_warp) {
        value = op.combine(value, totals[k + threadIdx.x]);
    }
    value = warp_reduce(op, value);
    if (threadIdx.x == 0) *result = value;
#endif
}

template <typename T>
using ClusterKernel = OperatorKernel<T, const T*, VectorSpan<T>, T*>;

/// Whether this device has clusters and the program has code of that kernel compiled for them.
template <typename T>
bool runs_in_cluster(const ClusterKernel<T>& kernel) {
    cudaFuncAttributes attributes{};
    CHECK(cudaFuncGetAttributes(&attributes, address_of(kernel.sum)));
    return attributes.ptxVersion >= 90;
}

template <typename T>
LaunchShape launch_cluster(const ClusterKernel<T>& kernel, unsigned block_size, VectorSpan<T> span,
                           const ReduceArguments<T>& arguments) {
    const LaunchShape shape{dim3(blocks_in_cluster), dim3(block_size), 0};
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {blocks_in_cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.stream = arguments.stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    if (arguments.operation == Operation::sum) {
        CHECK(cudaLaunchKernelEx(&config, kernel.sum, arguments.d_input, span, arguments.d_result, Sum<T>{}));
    } else {
        const Extreme<T> extreme{arguments.operation == Operation::maximum};
        CHECK(cudaLaunchKernelEx(&config, kernel.extreme, arguments.d_input, span, arguments.d_result, extreme));
    }
    return shape;
}

}  // namespace BACKEND

#endif
