// SPDX-License-Identifier: MIT
#pragma once
// The last stage of a reduction in one block.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"

#include <cuda_runtime.h>

namespace BACKEND {

/// Like block_reduce(), with a shorter critical path and more shared memory, for a launch with nothing else to hide it:
/// all values go to shared memory at once, and each lane of the first warp reads its share as vectors. That replaces
/// five shuffles in every warp before the barrier. threads: the block size, a multiple of 32.
template <unsigned threads, typename Operator, typename T>
__device__ T block_reduce_in_one_warp(Operator op, T value) {
    if constexpr (threads > lanes_per_warp) {
        constexpr unsigned vectors = threads / Vector<T>::length;
        __shared__ Vector<T> shared[vectors];
        reinterpret_cast<T*>(shared)[threadIdx.x] = value;
        __syncthreads();  // the first warp reads what all warps wrote
        if (threadIdx.x >= lanes_per_warp) return value;
        value = op.identity();
#pragma unroll
        for (unsigned v = 0; v < vectors; v += lanes_per_warp) {
            if (v + threadIdx.x >= vectors) continue;
            const Vector<T> share = shared[v + threadIdx.x];
#pragma unroll
            for (const T& element : share.values) value = op.combine(value, element);
        }
    }
    return warp_reduce(op, value);
}

}  // namespace BACKEND
