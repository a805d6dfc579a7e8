// SPDX-License-Identifier: MIT
// The merger of two sorted lists. Equal items of the first come first.
#pragma once

#include <cstdint>

#include "../../simt/cub_device.hpp"
#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

struct DeviceMerge {
    struct Less {
        template <typename T, typename U>
        constexpr bool operator()(const T& a, const U& b) const {
            return a < b;
        }
    };

    template <typename Keys1, typename Keys2, typename KeysOut, typename Compare = Less>
    static cudaError_t MergeKeys(void* d_temp_storage, size_t& temp_storage_bytes, Keys1 keys_in1, int64_t num_keys1,
                                 Keys2 keys_in2, int64_t num_keys2, KeysOut keys_out, Compare compare_op = {},
                                 cudaStream_t stream = nullptr) {
        NullType* const none = nullptr;
        return merge<false>(d_temp_storage, temp_storage_bytes, keys_in1, none, num_keys1, keys_in2, none, num_keys2,
                            keys_out, none, compare_op, stream);
    }
    template <typename Keys1, typename Values1, typename Keys2, typename Values2, typename KeysOut, typename ValuesOut,
              typename Compare = Less>
    static cudaError_t MergePairs(void* d_temp_storage, size_t& temp_storage_bytes, Keys1 keys_in1, Values1 values_in1,
                                  int64_t num_pairs1, Keys2 keys_in2, Values2 values_in2, int64_t num_pairs2,
                                  KeysOut keys_out, ValuesOut values_out, Compare compare_op = {},
                                  cudaStream_t stream = nullptr) {
        return merge<true>(d_temp_storage, temp_storage_bytes, keys_in1, values_in1, num_pairs1, keys_in2, values_in2,
                           num_pairs2, keys_out, values_out, compare_op, stream);
    }

private:
    template <bool has_values, typename Keys1, typename Values1, typename Keys2, typename Values2, typename KeysOut,
              typename ValuesOut, typename Compare>
    static cudaError_t merge(void* d_temp_storage, size_t& temp_storage_bytes, Keys1 keys1, Values1 values1,
                             int64_t count1, Keys2 keys2, Values2 values2, int64_t count2, KeysOut keys_out,
                             ValuesOut values_out, Compare compare, cudaStream_t stream) {
        simt_parts::TemporaryStorage storage(d_temp_storage);
        cudaError_t error;
        if (simt_parts::is_settled(storage, temp_storage_bytes, error)) return error;
        return simt_parts::run_once(
            "cub::DeviceMerge", stream,
            [count1, count2, compare](auto k1, auto v1, auto k2, auto v2, auto out, auto v_out) mutable {
                for (int64_t i = 0, a = 0, b = 0; i < count1 + count2; ++i) {
                    const bool takes_first = a < count1 && (b == count2 || !compare(k2[b], k1[a]));
                    if (takes_first) {
                        out[i] = k1[a];
                        if constexpr (has_values) v_out[i] = v1[a];
                        ++a;
                    } else {
                        out[i] = k2[b];
                        if constexpr (has_values) v_out[i] = v2[b];
                        ++b;
                    }
                }
            },
            keys1, values1, keys2, values2, keys_out, values_out);
    }
};

CUB_NAMESPACE_CLOSE
