// SPDX-License-Identifier: MIT
// Asynchronous copies into shared memory: the C++ form of CUDA 11, over cuda_pipeline_primitives.h.
#pragma once

#include "cuda_pipeline_primitives.h"

namespace nvcuda::experimental {
inline namespace SIMT_FLAVOR {

class pipeline {
public:
    pipeline() = default;
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    SIMT_INLINE size_t commit() {
        __pipeline_commit();
        return committed_++;
    }
    SIMT_INLINE void commit_and_wait() { wait(commit()); }
    /// Waits until this group and all before it are done.
    SIMT_INLINE void wait(size_t group) { __pipeline_wait_prior(committed_ - group - 1); }
    template <unsigned groups>
    SIMT_INLINE void wait_prior() {
        __pipeline_wait_prior(groups);
    }

private:
    size_t committed_ = 0;
};

template <typename T>
SIMT_INLINE void memcpy_async(T& target, const T& source, pipeline&) {
    __pipeline_memcpy_async(&target, &source, sizeof(T));
}

}  // namespace SIMT_FLAVOR
}  // namespace nvcuda::experimental
