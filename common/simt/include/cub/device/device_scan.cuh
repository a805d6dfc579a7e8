// SPDX-License-Identifier: MIT
// Prefixes over all items.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../simt/cub_device.hpp"
#include "../thread/thread_operators.cuh"

CUB_NAMESPACE_OPEN
namespace simt_parts {

/// The value that a scan begins with, known at the call or only on the device; none without one.
template <typename T>
struct ScanStart {
    T value;
    using Type = T;
    SIMT_INLINE T get() const { return value; }
};
template <typename T, typename Iterator>
struct ScanStart<FutureValue<T, Iterator>> {
    FutureValue<T, Iterator> value;
    using Type = T;
    SIMT_INLINE T get() const { return value; }
};
template <>
struct ScanStart<NullType> {};

template <bool is_inclusive, typename Start, typename Input, typename Output, typename Operator>
cudaError_t scan(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                 int64_t n, Operator op, Start start, cudaStream_t stream) {
    constexpr bool has_start = !std::is_same_v<Start, NullType>;
    using Init = std::conditional_t<has_start, ScanStart<Start>, ScanStart<ValueOf<Input>>>;
    using Total = Accumulator<Operator, typename Init::Type, ValueOf<Input>>;
    const Chunks chunks(n);
    TemporaryStorage storage(d_temp_storage);
    Total* const before = storage.take<Total>(chunks.count);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error) || n <= 0) return error;
    const ScanStart<Start> first = [&] {
        if constexpr (has_start) {
            return ScanStart<Start>{start};
        } else {
            return ScanStart<Start>{};
        }
    }();
    if (chunks.count > 1) {
        error = run_chunks(
            name, chunks.count - 1, stream,
            [chunks, op](unsigned chunk, auto in, Total* to) mutable {
                new (static_cast<void*>(to + chunk + 1))
                    Total(fold<Total>(in, chunks.begin(chunk), chunks.end(chunk), op));
            },
            d_in, before);
        if (error != cudaSuccess) return error;
        error = run_once(
            name, stream,
            [chunks, op, first](Total* totals) mutable {
                if constexpr (has_start) totals[1] = op(static_cast<Total>(first.get()), totals[1]);
                for (unsigned i = 2; i < chunks.count; ++i) totals[i] = op(totals[i - 1], totals[i]);
            },
            before);
        if (error != cudaSuccess) return error;
    }
    return run_chunks(
        name, chunks.count, stream,
        [chunks, op, first](unsigned chunk, auto in, auto out, Total* totals) mutable {
            int64_t i = chunks.begin(chunk);
            const auto put = [&](const Total& value) { out[i] = value; };
            // (The output may be the input, so an item is read before its place is written.)
            Total total = in[i];
            if (chunk > 0) {
                if constexpr (!is_inclusive) put(totals[chunk]);
                total = op(totals[chunk], total);
            } else if constexpr (has_start) {
                if constexpr (!is_inclusive) put(static_cast<Total>(first.get()));
                total = op(static_cast<Total>(first.get()), total);
            }
            if constexpr (is_inclusive) put(total);
            for (++i; i < chunks.end(chunk); ++i) {
                const Total next = op(total, in[i]);
                put(is_inclusive ? next : total);
                total = next;
            }
        },
        d_in, d_out, before);
}

/// Scans begin anew where the key changes.
template <bool is_inclusive, typename Keys, typename Input, typename Output, typename Operator, typename Init,
          typename Equal>
cudaError_t scan_by_key(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys, Input d_in,
                        Output d_out, int64_t n, Operator op, Init init, Equal equal, cudaStream_t stream) {
    TemporaryStorage storage(d_temp_storage);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error) || n <= 0) return error;
    return run_once(
        name, stream,
        [n, op, init, equal](auto keys, auto in, auto out) mutable {
            using Key = ValueOf<Keys>;
            using Total = Accumulator<Operator, ValueOf<Input>>;
            for (int64_t i = 0; i < n;) {
                const Key key = keys[i];
                Total total = in[i];
                if constexpr (!is_inclusive) {
                    out[i] = init;
                    total = op(init, total);
                } else {
                    out[i] = total;
                }
                for (++i; i < n && equal(key, static_cast<Key>(keys[i])); ++i) {
                    const Total next = op(total, in[i]);
                    out[i] = is_inclusive ? next : total;
                    total = next;
                }
            }
        },
        d_keys, d_in, d_out);
}

}  // namespace simt_parts

