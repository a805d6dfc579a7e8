// SPDX-License-Identifier: MIT
// The items of one thread combined.
#pragma once

#include "thread_operators.cuh"

CUB_NAMESPACE_OPEN

template <int LENGTH, typename T, typename ReductionOp, typename PrefixT>
SIMT_INLINE auto ThreadReduce(const T* input, ReductionOp reduction_op, PrefixT prefix)
    -> simt_parts::Accumulator<ReductionOp, PrefixT, T> {
    simt_parts::Accumulator<ReductionOp, PrefixT, T> result = prefix;
    for (int i = 0; i < LENGTH; ++i) result = reduction_op(result, input[i]);
    return result;
}
template <int LENGTH, typename T, typename ReductionOp>
SIMT_INLINE T ThreadReduce(const T* input, ReductionOp reduction_op) {
    T result = input[0];
    for (int i = 1; i < LENGTH; ++i) result = reduction_op(result, input[i]);
    return result;
}
template <typename T, int LENGTH, typename ReductionOp>
SIMT_INLINE T ThreadReduce(const T (&input)[LENGTH], ReductionOp reduction_op) {
    return ThreadReduce<LENGTH>(&input[0], reduction_op);
}
template <typename T, int LENGTH, typename ReductionOp, typename PrefixT>
SIMT_INLINE auto ThreadReduce(const T (&input)[LENGTH], ReductionOp reduction_op, PrefixT prefix) {
    return ThreadReduce<LENGTH>(&input[0], reduction_op, prefix);
}

CUB_NAMESPACE_CLOSE
