// SPDX-License-Identifier: MIT
// Reductions over the threads of a block. The result is in thread 0.
#pragma once

#include "../thread/thread_reduce.cuh"

CUB_NAMESPACE_OPEN

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

template <typename T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockReduce {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    struct TempStorage {
        simt_parts::Slots<T, threads> values;
    };

    SIMT_INLINE BlockReduce(::simt::Site site = ::simt::Site::here())
        : BlockReduce(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockReduce(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : values_(storage.values), site_(site) {}

    SIMT_INLINE T Sum(T input) { return Reduce(input, cub::Sum(), threads); }
    SIMT_INLINE T Sum(T input, int num_valid) { return Reduce(input, cub::Sum(), num_valid); }
    template <int ITEMS_PER_THREAD>
    SIMT_INLINE T Sum(T (&inputs)[ITEMS_PER_THREAD]) {
        return Reduce(inputs, cub::Sum());
    }

    template <typename ReductionOp>
    SIMT_INLINE T Reduce(T input, ReductionOp reduction_op) {
        return Reduce(input, reduction_op, threads);
    }
    template <int ITEMS_PER_THREAD, typename ReductionOp>
    SIMT_INLINE T Reduce(T (&inputs)[ITEMS_PER_THREAD], ReductionOp reduction_op) {
        return Reduce(ThreadReduce(inputs, reduction_op), reduction_op, threads);
    }
    template <typename ReductionOp>
    SIMT_INLINE T Reduce(T input, ReductionOp reduction_op, int num_valid) {
        constexpr int warp = 32;
        const int valid = num_valid < threads ? num_valid : threads;
        values_.put(simt_parts::thread_rank(), input);
        ::__syncthreads(site_);
        if (simt_parts::thread_rank() != 0) return input;
        T result = input;
        for (int begin = 0; begin < valid; begin += warp) {  // sums of sums lose fewer bits
            T part = values_[begin];
            for (int i = begin + 1; i < begin + warp && i < valid; ++i) part = reduction_op(part, values_[i]);
            result = begin == 0 ? part : T(reduction_op(result, part));
        }
        return result;
    }

private:
    simt_parts::Slots<T, threads>& values_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
