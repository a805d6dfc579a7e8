// SPDX-License-Identifier: MIT
// Radix sorts, digit by digit from the lowest: the items with each digit keep their order.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../cub/util_type.cuh"
#include "cub_device.hpp"

CUB_NAMESPACE_OPEN
namespace simt_parts {

constexpr int digit_bits = 8, digits = 1 << digit_bits;

template <typename Value>
constexpr bool is_none = std::is_same_v<Value, NullType>;

/// Which of a key's bits count, and how.
struct KeyOrder {
    int begin_bit, end_bit;
    bool descending;

    int passes() const { return end_bit > begin_bit ? (end_bit - begin_bit + digit_bits - 1) / digit_bits : 0; }
    template <typename Key>
    SIMT_INLINE int digit(const Key& key, int pass) const {
        const int first = begin_bit + pass * digit_bits, last = first + digit_bits;
        return static_cast<int>(ordered_bits(key, first, last < end_bit ? last : end_bit, descending));
    }
    template <typename Key>
    SIMT_INLINE bool is_less(const Key& a, const Key& b) const {
        return ordered_bits(a, begin_bit, end_bit, descending) < ordered_bits(b, begin_bit, end_bit, descending);
    }
};

/// One pass: `from` to `to` by the digit. counts has digits * chunks.count places.
template <typename Key, typename Value>
cudaError_t sort_by_digit(const char* name, const Chunks& chunks, KeyOrder order, int pass, int64_t* counts,
                          const Key* keys_from, Key* keys_to, const Value* values_from, Value* values_to,
                          cudaStream_t stream) {
    cudaError_t error = run_chunks(
        name, chunks.count, stream,
        [chunks, order, pass](unsigned chunk, const Key* keys, int64_t* to) {
            int64_t own[digits] = {};
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) ++own[order.digit(keys[i], pass)];
            for (int digit = 0; digit < digits; ++digit) to[digit * chunks.count + chunk] = own[digit];
        },
        keys_from, counts);
    if (error != cudaSuccess) return error;
    error = run_once(
        name, stream,
        [chunks](int64_t* places) {
            int64_t total = 0;
            for (unsigned i = 0; i < digits * chunks.count; ++i) {
                const int64_t count = places[i];
                places[i] = total;
                total += count;
            }
        },
        counts);
    if (error != cudaSuccess) return error;
    return run_chunks(
        name, chunks.count, stream,
        [chunks, order, pass](unsigned chunk, int64_t* places, const Key* keys, Key* to, const Value* values,
                              Value* values_out) {
            int64_t own[digits];
            for (int digit = 0; digit < digits; ++digit) own[digit] = places[digit * chunks.count + chunk];
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                const int64_t place = own[order.digit(keys[i], pass)]++;
                to[place] = keys[i];
                if constexpr (!is_none<Value>) values_out[place] = values[i];
            }
        },
        counts, keys_from, keys_to, values_from, values_to);
}

/// Sorts from `in` to `out`, and leaves `in` as it is.
template <typename Key, typename Value>
cudaError_t radix_sort(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, const Key* keys_in,
                       Key* keys_out, const Value* values_in, Value* values_out, int64_t n, KeyOrder order,
                       cudaStream_t stream) {
    const Chunks chunks(n);
    TemporaryStorage storage(d_temp_storage);
    int64_t* const counts = storage.take<int64_t>(size_t(digits) * chunks.count);
    Key* const other_keys = storage.take<Key>(static_cast<size_t>(chunks.items));
    Value* const other_values = storage.take<Value>(is_none<Value> ? 0 : static_cast<size_t>(chunks.items));
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error) || n <= 0) return error;
    const int passes = order.passes();
    if (passes == 0) {
        return run_chunks(
            name, chunks.count, stream,
            [chunks](unsigned chunk, const Key* keys, Key* to, const Value* values, Value* values_to) {
                for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                    to[i] = keys[i];
                    if constexpr (!is_none<Value>) values_to[i] = values[i];
                }
            },
            keys_in, keys_out, values_in, values_out);
    }
    for (int pass = 0; pass < passes && error == cudaSuccess; ++pass) {
        const bool to_out = (passes - pass) % 2 == 1;
        error = sort_by_digit(name, chunks, order, pass, counts,
                              pass == 0 ? keys_in
                              : to_out  ? other_keys
                                        : keys_out,
                              to_out ? keys_out : other_keys,
                              pass == 0 ? values_in
                              : to_out  ? other_values
                                        : values_out,
                              to_out ? values_out : other_values, stream);
    }
    return error;
}

