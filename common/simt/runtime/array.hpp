// SPDX-License-Identifier: MIT
// CUDA arrays: opaque blocks of up to three dimensions, here stored in row-major order.
#pragma once

#include <memory>

#include "common/simt/include/texture_types.h"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/handle_table.hpp"

/// The target of a cudaArray_t.
struct cudaArray {
    cudaChannelFormatDesc format = {};
    cudaExtent extent = {};  ///< elements; height or depth 0: the array has fewer dimensions
    unsigned flags = 0;
    size_t element_bytes = 0;
    char* data = nullptr;  ///< device memory

    size_t rows() const { return extent.height ? extent.height : 1; }
    size_t slices() const { return extent.depth ? extent.depth : 1; }
    size_t pitch() const { return extent.width * element_bytes; }
    size_t slice() const { return pitch() * rows(); }
};

namespace simt {

HandleTable<cudaArray>& arrays();

/// The array behind a handle, or null.
std::shared_ptr<cudaArray> find_array(const cudaArray* handle);

/// The bytes of one element of this format, 1 to 16; 0 if the channels are no valid format.
size_t element_bytes(const cudaChannelFormatDesc& format);

/// Turns cudaMemcpy3D's parameters, a mix of elements and bytes, into a copy of bytes. If an array takes part, they
/// also determine the kind of copy.
cudaError_t block_copy(const cudaMemcpy3DParms& parameters, BlockCopy& copy, cudaMemcpyKind& kind);

}  // namespace simt
