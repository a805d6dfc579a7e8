// SPDX-License-Identifier: MIT
#pragma once
// The arguments of every launch of a vector addition.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// c[i] = a[i] + b[i] for n elements, on `stream`. The arrays are aligned as T is, not more, and do not overlap.
/// block_size: 1 to 1024, used as given except by kernels that say otherwise. multiprocessors: of the device in use.
template <typename T>
struct VecaddArguments {
    const T* d_a = nullptr;
    const T* d_b = nullptr;
    T* d_c = nullptr;
    size_t n = 0;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

}  // namespace BACKEND
