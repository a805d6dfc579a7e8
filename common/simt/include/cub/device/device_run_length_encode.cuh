// SPDX-License-Identifier: MIT
// Runs of equal items.
#pragma once

#include "../../simt/cub_device.hpp"
#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

struct DeviceRunLengthEncode {
    template <typename Input, typename Unique, typename Lengths, typename NumRuns>
    static cudaError_t Encode(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in, Unique d_unique_out,
                              Lengths d_counts_out, NumRuns d_num_runs_out, int num_items,
                              cudaStream_t stream = nullptr) {
        return runs(
            "cub::DeviceRunLengthEncode::Encode", d_temp_storage, temp_storage_bytes, num_items, stream,
            [](int first, int length, int& count, auto in, auto unique, auto lengths) {
                unique[count] = in[first];
                lengths[count++] = length;
            },
            d_num_runs_out, d_in, d_unique_out, d_counts_out);
    }

    /// Only runs of two items and more.
    template <typename Input, typename Offsets, typename Lengths, typename NumRuns>
    static cudaError_t NonTrivialRuns(void* d_temp_storage, size_t& temp_storage_bytes, Input d_in,
                                      Offsets d_offsets_out, Lengths d_lengths_out, NumRuns d_num_runs_out,
                                      int num_items, cudaStream_t stream = nullptr) {
        return runs(
            "cub::DeviceRunLengthEncode::NonTrivialRuns", d_temp_storage, temp_storage_bytes, num_items, stream,
            [](int first, int length, int& count, auto, auto offsets, auto lengths) {
                if (length < 2) return;
                offsets[count] = first;
                lengths[count++] = length;
            },
            d_num_runs_out, d_in, d_offsets_out, d_lengths_out);
    }

private:
    template <typename Put, typename NumRuns, typename Input, typename... Outputs>
    static cudaError_t runs(const char* name, void* d_temp_storage, size_t& temp_storage_bytes, int n,
                            cudaStream_t stream, Put put, NumRuns d_num_runs_out, Input d_in, Outputs... outputs) {
        simt_parts::TemporaryStorage storage(d_temp_storage);
        cudaError_t error;
        if (simt_parts::is_settled(storage, temp_storage_bytes, error)) return error;
        return simt_parts::run_once(
            name, stream,
            [n, put](auto num_runs, auto in, auto... out) {
                int count = 0;
                for (int first = 0; first < n;) {
                    int end = first + 1;
                    while (end < n && in[first] == in[end]) ++end;
                    put(first, end - first, count, in, out...);
                    first = end;
                }
                *num_runs = count;
            },
            d_num_runs_out, d_in, outputs...);
    }
};

CUB_NAMESPACE_CLOSE
