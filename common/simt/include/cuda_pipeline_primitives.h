// SPDX-License-Identifier: MIT
// Asynchronous copies into shared memory, in C: start, commit a group, wait for all but the newest groups.
#pragma once

#include "cuda_runtime.h"
#include "simt/async_copy.hpp"

/// Copies 4, 8 or 16 bytes; the last `zeros` of them are written as zero without being read.
SIMT_INLINE void __pipeline_memcpy_async(void* target, const void* source, size_t bytes, size_t zeros = 0) {
    ::simt::start_copy(::simt::thread_rank(), {target, source, bytes, zeros});
}

SIMT_INLINE void __pipeline_commit() { ::simt::commit_copies(::simt::thread_rank()); }

SIMT_INLINE void __pipeline_wait_prior(size_t groups) { ::simt::finish_copies(static_cast<unsigned>(groups)); }
