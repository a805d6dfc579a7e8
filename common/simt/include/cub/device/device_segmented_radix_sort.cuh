// SPDX-License-Identifier: MIT
// Sorts of numbers by some of their bits, each segment by itself. All are stable.
#pragma once

#include <cstdint>

#include "../../simt/cub_radix.hpp"

CUB_NAMESPACE_OPEN

struct DeviceSegmentedRadixSort {
    template <typename Key, typename Value, typename Begins, typename Ends>
    static cudaError_t SortPairs(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in,
                                 Key* d_keys_out, const Value* d_values_in, Value* d_values_out, int64_t num_items,
                                 int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                                 int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
        return simt_parts::segmented_sort("cub::DeviceSegmentedRadixSort::SortPairs", d_temp_storage,
                                          temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                                          num_items, num_segments, d_begin_offsets, d_end_offsets,
                                          simt_parts::KeyOrder{begin_bit, end_bit, false}, stream);
    }
    template <typename Key, typename Value, typename Begins, typename Ends>
    static cudaError_t SortPairs(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,
                                 DoubleBuffer<Value>& d_values, int64_t num_items, int64_t num_segments,
                                 Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                                 int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
        return simt_parts::segmented_sort(
            "cub::DeviceSegmentedRadixSort::SortPairs", d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
            num_segments, d_begin_offsets, d_end_offsets, simt_parts::KeyOrder{begin_bit, end_bit, false}, stream);
    }
    template <typename Key, typename Value, typename Begins, typename Ends>
    static cudaError_t SortPairsDescending(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in,
                                           Key* d_keys_out, const Value* d_values_in, Value* d_values_out,
                                           int64_t num_items, int64_t num_segments, Begins d_begin_offsets,
                                           Ends d_end_offsets, int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                           cudaStream_t stream = nullptr) {
        return simt_parts::segmented_sort("cub::DeviceSegmentedRadixSort::SortPairsDescending", d_temp_storage,
                                          temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                                          num_items, num_segments, d_begin_offsets, d_end_offsets,
                                          simt_parts::KeyOrder{begin_bit, end_bit, true}, stream);
    }
    template <typename Key, typename Value, typename Begins, typename Ends>
    static cudaError_t SortPairsDescending(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,
                                           DoubleBuffer<Value>& d_values, int64_t num_items, int64_t num_segments,
                                           Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                                           int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
        return simt_parts::segmented_sort("cub::DeviceSegmentedRadixSort::SortPairsDescending", d_temp_storage,
                                          temp_storage_bytes, d_keys, d_values, num_items, num_segments,
                                          d_begin_offsets, d_end_offsets,
                                          simt_parts::KeyOrder{begin_bit, end_bit, true}, stream);
    }
    template <typename Key, typename Begins, typename Ends>
    static cudaError_t SortKeys(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in, Key* d_keys_out,
                                int64_t num_items, int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                int begin_bit = 0, int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
        return simt_parts::segmented_sort("cub::DeviceSegmentedRadixSort::SortKeys", d_temp_storage, temp_storage_bytes,
                                          d_keys_in, d_keys_out, static_cast<const NullType*>(nullptr),
                                          static_cast<NullType*>(nullptr), num_items, num_segments, d_begin_offsets,
                                          d_end_offsets, simt_parts::KeyOrder{begin_bit, end_bit, false}, stream);
    }
    template <typename Key, typename Begins, typename Ends>
    static cudaError_t SortKeys(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,
                                int64_t num_items, int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                int begin_bit = 0, int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
        DoubleBuffer<NullType> d_values;
        return simt_parts::segmented_sort("cub::DeviceSegmentedRadixSort::SortKeys", d_temp_storage, temp_storage_bytes,
                                          d_keys, d_values, num_items, num_segments, d_begin_offsets, d_end_offsets,
                                          simt_parts::KeyOrder{begin_bit, end_bit, false}, stream);
    }
    template <typename Key, typename Begins, typename Ends>
    static cudaError_t SortKeysDescending(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in,
                                          Key* d_keys_out, int64_t num_items, int64_t num_segments,
                                          Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                                          int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr) {
        return simt_parts::segmented_sort(
            "cub::DeviceSegmentedRadixSort::SortKeysDescending", d_temp_storage, temp_storage_bytes, d_keys_in,
            d_keys_out, static_cast<const NullType*>(nullptr), static_cast<NullType*>(nullptr), num_items, num_segments,
            d_begin_offsets, d_end_offsets, simt_parts::KeyOrder{begin_bit, end_bit, true}, stream);
    }
    template <typename Key, typename Begins, typename Ends>
    static cudaError_t SortKeysDescending(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,
                                          int64_t num_items, int64_t num_segments, Begins d_begin_offsets,
                                          Ends d_end_offsets, int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                          cudaStream_t stream = nullptr) {
        DoubleBuffer<NullType> d_values;
        return simt_parts::segmented_sort("cub::DeviceSegmentedRadixSort::SortKeysDescending", d_temp_storage,
                                          temp_storage_bytes, d_keys, d_values, num_items, num_segments,
                                          d_begin_offsets, d_end_offsets,
                                          simt_parts::KeyOrder{begin_bit, end_bit, true}, stream);
    }
};

CUB_NAMESPACE_CLOSE
