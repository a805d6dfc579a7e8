// SPDX-License-Identifier: MIT
//! Used by all plants, in the program and in the files of --export; in textbook style, without a namespace.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>  //! IWYU pragma: export
#include <vector>   //! IWYU pragma: export

// Ends a function that returns a cudaError_t at the first call that fails.
#define TRY(call)                                               \
    do {                                                        \
        const cudaError_t error_of_call = (call);               \
        if (error_of_call != cudaSuccess) return error_of_call; \
    } while (false)

// Waits for all kernels. Returns the error of one of them or, if there is none, of a launch before.
inline cudaError_t finished() {
    const cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
    return ran != cudaSuccess ? ran : launched;
}

// Allocates device memory for the values and copies them there.
template <typename T>
cudaError_t to_device(T** pointer, const std::vector<T>& values) {
    TRY(cudaMalloc(pointer, values.size() * sizeof(T)));
    return cudaMemcpy(*pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
}

// Fills the vector from device memory.
template <typename T>
cudaError_t to_host(std::vector<T>& values, const T* pointer) {
    return cudaMemcpy(values.data(), pointer, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
}

// n numbers from 1 to 1000.
inline std::vector<int> numbers(int n, unsigned seed) {
    std::vector<int> values(n);
    for (int& value : values) {
        seed = seed * 1664525 + 1013904223;
        value = 1 + static_cast<int>(seed / 65536 % 1000);
    }
    return values;
}
