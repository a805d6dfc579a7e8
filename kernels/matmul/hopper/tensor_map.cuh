// SPDX-License-Identifier: MIT
#pragma once
// Describes a matrix in global memory to TMA, Hopper's tensor memory accelerator. The driver encodes the description.
// Its function is looked up at run time, so that programs neither link the driver's library nor need it present.
#include "common/cuda/check.cuh"
#include "common/io/text.hpp"

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

template <typename T>
constexpr CUtensorMapDataType tensor_map_type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
template <>
inline constexpr CUtensorMapDataType tensor_map_type<double> = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
template <>
inline constexpr CUtensorMapDataType tensor_map_type<__half> = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
template <>
inline constexpr CUtensorMapDataType tensor_map_type<__nv_bfloat16> = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
template <>
inline constexpr CUtensorMapDataType tensor_map_type<__nv_fp8_e4m3> = CU_TENSOR_MAP_DATA_TYPE_UINT8;
template <>
inline constexpr CUtensorMapDataType tensor_map_type<__nv_fp8_e5m2> = CU_TENSOR_MAP_DATA_TYPE_UINT8;

/// TMA reads rows that begin at multiples of 16 bytes.
constexpr size_t tensor_row_alignment = 16;

using EncodeTensorMap = decltype(&cuTensorMapEncodeTiled);

/// Failure(cuda_error) for a driver older than CUDA 12.
inline EncodeTensorMap encode_tensor_map() {
    static const EncodeTensorMap encode = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
#else
        CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
        if (found != cudaDriverEntryPointSuccess)
            fail(Exit::cuda_error, "the driver has no cuTensorMapEncodeTiled; update it");
        return reinterpret_cast<EncodeTensorMap>(function);
    }();
    return encode;
}

/// The matrices of a batch: how many, and the distance from one to the next in elements. `as_batch`: even one counts as
/// a batch, for kernels that ask for matrices by number.
struct MatrixCount {
    size_t matrices = 1, stride = 0;
    bool as_batch = false;
};

/// The map of a row-major matrix, or of a batch of them, to be copied in boxes of box_rows x box_columns. rows and
/// columns are at least 1; `row_elements` is the distance from one row to the next. d_matrix, all rows and all matrices
/// are aligned to 16 bytes. Failure(cuda_error) if the driver refuses. The L2 cache fetches whole lines of 128 bytes,
/// for `neighbors` two at a time.
template <typename T>
CUtensorMap tensor_map(const T* d_matrix, size_t rows, size_t columns, size_t row_elements, unsigned box_rows,
                       unsigned box_columns, CUtensorMapSwizzle swizzle, CUtensorMapDataType type = tensor_map_type<T>,
                       const MatrixCount& count = {}, bool neighbors = false) {
    CUtensorMap map{};
    const cuuint64_t extents[] = {columns, rows, count.matrices};
    const cuuint64_t row_bytes = row_elements * sizeof(T);
    const cuuint64_t strides[] = {row_bytes, count.matrices > 1 ? count.stride * sizeof(T) : rows * row_bytes};
    const unsigned dimensions = count.matrices > 1 || count.as_batch ? 3 : 2;
    const cuuint32_t box[] = {box_columns, box_rows, 1};
    const cuuint32_t steps[] = {1, 1, 1};
    const CUresult result = encode_tensor_map()(
        &map, type, dimensions, const_cast<T*>(d_matrix), extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        swizzle, neighbors ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        fail(Exit::cuda_error, "cuTensorMapEncodeTiled: error {} for a {} x {} matrix in boxes of {} x {}", int(result),
             rows, columns, box_rows, box_columns);
    return map;
}

}  // namespace BACKEND
