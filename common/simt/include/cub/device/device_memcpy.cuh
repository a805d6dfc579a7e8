// SPDX-License-Identifier: MIT
// Copies of many buffers. d_temp_storage is not used.
#pragma once

#include <cstdint>

#include "../../simt/cub_device.hpp"

CUB_NAMESPACE_OPEN

struct DeviceMemcpy {
    /// Sizes are in bytes.
    template <typename Inputs, typename Outputs, typename Sizes>
    static cudaError_t Batched(void* d_temp_storage, size_t& temp_storage_bytes, Inputs input_buffer_it,
                               Outputs output_buffer_it, Sizes buffer_sizes, int64_t num_buffers,
                               cudaStream_t stream = nullptr) {
        simt_parts::TemporaryStorage storage(d_temp_storage);
        cudaError_t error;
        if (simt_parts::is_settled(storage, temp_storage_bytes, error) || num_buffers <= 0) return error;
        const simt_parts::Chunks chunks(num_buffers, 1);
        return simt_parts::run_chunks(
            "cub::DeviceMemcpy::Batched", chunks.count, stream,
            [chunks](unsigned chunk, auto in, auto out, auto sizes) {
                for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
                    memcpy(static_cast<void*>(out[i]), static_cast<const void*>(in[i]), static_cast<size_t>(sizes[i]));
            },
            input_buffer_it, output_buffer_it, buffer_sizes);
    }
};

CUB_NAMESPACE_CLOSE
