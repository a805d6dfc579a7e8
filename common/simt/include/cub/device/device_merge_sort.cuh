// SPDX-License-Identifier: MIT
// Sorts by a comparison. All are stable.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../simt/cub_device.hpp"
#include "../util_type.cuh"

CUB_NAMESPACE_OPEN
namespace simt_parts {

/// Each chunk sorts its indices; then, one after the other, pairs of sorted runs are merged.
template <typename Keys, typename Items, typename KeysOut, typename ItemsOut, typename Compare>
cudaError_t merge_sort(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys, Items d_items,
                       KeysOut d_keys_out, ItemsOut d_items_out, int64_t n, Compare compare, cudaStream_t stream) {
    using Key = ValueOf<Keys>;
    using Item = ValueOf<Items>;
    constexpr bool has_items = !std::is_same_v<Item, NullType>;
    const size_t count = n > 0 ? static_cast<size_t>(n) : 0;
    TemporaryStorage storage(d_temp_storage);
    int64_t* const order = storage.take<int64_t>(count);
    int64_t* const other = storage.take<int64_t>(count);
    Key* const keys = storage.take<Key>(count);
    Item* const items = storage.take<Item>(has_items ? count : 0);
    cudaError_t error;
    if (is_settled(storage, temp_storage_bytes, error) || n <= 0) return error;
    const Chunks chunks(n);
    error = run_chunks(
        name, chunks.count, stream,
        [chunks](unsigned chunk, auto in, auto items_in, Key* to, Item* items_to, int64_t* indices) {
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                new (static_cast<void*>(to + i)) Key(in[i]);
                if constexpr (has_items) new (static_cast<void*>(items_to + i)) Item(items_in[i]);
                indices[i] = i;
            }
        },
        d_keys, d_items, keys, items, order);
    int64_t *from = order, *to = other;
    for (int64_t width = 1; width < n && error == cudaSuccess; width *= 2) {
        const Chunks pairs((n + 2 * width - 1) / (2 * width), width < Chunks::least_items ? 256 : 1);
        error = run_chunks(
            name, pairs.count, stream,
            [pairs, width, n, compare](unsigned chunk, const Key* in, const int64_t* sorted, int64_t* merged) mutable {
                for (int64_t pair = pairs.begin(chunk); pair < pairs.end(chunk); ++pair) {
                    const int64_t begin = pair * 2 * width, middle = begin + width < n ? begin + width : n,
                                  end = middle + width < n ? middle + width : n;
                    for (int64_t at = begin, left = begin, right = middle; at < end; ++at) {
                        const bool takes_left =
                            left < middle && (right == end || !compare(in[sorted[right]], in[sorted[left]]));
                        merged[at] = sorted[takes_left ? left++ : right++];
                    }
                }
            },
            keys, from, to);
        int64_t* const swapped = from;
        from = to;
        to = swapped;
    }
    if (error != cudaSuccess) return error;
    return run_chunks(
        name, chunks.count, stream,
        [chunks](unsigned chunk, const Key* in, const Item* items_in, const int64_t* sorted, auto out, auto items_out) {
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                out[i] = in[sorted[i]];
                if constexpr (has_items) items_out[i] = items_in[sorted[i]];
            }
        },
        keys, items, from, d_keys_out, d_items_out);
}

}  // namespace simt_parts

struct DeviceMergeSort {
    template <typename Keys, typename Values, typename Compare>
    static cudaError_t SortPairs(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys, Values d_items,
                                 int64_t num_items, Compare compare_op, cudaStream_t stream = nullptr) {
        return SortPairsCopy(d_temp_storage, temp_storage_bytes, d_keys, d_items, d_keys, d_items, num_items,
                             compare_op, stream);
    }
    template <typename Keys, typename Values, typename Compare>
    static cudaError_t StableSortPairs(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys, Values d_items,
                                       int64_t num_items, Compare compare_op, cudaStream_t stream = nullptr) {
        return SortPairs(d_temp_storage, temp_storage_bytes, d_keys, d_items, num_items, compare_op, stream);
    }
    template <typename KeysIn, typename ValuesIn, typename Keys, typename Values, typename Compare>
    static cudaError_t SortPairsCopy(void* d_temp_storage, size_t& temp_storage_bytes, KeysIn d_input_keys,
                                     ValuesIn d_input_items, Keys d_output_keys, Values d_output_items,
                                     int64_t num_items, Compare compare_op, cudaStream_t stream = nullptr) {
        return simt_parts::merge_sort("cub::DeviceMergeSort::SortPairs", d_temp_storage, temp_storage_bytes,
                                      d_input_keys, d_input_items, d_output_keys, d_output_items, num_items, compare_op,
                                      stream);
    }
    template <typename Keys, typename Compare>
    static cudaError_t SortKeys(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys, int64_t num_items,
                                Compare compare_op, cudaStream_t stream = nullptr) {
        return SortKeysCopy(d_temp_storage, temp_storage_bytes, d_keys, d_keys, num_items, compare_op, stream);
    }
    template <typename Keys, typename Compare>
    static cudaError_t StableSortKeys(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys, int64_t num_items,
                                      Compare compare_op, cudaStream_t stream = nullptr) {
        return SortKeysCopy(d_temp_storage, temp_storage_bytes, d_keys, d_keys, num_items, compare_op, stream);
    }
    template <typename KeysIn, typename Keys, typename Compare>
    static cudaError_t SortKeysCopy(void* d_temp_storage, size_t& temp_storage_bytes, KeysIn d_input_keys,
                                    Keys d_output_keys, int64_t num_items, Compare compare_op,
                                    cudaStream_t stream = nullptr) {
        NullType* const none = nullptr;
        return simt_parts::merge_sort("cub::DeviceMergeSort::SortKeys", d_temp_storage, temp_storage_bytes,
                                      d_input_keys, none, d_output_keys, none, num_items, compare_op, stream);
    }
    template <typename KeysIn, typename Keys, typename Compare>
    static cudaError_t StableSortKeysCopy(void* d_temp_storage, size_t& temp_storage_bytes, KeysIn d_input_keys,
                                          Keys d_output_keys, int64_t num_items, Compare compare_op,
                                          cudaStream_t stream = nullptr) {
        return SortKeysCopy(d_temp_storage, temp_storage_bytes, d_input_keys, d_output_keys, num_items, compare_op,
                            stream);
    }
};

CUB_NAMESPACE_CLOSE
