// SPDX-License-Identifier: MIT
// Reductions of segments, each by itself. A segment without items gives the initial value.
#pragma once

#include <cstdint>

#include "device_reduce.cuh"

CUB_NAMESPACE_OPEN
namespace simt_parts {

template <typename Input, typename Output, typename Begins, typename Ends, typename Reduce>
cudaError_t reduce_segments(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, Input d_in,
                            Output d_out, int64_t segments, Begins d_begin_offsets, Ends d_end_offsets, Reduce reduce,
                            cudaStream_t stream) {
    TemporaryStorage storage(d_temp_storage);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error) || segments <= 0) return error;
    const Chunks chunks(segments, 1);
    return run_chunks(
        name, chunks.count, stream,
        [chunks, reduce](unsigned chunk, auto in, auto out, auto begins, auto ends) mutable {
            for (int64_t segment = chunks.begin(chunk); segment < chunks.end(chunk); ++segment)
                out[segment] = reduce(in, static_cast<int64_t>(begins[segment]), static_cast<int64_t>(ends[segment]));
        },
        d_in, d_out, d_begin_offsets, d_end_offsets);
}

template <typename Init, typename Input, typename Operator>
auto reduction_of_segment(Operator op, Init init) {
    return [op, init](auto& in, int64_t begin, int64_t end) mutable {
        using Total = Accumulator<Operator, Init, ValueOf<Input>>;
        Total total = init;
        if (begin < end) total = op(init, fold<Total>(in, begin, end, op));
        return total;
    };
}

/// The index is that in the segment.
template <typename Operator, typename Pair>
auto extremum_of_segment(typename Pair::Value end_value) {
    return [end_value](auto& in, int64_t begin, int64_t end) {
        Pair found(1, end_value);
        for (int64_t i = begin; i < end; ++i) {
            const Pair next(static_cast<typename Pair::Key>(i - begin), in[i]);
            found = i == begin ? next : Operator()(found, next);
        }
        return found;
    };
}

}  // namespace simt_parts

struct DeviceSegmentedReduce {
    template <typename Input, typename Output, typename Begins, typename Ends, typename ReductionOp, typename T>
    static cudaError_t Reduce(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                              int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                              ReductionOp reduction_op, T initial_value, cudaStream_t stream = nullptr) {
        return simt_parts::reduce_segments("cub::DeviceSegmentedReduce::Reduce", d_temp_storage, temp_storage_bytes,
                                           d_in, d_out, num_segments, d_begin_offsets, d_end_offsets,
                                           simt_parts::reduction_of_segment<T, Input>(reduction_op, initial_value),
                                           stream);
    }
    template <typename Input, typename Output, typename Begins, typename Ends>
    static cudaError_t Sum(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                           int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                           cudaStream_t stream = nullptr) {
        using T = simt_parts::OutputOf<Output, simt_parts::ValueOf<Input>>;
        return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_segments, d_begin_offsets, d_end_offsets,
                      cub::Sum(), T{}, stream);
    }
    template <typename Input, typename Output, typename Begins, typename Ends>
    static cudaError_t Min(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                           int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                           cudaStream_t stream = nullptr) {
        return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_segments, d_begin_offsets, d_end_offsets,
                      cub::Min(), simt_parts::greatest_of<simt_parts::ValueOf<Input>>(), stream);
    }
    template <typename Input, typename Output, typename Begins, typename Ends>
    static cudaError_t Max(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                           int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                           cudaStream_t stream = nullptr) {
        return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_segments, d_begin_offsets, d_end_offsets,
                      cub::Max(), simt_parts::least_of<simt_parts::ValueOf<Input>>(), stream);
    }
    template <typename Input, typename Output, typename Begins, typename Ends>
    static cudaError_t ArgMin(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                              int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                              cudaStream_t stream = nullptr) {
        using Value = simt_parts::ValueOf<Input>;
        return simt_parts::reduce_segments(
            "cub::DeviceSegmentedReduce::ArgMin", d_temp_storage, temp_storage_bytes, d_in, d_out, num_segments,
            d_begin_offsets, d_end_offsets,
            simt_parts::extremum_of_segment<cub::ArgMin, simt_parts::PairOf<Output, Value>>(
                simt_parts::greatest_of<Value>()),
            stream);
    }
    template <typename Input, typename Output, typename Begins, typename Ends>
    static cudaError_t ArgMax(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                              int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                              cudaStream_t stream = nullptr) {
        using Value = simt_parts::ValueOf<Input>;
        return simt_parts::reduce_segments(
            "cub::DeviceSegmentedReduce::ArgMax", d_temp_storage, temp_storage_bytes, d_in, d_out, num_segments,
            d_begin_offsets, d_end_offsets,
            simt_parts::extremum_of_segment<cub::ArgMax, simt_parts::PairOf<Output, Value>>(
                simt_parts::least_of<Value>()),
            stream);
    }
};

CUB_NAMESPACE_CLOSE
