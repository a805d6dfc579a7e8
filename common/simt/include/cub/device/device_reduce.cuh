// SPDX-License-Identifier: MIT
// Reductions of all items.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../simt/cub_device.hpp"
#include "../iterator/arg_index_input_iterator.cuh"
#include "../iterator/transform_input_iterator.cuh"
#include "../thread/thread_operators.cuh"

CUB_NAMESPACE_OPEN
namespace simt_parts {

template <typename Input, typename Output, typename Operator, typename Init>
cudaError_t reduce(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                   int64_t n, Operator op, Init init, cudaStream_t stream) {
    using Total = Accumulator<Operator, Init, ValueOf<Input>>;
    const Chunks chunks(n);
    TemporaryStorage storage(d_temp_storage);
    Total* const totals = storage.take<Total>(chunks.count);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error)) return error;
    if (chunks.count > 1) {
        error = run_chunks(
            name, chunks.count, stream,
            [chunks, op](unsigned chunk, auto in, Total* to) mutable {
                new (static_cast<void*>(to + chunk)) Total(fold<Total>(in, chunks.begin(chunk), chunks.end(chunk), op));
            },
            d_in, totals);
        if (error != cudaSuccess) return error;
    }
    return run_once(
        name, stream,
        [chunks, op, init](auto in, auto out, Total* from) mutable {
            if (chunks.items == 0) {
                *out = init;
            } else if (chunks.count > 1) {
                *out = op(init, fold<Total>(from, 0, chunks.count, op));
            } else {
                *out = op(init, fold<Total>(in, 0, chunks.items, op));
            }
        },
        d_in, d_out, totals);
}

/// Of several that are the extremum, the first. Without items: index 1 and the type's end, as CUB defines it.
template <typename Operator, typename Input, typename Store, typename... Outputs>
cudaError_t reduce_with_index(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, int64_t n,
                              ValueOf<Input> end_value, cudaStream_t stream, Store store, Outputs... outputs) {
    using Value = ValueOf<Input>;
    using Pair = KeyValuePair<int64_t, Value>;
    const Chunks chunks(n);
    TemporaryStorage storage(d_temp_storage);
    Pair* const best = storage.take<Pair>(chunks.count);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error)) return error;
    error = run_chunks(
        name, chunks.count, stream,
        [chunks, end_value](unsigned chunk, auto in, Pair* to) {
            Pair found(1, end_value);
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                const Pair next(i, in[i]);
                found = i == chunks.begin(chunk) ? next : Operator()(found, next);
            }
            new (static_cast<void*>(to + chunk)) Pair(found);
        },
        d_in, best);
    if (error != cudaSuccess) return error;
    return run_once(
        name, stream,
        [chunks, store](Pair* from, auto... to) {
            Pair found = from[0];
            for (unsigned i = 1; i < chunks.count; ++i) found = Operator()(found, from[i]);
            store(found, to...);
        },
        best, outputs...);
}

template <typename T>
T greatest_of() {
    return Traits<T>::Max();
}
template <typename T>
T least_of() {
    return Traits<T>::Lowest();
}

template <typename Output, typename Value>
using PairOf = OutputOf<Output, KeyValuePair<int, Value>>;

}  // namespace simt_parts

class DeviceReduce {
    static auto as_pair() {
        return [](const auto& found, auto out) {
            using Value = std::decay_t<decltype(found.value)>;
            using Pair = simt_parts::PairOf<decltype(out), Value>;
            *out = Pair(static_cast<typename Pair::Key>(found.key), found.value);
        };
    }
    static auto as_two() {
        return [](const auto& found, auto extremum, auto index) {
            *extremum = found.value;
            *index = found.key;
        };
    }

public:
    template <typename Input, typename Output, typename ReductionOp, typename T, typename NumItems>
    static cudaError_t Reduce(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                              NumItems num_items, ReductionOp reduction_op, T init, cudaStream_t stream = nullptr) {
        return simt_parts::reduce("cub::DeviceReduce::Reduce", d_temp_storage, temp_storage_bytes, d_in, d_out,
                                  num_items, reduction_op, init, stream);
    }
    template <typename Input, typename Output, typename NumItems>
    static cudaError_t Sum(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                           NumItems num_items, cudaStream_t stream = nullptr) {
        using Init = simt_parts::OutputOf<Output, simt_parts::ValueOf<Input>>;
        return simt_parts::reduce("cub::DeviceReduce::Sum", d_temp_storage, temp_storage_bytes, d_in, d_out, num_items,
                                  cub::Sum(), Init{}, stream);
    }
    template <typename Input, typename Output, typename NumItems>
    static cudaError_t Min(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                           NumItems num_items, cudaStream_t stream = nullptr) {
        using Init = simt_parts::ValueOf<Input>;
        return simt_parts::reduce("cub::DeviceReduce::Min", d_temp_storage, temp_storage_bytes, d_in, d_out, num_items,
                                  cub::Min(), simt_parts::greatest_of<Init>(), stream);
    }
    template <typename Input, typename Output, typename NumItems>
    static cudaError_t Max(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                           NumItems num_items, cudaStream_t stream = nullptr) {
        using Init = simt_parts::ValueOf<Input>;
        return simt_parts::reduce("cub::DeviceReduce::Max", d_temp_storage, temp_storage_bytes, d_in, d_out, num_items,
                                  cub::Max(), simt_parts::least_of<Init>(), stream);
    }

