// SPDX-License-Identifier: MIT
// Differences of neighboring items. The item at the edge stays as it is.
#pragma once

#include <cstdint>

#include "../../simt/cub_device.hpp"
#include "../thread/thread_operators.cuh"

CUB_NAMESPACE_OPEN

struct DeviceAdjacentDifference {
    template <typename Input, typename Output, typename DifferenceOp = Difference, typename NumItems>
    static cudaError_t SubtractLeftCopy(void* d_temp_storage, size_t& temp_storage_bytes, Input d_input,
                                        Output d_output, NumItems num_items, DifferenceOp difference_op = {},
                                        cudaStream_t stream = nullptr) {
        return subtract<true>(d_temp_storage, temp_storage_bytes, d_input, d_output, num_items, difference_op, stream);
    }
    template <typename Iterator, typename DifferenceOp = Difference, typename NumItems>
    static cudaError_t SubtractLeft(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_input,
                                    NumItems num_items, DifferenceOp difference_op = {},
                                    cudaStream_t stream = nullptr) {
        return subtract<true>(d_temp_storage, temp_storage_bytes, d_input, d_input, num_items, difference_op, stream);
    }
    template <typename Input, typename Output, typename DifferenceOp = Difference, typename NumItems>
    static cudaError_t SubtractRightCopy(void* d_temp_storage, size_t& temp_storage_bytes, Input d_input,
                                         Output d_output, NumItems num_items, DifferenceOp difference_op = {},
                                         cudaStream_t stream = nullptr) {
        return subtract<false>(d_temp_storage, temp_storage_bytes, d_input, d_output, num_items, difference_op, stream);
    }
    template <typename Iterator, typename DifferenceOp = Difference, typename NumItems>
    static cudaError_t SubtractRight(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_input,
                                     NumItems num_items, DifferenceOp difference_op = {},
                                     cudaStream_t stream = nullptr) {
        return subtract<false>(d_temp_storage, temp_storage_bytes, d_input, d_input, num_items, difference_op, stream);
    }

private:
    /// (In place, a chunk could write what its neighbor still reads: one thread does it all.)
    template <bool is_left, typename Input, typename Output, typename DifferenceOp>
    static cudaError_t subtract(void* d_temp_storage, size_t& temp_storage_bytes, Input d_input, Output d_output,
                                int64_t n, DifferenceOp difference_op, cudaStream_t stream) {
        simt_parts::TemporaryStorage storage(d_temp_storage);
        cudaError_t error;
        if (simt_parts::is_settled(storage, temp_storage_bytes, error) || n <= 0) return error;
        return simt_parts::run_once(
            "cub::DeviceAdjacentDifference", stream,
            [n, difference_op](auto in, auto out) mutable {
                using Value = simt_parts::ValueOf<Input>;
                if constexpr (is_left) {
                    Value previous = in[0];
                    out[0] = previous;
                    for (int64_t i = 1; i < n; ++i) {
                        const Value own = in[i];
                        out[i] = difference_op(own, previous);
                        previous = own;
                    }
                } else {
                    for (int64_t i = 0; i + 1 < n; ++i) {
                        const Value own = in[i], next = in[i + 1];
                        out[i] = difference_op(own, next);
                    }
                    const Value last = in[n - 1];
                    out[n - 1] = last;
                }
            },
            d_input, d_output);
    }
};

CUB_NAMESPACE_CLOSE
