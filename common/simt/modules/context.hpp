// SPDX-License-Identifier: MIT
// What the functions of the driver API share: their results, and the contexts that are current.
//
// The room is a second face of the runtime, beside api/. In come calls as include/cuda.h and include/nvrtc.h declare
// them; out go calls of the runtime API. driver.cpp has devices, contexts, streams and events, memory.cpp memory,
// module.cpp modules, launch.cpp the launches of their kernels, and nvrtc.cpp has simcc compile them.
#pragma once

#include <functional>

#include "common/simt/include/cuda.h"
#include "common/simt/include/cuda_runtime_api.h"

namespace simt {

/// The driver's number of a runtime error.
CUresult result_of(cudaError_t error);

/// Runs the body of a function that needs no context. The runtime API does not remember its error.
CUresult driver_call(const std::function<cudaError_t()>& body);

/// Runs the body of a function that works in the current context: CUDA_ERROR_INVALID_CONTEXT if there is none.
CUresult context_call(const std::function<cudaError_t()>& body);

/// CUDA_SUCCESS, or why no function of the driver can be called, or none that works in a context.
CUresult driver_state();
CUresult context_state();

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

/// The device of a context; -1 if there is no such context.
int device_of(CUcontext context);

}  // namespace simt
