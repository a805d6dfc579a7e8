// SPDX-License-Identifier: MIT
#pragma once
// Kernels with different needs, to compare our occupancy calculation with CUDA's. They are never run, only queried.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

namespace BACKEND {

/// Keeps `live` values in registers: every round needs all values of the previous one.
template <unsigned live, unsigned shared_words>
__device__ __forceinline__ void mix(float (&tile)[shared_words], float* data, unsigned rounds) {
    float values[live];
#pragma unroll
    for (unsigned k = 0; k < live; ++k) values[k] = data[k] + static_cast<float>(threadIdx.x);
    for (unsigned round = 0; round < rounds; ++round) {
        const float first = values[0];
#pragma unroll
        for (unsigned k = 0; k + 1 < live; ++k) values[k] = values[k] * values[k + 1] + first;
        values[live - 1] *= first;
    }
    tile[threadIdx.x % shared_words] = values[0];
    __syncthreads();  // tile[0] may be another thread's
    float sum = tile[0];
#pragma unroll
    for (unsigned k = 0; k < live; ++k) sum += values[k];
    data[live + threadIdx.x] = sum;
}

/// Blocks of any size that the registers allow.
template <unsigned live, unsigned shared_words>
__global__ void probe_free(float* data, unsigned rounds) {
    __shared__ float tile[shared_words];
    mix<live>(tile, data, rounds);
}

/// Blocks of at most `most_threads`; the compiler limits registers accordingly.
template <unsigned live, unsigned shared_words, unsigned most_threads>
__global__ void __launch_bounds__(most_threads) probe_bounded(float* data, unsigned rounds) {
    __shared__ float tile[shared_words];
    mix<live>(tile, data, rounds);
}

struct OccupancyProbe {
    const void* kernel;
    unsigned shared_bytes;  // static
    unsigned most_threads;  // that a block may have
};

template <unsigned live, unsigned shared_words>
OccupancyProbe free_probe() {
    return {address_of(probe_free<live, shared_words>), shared_words * unsigned(sizeof(float)), largest_block};
}
template <unsigned live, unsigned shared_words, unsigned most_threads>
OccupancyProbe bounded_probe() {
    return {address_of(probe_bounded<live, shared_words, most_threads>), shared_words * unsigned(sizeof(float)),
            most_threads};
}

inline const OccupancyProbe occupancy_probes[] = {
    free_probe<4, 1>(),
    free_probe<20, 64>(),
    free_probe<44, 1500>(),
    free_probe<100, 31>(),
    free_probe<200, 4000>(),
    bounded_probe<28, 500, 768>(),
    bounded_probe<60, 100, 1024>(),
    bounded_probe<80, 11000, 512>(),
    bounded_probe<72, 257, 256>(),
};

}  // namespace BACKEND
