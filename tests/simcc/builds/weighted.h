// SPDX-License-Identifier: MIT
// A sum on the device, for C and C++ programs.
#pragma once

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C"
#endif
cudaError_t weighted_sum(const float* values, int count, float* sum, cudaStream_t stream);
