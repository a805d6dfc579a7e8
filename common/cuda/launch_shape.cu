// SPDX-License-Identifier: MIT
#include "common/cuda/launch_shape.cuh"

#include "common/cuda/check.cuh"

namespace BACKEND {

unsigned resident_blocks(unsigned block_size, unsigned multiprocessors) {
    int device = 0, threads = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    return multiprocessors * (static_cast<unsigned>(threads) / block_size);
}

}  // namespace BACKEND
