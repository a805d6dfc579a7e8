// SPDX-License-Identifier: MIT
// Sorts of numbers, each segment by itself. All are stable.
#pragma once

#include <cstdint>

#include "../../simt/cub_radix.hpp"

CUB_NAMESPACE_OPEN

struct DeviceSegmentedSort {
// The sorts of one order: of keys and of pairs, each from one array to another and between two buffers.
#define SIMT_SEGMENTED_SORTS(keys, pairs, descending)                                                                 \
    template <typename Key, typename Begins, typename Ends>                                                           \
    static cudaError_t keys(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in, Key* d_keys_out,  \
                            int64_t num_items, int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,      \
                            cudaStream_t stream = nullptr) {                                                          \
        return simt_parts::segmented_sort("cub::DeviceSegmentedSort::" #keys, d_temp_storage, temp_storage_bytes,     \
                                          d_keys_in, d_keys_out, static_cast<const NullType*>(nullptr),               \
                                          static_cast<NullType*>(nullptr), num_items, num_segments, d_begin_offsets,  \
                                          d_end_offsets, order_of<Key>(descending), stream);                          \
    }                                                                                                                 \
    template <typename Key, typename Begins, typename Ends>                                                           \
    static cudaError_t keys(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,              \
                            int64_t num_items, int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,      \
                            cudaStream_t stream = nullptr) {                                                          \
        DoubleBuffer<NullType> d_values;                                                                              \
        return simt_parts::segmented_sort("cub::DeviceSegmentedSort::" #keys, d_temp_storage, temp_storage_bytes,     \
                                          d_keys, d_values, num_items, num_segments, d_begin_offsets, d_end_offsets,  \
                                          order_of<Key>(descending), stream);                                         \
    }                                                                                                                 \
    template <typename Key, typename Value, typename Begins, typename Ends>                                           \
    static cudaError_t pairs(void* d_temp_storage, size_t& temp_storage_bytes, const Key* d_keys_in, Key* d_keys_out, \
                             const Value* d_values_in, Value* d_values_out, int64_t num_items, int64_t num_segments,  \
                             Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {             \
        return simt_parts::segmented_sort("cub::DeviceSegmentedSort::" #pairs, d_temp_storage, temp_storage_bytes,    \
                                          d_keys_in, d_keys_out, d_values_in, d_values_out, num_items, num_segments,  \
                                          d_begin_offsets, d_end_offsets, order_of<Key>(descending), stream);         \
    }                                                                                                                 \
    template <typename Key, typename Value, typename Begins, typename Ends>                                           \
    static cudaError_t pairs(void* d_temp_storage, size_t& temp_storage_bytes, DoubleBuffer<Key>& d_keys,             \
                             DoubleBuffer<Value>& d_values, int64_t num_items, int64_t num_segments,                  \
                             Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {             \
        return simt_parts::segmented_sort("cub::DeviceSegmentedSort::" #pairs, d_temp_storage, temp_storage_bytes,    \
                                          d_keys, d_values, num_items, num_segments, d_begin_offsets, d_end_offsets,  \
                                          order_of<Key>(descending), stream);                                         \
    }
    SIMT_SEGMENTED_SORTS(SortKeys, SortPairs, false)
    SIMT_SEGMENTED_SORTS(SortKeysDescending, SortPairsDescending, true)
    SIMT_SEGMENTED_SORTS(StableSortKeys, StableSortPairs, false)
    SIMT_SEGMENTED_SORTS(StableSortKeysDescending, StableSortPairsDescending, true)
#undef SIMT_SEGMENTED_SORTS

private:
    template <typename Key>
    static constexpr simt_parts::KeyOrder order_of(bool descending) {
        return {0, 8 * static_cast<int>(sizeof(Key)), descending};
    }
};

CUB_NAMESPACE_CLOSE
