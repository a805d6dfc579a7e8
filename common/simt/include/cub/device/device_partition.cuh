// SPDX-License-Identifier: MIT
// What is selected comes first, in its order; the rest follows from the end, in reverse.
#pragma once

#include <cstdint>

#include "device_select.cuh"

CUB_NAMESPACE_OPEN

struct DevicePartition {
    template <typename Input, typename Flags, typename Output, typename NumSelected, typename NumItems>
    static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Flags d_flags,
                               Output d_out, NumSelected d_num_selected_out, NumItems num_items,
                               cudaStream_t stream = nullptr) {
        return simt_parts::select(
            "cub::DevicePartition::Flagged", d_temp_storage, temp_storage_bytes, num_items, false,
            [](int64_t i, auto, auto flags, auto) { return static_cast<bool>(flags[i]); },
            [num_items](int64_t i, bool takes, int64_t place, auto in, auto, auto out) {
                out[takes ? place : static_cast<int64_t>(num_items) - 1 - place] = in[i];
            },
            d_num_selected_out, stream, d_in, d_flags, d_out);
    }

    template <typename Input, typename Output, typename NumSelected, typename SelectOp, typename NumItems>
    static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Output d_out,
                          NumSelected d_num_selected_out, NumItems num_items, SelectOp select_op,
                          cudaStream_t stream = nullptr) {
        return simt_parts::select(
            "cub::DevicePartition::If", d_temp_storage, temp_storage_bytes, num_items, false,
            [select_op](int64_t i, auto in, auto) mutable { return static_cast<bool>(select_op(in[i])); },
            [num_items](int64_t i, bool takes, int64_t place, auto in, auto out) {
                out[takes ? place : static_cast<int64_t>(num_items) - 1 - place] = in[i];
            },
            d_num_selected_out, stream, d_in, d_out);
    }

    /// Three parts, each in its order; d_num_selected_out[0] and [1] are the lengths of the first two.
    template <typename Input, typename First, typename Second, typename Unselected, typename NumSelected,
              typename SelectFirst, typename SelectSecond, typename NumItems>
    static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, First d_first_part_out,
                          Second d_second_part_out, Unselected d_unselected_out, NumSelected d_num_selected_out,
                          NumItems num_items, SelectFirst select_first_part_op, SelectSecond select_second_part_op,
                          cudaStream_t stream = nullptr) {
        simt_parts::TemporaryStorage storage(d_temp_storage);
        cudaError_t error;
        if (simt_parts::is_settled(storage, temp_storage_bytes, error)) return error;
        return simt_parts::run_once(
            "cub::DevicePartition::If", stream,
            [num_items, select_first_part_op, select_second_part_op](auto in, auto first, auto second, auto rest,
                                                                     auto counts) mutable {
                NumItems firsts = 0, seconds = 0, others = 0;
                for (NumItems i = 0; i < num_items; ++i) {
                    const simt_parts::ValueOf<Input> value = in[i];
                    if (select_first_part_op(value)) {
                        first[firsts++] = value;
                    } else if (select_second_part_op(value)) {
                        second[seconds++] = value;
                    } else {
                        rest[others++] = value;
                    }
                }
                counts[0] = firsts;
                counts[1] = seconds;
            },
            d_in, d_first_part_out, d_second_part_out, d_unselected_out, d_num_selected_out);
    }
};

CUB_NAMESPACE_CLOSE