/// Sorts in two buffers, whose selectors then name the result.
template <typename Key, typename Value>
cudaError_t radix_sort(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& keys,
                       DoubleBuffer<Value>& values, int64_t n, KeyOrder order, cudaStream_t stream) {
    const Chunks chunks(n);
    TemporaryStorage storage(d_temp_storage);
    int64_t* const counts = storage.take<int64_t>(size_t(digits) * chunks.count);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error) || n <= 0) return error;
    for (int pass = 0; pass < order.passes() && error == cudaSuccess; ++pass) {
        error = sort_by_digit(name, chunks, order, pass, counts, keys.Current(), keys.Alternate(), values.Current(),
                              values.Alternate(), stream);
        keys.selector ^= 1;
        values.selector ^= 1;
    }
    return error;
}

// ---- segments

/// One thread sorts a segment of `count` items from `keys` to `out`, with `other` for the passes between.
template <typename Key, typename Value>
SIMT_INLINE void sort_segment(int64_t count, const KeyOrder& order, const Key* keys, Key* out, Key* other,
                              const Value* values, Value* values_out, Value* other_values) {
    constexpr int64_t few = 64;
    const int passes = order.passes();
    if (count <= few || passes == 0) {
        for (int64_t i = 0; i < count; ++i) {
            const Key key = keys[i];
            int64_t k = i;
            for (; passes > 0 && k > 0 && order.is_less(key, out[k - 1]); --k) {
                out[k] = out[k - 1];
                if constexpr (!is_none<Value>) values_out[k] = values_out[k - 1];
            }
            out[k] = key;
            if constexpr (!is_none<Value>) values_out[k] = values[i];
        }
        return;
    }
    for (int pass = 0; pass < passes; ++pass) {
        const bool to_out = (passes - pass) % 2 == 1;
        const Key* const from = pass == 0 ? keys : to_out ? other : out;
        Key* const to = to_out ? out : other;
        const Value* const values_from = pass == 0 ? values : to_out ? other_values : values_out;
        Value* const values_to = to_out ? values_out : other_values;
        int64_t places[digits] = {};
        for (int64_t i = 0; i < count; ++i) ++places[order.digit(from[i], pass)];
        int64_t total = 0;
        for (int digit = 0; digit < digits; ++digit) {
            const int64_t own = places[digit];
            places[digit] = total;
            total += own;
        }
        for (int64_t i = 0; i < count; ++i) {
            const int64_t place = places[order.digit(from[i], pass)]++;
            to[place] = from[i];
            if constexpr (!is_none<Value>) values_to[place] = values_from[i];
        }
    }
}

template <typename Key, typename Value, typename Begins, typename Ends>
cudaError_t segmented_sort(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, const Key* keys_in,
                           Key* keys_out, const Value* values_in, Value* values_out, int64_t n, int64_t segments,
                           Begins d_begin_offsets, Ends d_end_offsets, KeyOrder order, cudaStream_t stream) {
    TemporaryStorage storage(d_temp_storage);
    Key* const other_keys = storage.take<Key>(static_cast<size_t>(n));
    Value* const other_values = storage.take<Value>(is_none<Value> ? 0 : static_cast<size_t>(n));
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error) || n <= 0 || segments <= 0) return error;
    const Chunks chunks(segments, 1);
    return run_chunks(
        name, chunks.count, stream,
        [chunks, order](unsigned chunk, auto begins, auto ends, const Key* keys, Key* out, Key* other,
                        const Value* values, Value* values_to, Value* others) {
            for (int64_t segment = chunks.begin(chunk); segment < chunks.end(chunk); ++segment) {
                const int64_t first = begins[segment], count = ends[segment] - first;
                if (count <= 0) continue;
                if constexpr (is_none<Value>) {
                    sort_segment(count, order, keys + first, out + first, other + first, values, values_to, others);
                } else {
                    sort_segment(count, order, keys + first, out + first, other + first, values + first,
                                 values_to + first, others + first);
                }
            }
        },
        d_begin_offsets, d_end_offsets, keys_in, keys_out, other_keys, values_in, values_out, other_values);
}

template <typename Key, typename Value, typename Begins, typename Ends>
cudaError_t segmented_sort(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& keys,
                           DoubleBuffer<Value>& values, int64_t n, int64_t segments, Begins d_begin_offsets,
                           Ends d_end_offsets, KeyOrder order, cudaStream_t stream) {
    const cudaError_t error =
        segmented_sort(name, d_temp_storage, temp_storage_bytes, static_cast<const Key*>(keys.Current()),
                       keys.Alternate(), static_cast<const Value*>(values.Current()), values.Alternate(), n, segments,
                       d_begin_offsets, d_end_offsets, order, stream);
    if (d_temp_storage && error == cudaSuccess && n > 0) {
        keys.selector ^= 1;
        values.selector ^= 1;
    }
    return error;
}

}  // namespace simt_parts
CUB_NAMESPACE_CLOSE