    template <typename Input, typename Output>
    static cudaError_t ArgMin(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, int num_items,
                              cudaStream_t stream = nullptr) {
        using Value = simt_parts::ValueOf<Input>;
        return simt_parts::reduce_with_index<cub::ArgMin>("cub::DeviceReduce::ArgMin", d_temp_storage,
                                                          temp_storage_bytes, d_in, num_items,
                                                          simt_parts::greatest_of<Value>(), stream, as_pair(), d_out);
    }
    template <typename Input, typename Output>
    static cudaError_t ArgMax(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out, int num_items,
                              cudaStream_t stream = nullptr) {
        using Value = simt_parts::ValueOf<Input>;
        return simt_parts::reduce_with_index<cub::ArgMax>("cub::DeviceReduce::ArgMax", d_temp_storage,
                                                          temp_storage_bytes, d_in, num_items,
                                                          simt_parts::least_of<Value>(), stream, as_pair(), d_out);
    }
    template <typename Input, typename Extremum, typename Index>
    static cudaError_t ArgMin(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Extremum d_min_out,
                              Index d_index_out, int64_t num_items, cudaStream_t stream = nullptr) {
        using Value = simt_parts::ValueOf<Input>;
        return simt_parts::reduce_with_index<cub::ArgMin>(
            "cub::DeviceReduce::ArgMin", d_temp_storage, temp_storage_bytes, d_in, num_items,
            simt_parts::greatest_of<Value>(), stream, as_two(), d_min_out, d_index_out);
    }
    template <typename Input, typename Extremum, typename Index>
    static cudaError_t ArgMax(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Extremum d_max_out,
                              Index d_index_out, int64_t num_items, cudaStream_t stream = nullptr) {
        using Value = simt_parts::ValueOf<Input>;
        return simt_parts::reduce_with_index<cub::ArgMax>(
            "cub::DeviceReduce::ArgMax", d_temp_storage, temp_storage_bytes, d_in, num_items,
            simt_parts::least_of<Value>(), stream, as_two(), d_max_out, d_index_out);
    }

    template <typename Input, typename Output, typename ReductionOp, typename TransformOp, typename T,
              typename NumItems>
    static cudaError_t TransformReduce(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                                       NumItems num_items, ReductionOp reduction_op, TransformOp transform_op, T init,
                                       cudaStream_t stream = nullptr) {
        using Value = std::decay_t<decltype(transform_op(*d_in))>;
        TransformInputIterator<Value, TransformOp, Input> in(d_in, transform_op);
        return simt_parts::reduce("cub::DeviceReduce::TransformReduce", d_temp_storage, temp_storage_bytes, in, d_out,
                                  num_items, reduction_op, init, stream);
    }

    /// Consecutive items with equal keys.
    template <typename KeysInput, typename UniqueOutput, typename ValuesInput, typename AggregatesOutput,
              typename NumRunsOutput, typename ReductionOp, typename NumItems>
    static cudaError_t ReduceByKey(void* d_temp_storage, size_t& temp_storage_bytes, KeysInput d_keys_in,
                                   UniqueOutput d_unique_out, ValuesInput d_values_in,
                                   AggregatesOutput d_aggregates_out, NumRunsOutput d_num_runs_out,
                                   ReductionOp reduction_op, NumItems num_items, cudaStream_t stream = nullptr) {
        simt_parts::TemporaryStorage storage(d_temp_storage);
        cudaError_t error;
        if (simt_parts::is_settled(storage, temp_storage_bytes, error)) return error;
        return simt_parts::run_once(
            "cub::DeviceReduce::ReduceByKey", stream,
            [num_items, reduction_op](auto keys, auto unique, auto values, auto aggregates, auto num_runs) mutable {
                using Key = simt_parts::ValueOf<KeysInput>;
                using Value = simt_parts::Accumulator<ReductionOp, simt_parts::ValueOf<ValuesInput>>;
                NumItems runs = 0;
                for (NumItems i = 0; i < num_items; ++runs) {
                    const Key key = keys[i];
                    Value total = values[i];
                    for (++i; i < num_items && key == static_cast<Key>(keys[i]); ++i)
                        total = reduction_op(total, values[i]);
                    unique[runs] = key;
                    aggregates[runs] = total;
                }
                *num_runs = runs;
            },
            d_keys_in, d_unique_out, d_values_in, d_aggregates_out, d_num_runs_out);
    }
};

CUB_NAMESPACE_CLOSE