struct DeviceScan {
    template <typename Input, typename Output, typename NumItems>
    static cudaError_t ExclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                                    NumItems num_items, cudaStream_t stream = nullptr) {
        using Init = simt_parts::ValueOf<Input>;
        return simt_parts::scan<false, Init>("cub::DeviceScan::ExclusiveSum", d_temp_storage, temp_storage_bytes, d_in,
                                             d_out, num_items, cub::Sum(), Init{}, stream);
    }
    template <typename Iterator, typename NumItems,
              typename = std::enable_if_t<std::is_integral_v<NumItems> || std::is_enum_v<NumItems>>>
    static cudaError_t ExclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_data,
                                    NumItems num_items, cudaStream_t stream = nullptr) {
        return ExclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
    }

    template <typename Input, typename Output, typename ScanOp, typename Init, typename NumItems>
    static cudaError_t ExclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                                     ScanOp scan_op, Init init_value, NumItems num_items,
                                     cudaStream_t stream = nullptr) {
        return simt_parts::scan<false, Init>("cub::DeviceScan::ExclusiveScan", d_temp_storage, temp_storage_bytes, d_in,
                                             d_out, num_items, scan_op, init_value, stream);
    }
    template <typename Iterator, typename ScanOp, typename Init, typename NumItems,
              typename = std::enable_if_t<std::is_integral_v<NumItems>>>
    static cudaError_t ExclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_data, ScanOp scan_op,
                                     Init init_value, NumItems num_items, cudaStream_t stream = nullptr) {
        return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, init_value, num_items,
                             stream);
    }

    template <typename Input, typename Output, typename NumItems>
    static cudaError_t InclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                                    NumItems num_items, cudaStream_t stream = nullptr) {
        return simt_parts::scan<true, NullType>("cub::DeviceScan::InclusiveSum", d_temp_storage, temp_storage_bytes,
                                                d_in, d_out, num_items, cub::Sum(), NullType(), stream);
    }
    template <typename Iterator, typename NumItems, typename = std::enable_if_t<std::is_integral_v<NumItems>>>
    static cudaError_t InclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_data,
                                    NumItems num_items, cudaStream_t stream = nullptr) {
        return InclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
    }

    template <typename Input, typename Output, typename ScanOp, typename NumItems>
    static cudaError_t InclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                                     ScanOp scan_op, NumItems num_items, cudaStream_t stream = nullptr) {
        return simt_parts::scan<true, NullType>("cub::DeviceScan::InclusiveScan", d_temp_storage, temp_storage_bytes,
                                                d_in, d_out, num_items, scan_op, NullType(), stream);
    }
    template <typename Iterator, typename ScanOp, typename NumItems,
              typename = std::enable_if_t<std::is_integral_v<NumItems>>>
    static cudaError_t InclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, Iterator d_data, ScanOp scan_op,
                                     NumItems num_items, cudaStream_t stream = nullptr) {
        return InclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, num_items, stream);
    }
    template <typename Input, typename Output, typename ScanOp, typename Init, typename NumItems>
    static cudaError_t InclusiveScanInit(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                                         ScanOp scan_op, Init init_value, NumItems num_items,
                                         cudaStream_t stream = nullptr) {
        return simt_parts::scan<true, Init>("cub::DeviceScan::InclusiveScanInit", d_temp_storage, temp_storage_bytes,
                                            d_in, d_out, num_items, scan_op, init_value, stream);
    }

    template <typename Keys, typename Values, typename Output, typename Equal = Equality, typename NumItems>
    static cudaError_t ExclusiveSumByKey(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys_in,
                                         Values d_values_in, Output d_values_out, NumItems num_items,
                                         Equal equality_op = Equal(), cudaStream_t stream = nullptr) {
        return simt_parts::scan_by_key<false>("cub::DeviceScan::ExclusiveSumByKey", d_temp_storage, temp_storage_bytes,
                                              d_keys_in, d_values_in, d_values_out, num_items, cub::Sum(),
                                              simt_parts::ValueOf<Values>{}, equality_op, stream);
    }
    template <typename Keys, typename Values, typename Output, typename ScanOp, typename Init,
              typename Equal = Equality, typename NumItems>
    static cudaError_t ExclusiveScanByKey(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys_in,
                                          Values d_values_in, Output d_values_out, ScanOp scan_op, Init init_value,
                                          NumItems num_items, Equal equality_op = Equal(),
                                          cudaStream_t stream = nullptr) {
        return simt_parts::scan_by_key<false>("cub::DeviceScan::ExclusiveScanByKey", d_temp_storage, temp_storage_bytes,
                                              d_keys_in, d_values_in, d_values_out, num_items, scan_op, init_value,
                                              equality_op, stream);
    }
    template <typename Keys, typename Values, typename Output, typename Equal = Equality, typename NumItems>
    static cudaError_t InclusiveSumByKey(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys_in,
                                         Values d_values_in, Output d_values_out, NumItems num_items,
                                         Equal equality_op = Equal(), cudaStream_t stream = nullptr) {
        return simt_parts::scan_by_key<true>("cub::DeviceScan::InclusiveSumByKey", d_temp_storage, temp_storage_bytes,
                                             d_keys_in, d_values_in, d_values_out, num_items, cub::Sum(), NullType(),
                                             equality_op, stream);
    }
    template <typename Keys, typename Values, typename Output, typename ScanOp, typename Equal = Equality,
              typename NumItems>
    static cudaError_t InclusiveScanByKey(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys_in,
                                          Values d_values_in, Output d_values_out, ScanOp scan_op, NumItems num_items,
                                          Equal equality_op = Equal(), cudaStream_t stream = nullptr) {
        return simt_parts::scan_by_key<true>("cub::DeviceScan::InclusiveScanByKey", d_temp_storage, temp_storage_bytes,
                                             d_keys_in, d_values_in, d_values_out, num_items, scan_op, NullType(),
                                             equality_op, stream);
    }
};

CUB_NAMESPACE_CLOSE
