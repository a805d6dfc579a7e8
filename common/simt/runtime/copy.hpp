// SPDX-License-Identifier: MIT
// Copies and fills of up to three dimensions: one description for all of the API's forms.
#pragma once

#include <cstddef>

#include "common/simt/include/driver_types.h"
#include "common/simt/runtime/graph.hpp"

namespace simt {

/// `width` bytes of each row, `height` rows of each slice, `depth` slices. Pitches and slices are distances in bytes.
struct BlockCopy {
    void* to = nullptr;
    size_t to_pitch = 0, to_slice = 0;
    const void* from = nullptr;
    size_t from_pitch = 0, from_slice = 0;
    size_t width = 0, height = 1, depth = 1;

    /// What a node of a graph returns, if the request had this form: only there are CUDA's arrays named.
    const cudaMemcpy3DParms* request = nullptr;

    bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

struct BlockFill {
    void* to = nullptr;
    size_t pitch = 0, slice = 0;
    size_t width = 0, height = 1, depth = 1;  ///< width in bytes
    unsigned value = 0;
    unsigned element_bytes = 1;  ///< 1, 2 or 4: how much of `value` repeats
};

/// cudaErrorInvalidValue if a pointer is null, on the wrong side for `kind`, or its range leaves its allocation;
/// cudaErrorInvalidPitchValue if rows overlap; cudaErrorInvalidMemcpyDirection if `kind` is not one of CUDA's.
cudaError_t validate(const BlockCopy& copy, cudaMemcpyKind kind);
cudaError_t validate(const BlockFill& fill);

Work copy_work(const BlockCopy& copy);
Work fill_work(const BlockFill& fill);

/// The parameters of a node that does this.
NodeParameters parameters_of(const BlockCopy& copy, cudaMemcpyKind kind);
NodeParameters parameters_of(const BlockFill& fill);

/// Whether the copy goes from pageable host memory to the device. CUDA returns from such a copy, even from cudaMemcpy,
/// when it has read the source. The copy may then be in flight, which matters only to streams that are not ordered
/// after it.
bool is_staged(const BlockCopy& copy);

/// Validates the copy and submits it to the stream. Returns when it is done unless `asynchronous`. Even then, a copy
/// that involves pageable host memory is done (or, up to 64 KiB to the device, its source read) before the call
/// returns. The program may not assume that a staged copy is done, only that the work before a synchronous one is.
cudaError_t start_copy(const BlockCopy& copy, cudaMemcpyKind kind, const void* stream, bool asynchronous);
cudaError_t start_fill(const BlockFill& fill, const void* stream, bool asynchronous);

}  // namespace simt
