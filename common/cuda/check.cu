// SPDX-License-Identifier: MIT
#include "common/cuda/check.cuh"

#include <cstddef>
#include <string>

#include "common/io/text.hpp"

namespace BACKEND {

static std::string remedy(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation: {
            std::size_t free_bytes = 0, total_bytes = 0;
            int device = 0;
            if (cudaGetDevice(&device) != cudaSuccess || cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess)
                return "choose a smaller --size";
            return text("{} are free on device {}; choose a smaller --size", human_bytes(double(free_bytes)), device);
        }
        case cudaErrorInvalidConfiguration:
            return "choose another --block or --size: the device cannot run this launch";
        case cudaErrorNoKernelImageForDevice: return "this build has no code for this GPU: build again with its ARCHS";
        case cudaErrorInsufficientDriver: return "update the NVIDIA driver";
        case cudaErrorIllegalAddress:
        case cudaErrorMisalignedAddress:
        case cudaErrorLaunchFailure:
#if defined(SIMT_CHECKED)
            return "see the finding above for the access";
#elif defined(__SIMCC__)
            return "run the same command with --check to find the access";
#else
            return "run the same command under compute-sanitizer, or with --check, to find the access";
#endif
        case cudaErrorLaunchTimeout: return "the kernel made no progress and was stopped";
        default: return "see cudaGetErrorName in the CUDA runtime's documentation";
    }
}

void fail_cuda(cudaError_t error, const char* expression, const char* file, int line) {
    const std::string hint = remedy(error);
    fail(Exit::cuda_error, "{}:{}: {}: {} ({}); {}", source_name(file), line, expression, cudaGetErrorString(error),
         cudaGetErrorName(error), hint);
}

}  // namespace BACKEND
