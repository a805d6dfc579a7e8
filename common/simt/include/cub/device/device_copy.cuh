// SPDX-License-Identifier: MIT
// Copies of many ranges. d_temp_storage is not used.
#pragma once

#include <cstdint>

#include "../../simt/cub_device.hpp"

CUB_NAMESPACE_OPEN

struct DeviceCopy {
    template <typename Inputs, typename Outputs, typename Sizes>
    static cudaError_t Batched(void* d_temp_storage, size_t& temp_storage_bytes, Inputs input_it, Outputs output_it,
                               Sizes sizes, int64_t num_ranges, cudaStream_t stream = nullptr) {
        simt_parts::TemporaryStorage storage(d_temp_storage);
        cudaError_t error;
        if (simt_parts::is_settled(storage, temp_storage_bytes, error) || num_ranges <= 0) return error;
        const simt_parts::Chunks chunks(num_ranges, 1);
        return simt_parts::run_chunks(
            "cub::DeviceCopy::Batched", chunks.count, stream,
            [chunks](unsigned chunk, auto in, auto out, auto counts) {
                for (int64_t range = chunks.begin(chunk); range < chunks.end(chunk); ++range) {
                    auto from = in[range];
                    auto to = out[range];
                    const int64_t count = counts[range];
                    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
                }
            },
            input_it, output_it, sizes);
    }
};

CUB_NAMESPACE_CLOSE
