// SPDX-License-Identifier: MIT
// The driver API: launches of kernels, their attributes and occupancy.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "common/simt/modules/context.hpp"
#include "common/simt/runtime/kernels.hpp"

using namespace simt;

namespace {

/// Where each parameter lies in the buffer of a launch; its size behind them.
std::vector<size_t> offsets_of(const ParameterLayout* parameter) {
    std::vector<size_t> offsets;
    size_t end = 0;
    for (; parameter->bytes; ++parameter) {
        end = (end + parameter->alignment - 1) / parameter->alignment * parameter->alignment;
        offsets.push_back(end);
        end += parameter->bytes;
    }
    offsets.push_back(end);
    return offsets;
}

/// Launches with the parameters' addresses, or with a buffer that holds all of them.
template <typename Launch>
CUresult launch(CUfunction function, void** parameters, void** extra, Launch launch_with) {
    if (const CUresult result = context_state()) return result;
    const KernelSignature signature = signature_of(function);
    if (!function || !signature.trampoline) return CUDA_ERROR_INVALID_HANDLE;
    if (parameters && extra) return CUDA_ERROR_INVALID_VALUE;
    std::vector<size_t> offsets = offsets_of(signature.parameters);
    const size_t bytes = offsets.back();
    offsets.pop_back();
    if (parameters || offsets.empty()) return context_call([&] { return launch_with(parameters); });
    char* buffer = nullptr;
    size_t buffer_bytes = 0;
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = static_cast<char*>(extra[1]);
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            buffer_bytes = *static_cast<size_t*>(extra[1]);
        } else {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    if (!buffer || buffer_bytes < bytes) return CUDA_ERROR_INVALID_VALUE;
    std::vector<void*> addresses;
    for (const size_t offset : offsets) addresses.push_back(buffer + offset);
    return context_call([&] { return launch_with(addresses.data()); });
}

}  // namespace

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
    const KernelSignature signature = signature_of(function);
    if (!function || !signature.trampoline) return CUDA_ERROR_INVALID_HANDLE;
    const std::vector<size_t> offsets = offsets_of(signature.parameters);
    if (!offset || index + 1 >= offsets.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = offsets[index];
    if (bytes) *bytes = signature.parameters[index].bytes;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int dynamic_shared_bytes, CUstream stream, void** parameters, void** extra) {
    return launch(function, parameters, extra, [=](void** arguments) {
        return cudaLaunchKernel(static_cast<const void*>(function), {grid_x, grid_y, grid_z},
                                {block_x, block_y, block_z}, arguments, dynamic_shared_bytes, stream);
    });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int dynamic_shared_bytes, CUstream stream, void** parameters) {
    return launch(function, parameters, nullptr, [=](void** arguments) {
        return cudaLaunchCooperativeKernel(static_cast<const void*>(function), {grid_x, grid_y, grid_z},
                                           {block_x, block_y, block_z}, arguments, dynamic_shared_bytes, stream);
    });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* configuration, CUfunction function, void** parameters, void** extra) {
    if (!configuration || (configuration->numAttrs > 0 && !configuration->attrs)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<cudaLaunchAttribute> attributes(configuration->numAttrs);
    for (unsigned i = 0; i < configuration->numAttrs; ++i) {
        attributes[i].id = configuration->attrs[i].id;
        attributes[i].val = configuration->attrs[i].value;
    }
    return launch(function, parameters, extra, [&](void** arguments) {
        cudaLaunchConfig_t of_runtime = {};
        of_runtime.gridDim = {configuration->gridDimX, configuration->gridDimY, configuration->gridDimZ};
        of_runtime.blockDim = {configuration->blockDimX, configuration->blockDimY, configuration->blockDimZ};
        of_runtime.dynamicSmemBytes = configuration->sharedMemBytes;
        of_runtime.stream = configuration->hStream;
        of_runtime.attrs = attributes.data();
        of_runtime.numAttrs = configuration->numAttrs;
        return cudaLaunchKernelExC(&of_runtime, static_cast<const void*>(function), arguments);
    });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    return driver_call([=] {
        if (!value) return cudaErrorInvalidValue;
        cudaFuncAttributes attributes;
        if (!signature_of(function).trampoline) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t error = cudaFuncGetAttributes(&attributes, static_cast<const void*>(function)))
            return error;
        switch (attribute) {
            case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = attributes.maxThreadsPerBlock; break;
            case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(attributes.sharedSizeBytes); break;
            case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = static_cast<int>(attributes.constSizeBytes); break;
            case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(attributes.localSizeBytes); break;
            case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = attributes.numRegs; break;
            case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = attributes.ptxVersion; break;
            case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = attributes.binaryVersion; break;
            case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = attributes.cacheModeCA; break;
            case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = attributes.maxDynamicSharedSizeBytes; break;
            case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = attributes.preferredShmemCarveout; break;
            default: return cudaErrorInvalidValue;
        }
        return cudaSuccess;
    });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    return driver_call([=] {
        return cudaFuncSetAttribute(static_cast<const void*>(function), static_cast<cudaFuncAttribute>(attribute),
                                    value);
    });
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference) {
    return driver_call([=] {
        return cudaFuncSetCacheConfig(static_cast<const void*>(function), static_cast<cudaFuncCache>(preference));
    });
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig configuration) {
    return driver_call([=] {
        return cudaFuncSetSharedMemConfig(static_cast<const void*>(function),
                                          static_cast<cudaSharedMemConfig>(configuration));
    });
}

// ---- occupancy

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int block_size,
                                                              size_t dynamic_shared_bytes, unsigned int flags) {
    return context_call([=] {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, static_cast<const void*>(function),
                                                                      block_size, dynamic_shared_bytes, flags);
    });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                     size_t dynamic_shared_bytes) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, dynamic_shared_bytes, 0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, CUfunction function,
                                                   CUoccupancyB2DSize shared_bytes_of, size_t dynamic_shared_bytes,
                                                   int limit, unsigned int flags) {
    return context_call([=] {
        if (!grid_size || !block_size) return cudaErrorInvalidValue;
        int device = 0, multiprocessors = 0, largest = 0, best = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
        cudaDeviceGetAttribute(&largest, cudaDevAttrMaxThreadsPerBlock, device);
        if (limit > 0) largest = std::min(largest, limit);
        for (int size = (largest + 31) / 32 * 32; size > 0; size -= 32) {
            const int candidate = std::min(size, largest);
            int blocks = 0;
            const size_t shared_bytes = shared_bytes_of ? shared_bytes_of(candidate) : dynamic_shared_bytes;
            if (const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                    &blocks, static_cast<const void*>(function), candidate, shared_bytes, flags))
                return error;
            if (blocks * candidate <= best) continue;
            best = blocks * candidate;
            *block_size = candidate;
            *grid_size = blocks * multiprocessors;
        }
        return cudaSuccess;
    });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_bytes_of, size_t dynamic_shared_bytes, int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, function, shared_bytes_of,
                                                     dynamic_shared_bytes, limit, 0);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks, int block_size) {
    return context_call([=] {
        return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, static_cast<const void*>(function), blocks, block_size);
    });
}
