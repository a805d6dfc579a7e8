// SPDX-License-Identifier: MIT
// cuBLAS 13 for simulated devices: levels 1 to 3, batches, and the functions that name their types (Ex). common/simt/blas
// has the functions.
#pragma once
#define CUBLAS_API_H_  // programs test for it

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "driver_types.h"
#include "library_types.h"

#ifndef CUBLASWINAPI
#define CUBLASWINAPI
#endif
#ifndef CUBLASAPI
#define CUBLASAPI
#endif

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 3
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

// Which algorithm multiplies: there is one, so all mean the same.
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1,
    CUBLAS_GEMM_ALGO2,
    CUBLAS_GEMM_ALGO3,
    CUBLAS_GEMM_ALGO4,
    CUBLAS_GEMM_ALGO5,
    CUBLAS_GEMM_ALGO6,
    CUBLAS_GEMM_ALGO7,
    CUBLAS_GEMM_ALGO8,
    CUBLAS_GEMM_ALGO9,
    CUBLAS_GEMM_ALGO10,
    CUBLAS_GEMM_ALGO11,
    CUBLAS_GEMM_ALGO12,
    CUBLAS_GEMM_ALGO13,
    CUBLAS_GEMM_ALGO14,
    CUBLAS_GEMM_ALGO15,
    CUBLAS_GEMM_ALGO16,
    CUBLAS_GEMM_ALGO17,
    CUBLAS_GEMM_ALGO18,
    CUBLAS_GEMM_ALGO19,
    CUBLAS_GEMM_ALGO20,
    CUBLAS_GEMM_ALGO21,
    CUBLAS_GEMM_ALGO22,
    CUBLAS_GEMM_ALGO23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO1_TENSOR_OP,
    CUBLAS_GEMM_ALGO2_TENSOR_OP,
    CUBLAS_GEMM_ALGO3_TENSOR_OP,
    CUBLAS_GEMM_ALGO4_TENSOR_OP,
    CUBLAS_GEMM_ALGO5_TENSOR_OP,
    CUBLAS_GEMM_ALGO6_TENSOR_OP,
    CUBLAS_GEMM_ALGO7_TENSOR_OP,
    CUBLAS_GEMM_ALGO8_TENSOR_OP,
    CUBLAS_GEMM_ALGO9_TENSOR_OP,
    CUBLAS_GEMM_ALGO10_TENSOR_OP,
    CUBLAS_GEMM_ALGO11_TENSOR_OP,
    CUBLAS_GEMM_ALGO12_TENSOR_OP,
    CUBLAS_GEMM_ALGO13_TENSOR_OP,
    CUBLAS_GEMM_ALGO14_TENSOR_OP,
    CUBLAS_GEMM_ALGO15_TENSOR_OP,
    CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

// How much precision may be given up: none is, in any mode.
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef cudaDataType cublasDataType_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;

typedef struct cublasContext* cublasHandle_t;

#ifdef __cplusplus
#define SIMT_BLAS extern "C" cublasStatus_t
#else
#define SIMT_BLAS cublasStatus_t
#endif
// Functions that had another form once have the linker symbol cublasNAME_v2, under which programs may call them, too.
#define SIMT_BLAS_V2(name, ...)                                        \
    SIMT_BLAS cublas##name(__VA_ARGS__) __asm__("cublas" #name "_v2"); \
    SIMT_BLAS cublas##name##_v2(__VA_ARGS__)

// ---- the handle and its settings

SIMT_BLAS_V2(Create, cublasHandle_t* handle);
SIMT_BLAS_V2(Destroy, cublasHandle_t handle);
SIMT_BLAS_V2(GetVersion, cublasHandle_t handle, int* version);
SIMT_BLAS cublasGetProperty(libraryPropertyType type, int* value);
SIMT_BLAS_V2(SetWorkspace, cublasHandle_t handle, void* workspace, size_t bytes);
SIMT_BLAS_V2(SetStream, cublasHandle_t handle, cudaStream_t stream);
SIMT_BLAS_V2(GetStream, cublasHandle_t handle, cudaStream_t* stream);
SIMT_BLAS_V2(GetPointerMode, cublasHandle_t handle, cublasPointerMode_t* mode);
SIMT_BLAS_V2(SetPointerMode, cublasHandle_t handle, cublasPointerMode_t mode);
SIMT_BLAS cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
SIMT_BLAS cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
SIMT_BLAS cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
SIMT_BLAS cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
SIMT_BLAS cublasGetSmCountTarget(cublasHandle_t handle, int* count);
SIMT_BLAS cublasSetSmCountTarget(cublasHandle_t handle, int count);
#ifdef __cplusplus
extern "C" {
#endif
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
size_t cublasGetCudartVersion(void);
#ifdef __cplusplus
}
#endif

// ---- copies between the host and the device

SIMT_BLAS cublasSetVector(int n, int elemSize, const void* x, int incx, void* y, int incy);
SIMT_BLAS cublasGetVector(int n, int elemSize, const void* x, int incx, void* y, int incy);
SIMT_BLAS cublasSetMatrix(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb);
SIMT_BLAS cublasGetMatrix(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb);
SIMT_BLAS cublasSetVectorAsync(int n, int elemSize, const void* x, int incx, void* y, int incy, cudaStream_t stream);
SIMT_BLAS cublasGetVectorAsync(int n, int elemSize, const void* x, int incx, void* y, int incy, cudaStream_t stream);
SIMT_BLAS cublasSetMatrixAsync(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb,
                               cudaStream_t stream);
SIMT_BLAS cublasGetMatrixAsync(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb,
                               cudaStream_t stream);

// ---- level 1
// P is the prefix of the name, T the type of elements, R that of their absolute values.

#define SIMT_BLAS_ALL(M) M(S, float, float) M(D, double, double) M(C, cuComplex, float) M(Z, cuDoubleComplex, double)
#define SIMT_BLAS_REAL(M) M(S, float, float) M(D, double, double)
#define SIMT_BLAS_COMPLEX(M) M(C, cuComplex, float) M(Z, cuDoubleComplex, double)

#define SIMT_LEVEL1(P, T, R)                                                                                   \
    SIMT_BLAS_V2(P##copy, cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy);                 \
    SIMT_BLAS_V2(P##swap, cublasHandle_t handle, int n, T* x, int incx, T* y, int incy);                       \
    SIMT_BLAS_V2(P##axpy, cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy); \
    SIMT_BLAS_V2(P##scal, cublasHandle_t handle, int n, const T* alpha, T* x, int incx);                       \
    SIMT_BLAS_V2(P##rotg, cublasHandle_t handle, T* a, T* b, R* c, T* s);
#define SIMT_DOT(name, T) \
    SIMT_BLAS_V2(name, cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result);
#define SIMT_NORM(name, T, R) SIMT_BLAS_V2(name, cublasHandle_t handle, int n, const T* x, int incx, R* result);
#define SIMT_ROT(name, T, R, S) \
    SIMT_BLAS_V2(name, cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const R* c, const S* s);
#define SIMT_ROTM(P, T, R)                                                                               \
    SIMT_BLAS_V2(P##rotm, cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* param); \
    SIMT_BLAS_V2(P##rotmg, cublasHandle_t handle, T* d1, T* d2, T* x1, const T* y1, T* param);

SIMT_BLAS_ALL(SIMT_LEVEL1)
SIMT_BLAS_REAL(SIMT_ROTM)
SIMT_DOT(Sdot, float)
SIMT_DOT(Ddot, double)
SIMT_DOT(Cdotu, cuComplex)
SIMT_DOT(Cdotc, cuComplex)
SIMT_DOT(Zdotu, cuDoubleComplex)
SIMT_DOT(Zdotc, cuDoubleComplex)
SIMT_NORM(Snrm2, float, float)
SIMT_NORM(Dnrm2, double, double)
SIMT_NORM(Scnrm2, cuComplex, float)
SIMT_NORM(Dznrm2, cuDoubleComplex, double)
SIMT_NORM(Sasum, float, float)
SIMT_NORM(Dasum, double, double)
SIMT_NORM(Scasum, cuComplex, float)
SIMT_NORM(Dzasum, cuDoubleComplex, double)
SIMT_NORM(Isamax, float, int)
SIMT_NORM(Idamax, double, int)
SIMT_NORM(Icamax, cuComplex, int)
SIMT_NORM(Izamax, cuDoubleComplex, int)
SIMT_NORM(Isamin, float, int)
SIMT_NORM(Idamin, double, int)
SIMT_NORM(Icamin, cuComplex, int)
SIMT_NORM(Izamin, cuDoubleComplex, int)
SIMT_ROT(Srot, float, float, float)
SIMT_ROT(Drot, double, double, double)
SIMT_ROT(Crot, cuComplex, float, cuComplex)
SIMT_ROT(Csrot, cuComplex, float, float)
SIMT_ROT(Zrot, cuDoubleComplex, double, cuDoubleComplex)
SIMT_ROT(Zdrot, cuDoubleComplex, double, double)
SIMT_BLAS_V2(Csscal, cublasHandle_t handle, int n, const float* alpha, cuComplex* x, int incx);
SIMT_BLAS_V2(Zdscal, cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x, int incx);

// ---- level 2

#define SIMT_LEVEL2(P, T, R)                                                                                         \
    SIMT_BLAS_V2(P##gemv, cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* A,  \
                 int lda, const T* x, int incx, const T* beta, T* y, int incy);                                      \
    SIMT_BLAS_V2(P##gbmv, cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku,              \
                 const T* alpha, const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy);          \
    SIMT_BLAS_V2(P##trmv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
                 cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx);                                 \
    SIMT_BLAS_V2(P##tbmv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
                 cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx);                          \
    SIMT_BLAS_V2(P##tpmv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
                 cublasDiagType_t diag, int n, const T* AP, T* x, int incx);                                         \
    SIMT_BLAS_V2(P##trsv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
                 cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx);                                 \
    SIMT_BLAS_V2(P##tbsv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
                 cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx);                          \
    SIMT_BLAS_V2(P##tpsv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
                 cublasDiagType_t diag, int n, const T* AP, T* x, int incx);                                         \
    SIMT_BLAS_V2(P##symv, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A, int lda,  \
                 const T* x, int incx, const T* beta, T* y, int incy);                                               \
    SIMT_BLAS_V2(P##syr, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,  \
                 T* A, int lda);                                                                                     \
    SIMT_BLAS_V2(P##syr2, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx, \
                 const T* y, int incy, T* A, int lda);
// The same for a symmetric matrix of real elements and a Hermitian one, in bands (b) and packed (p).
#define SIMT_BANDED_MV(name, T)                                                                                \
    SIMT_BLAS_V2(name, cublasHandle_t handle, cublasFillMode_t uplo, int n, int k, const T* alpha, const T* A, \
                 int lda, const T* x, int incx, const T* beta, T* y, int incy);
#define SIMT_PACKED_MV(name, T)                                                                                      \
    SIMT_BLAS_V2(name, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* AP, const T* x, \
                 int incx, const T* beta, T* y, int incy);
#define SIMT_PACKED_R(name, T, R)                                                                                 \
    SIMT_BLAS_V2(name, cublasHandle_t handle, cublasFillMode_t uplo, int n, const R* alpha, const T* x, int incx, \
                 T* AP);
#define SIMT_PACKED_R2(name, T)                                                                                   \
    SIMT_BLAS_V2(name, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx, \
                 const T* y, int incy, T* AP);
#define SIMT_GER(name, T)                                                                                     \
    SIMT_BLAS_V2(name, cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                 int incy, T* A, int lda);
#define SIMT_HERMITIAN2(P, T, R)                                                                                     \
    SIMT_BLAS_V2(P##hemv, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A, int lda,  \
                 const T* x, int incx, const T* beta, T* y, int incy);                                               \
    SIMT_BLAS_V2(P##her, cublasHandle_t handle, cublasFillMode_t uplo, int n, const R* alpha, const T* x, int incx,  \
                 T* A, int lda);                                                                                     \
    SIMT_BLAS_V2(P##her2, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx, \
                 const T* y, int incy, T* A, int lda);                                                               \
    SIMT_BANDED_MV(P##hbmv, T)                                                                                       \
    SIMT_PACKED_MV(P##hpmv, T) SIMT_PACKED_R(P##hpr, T, R) SIMT_PACKED_R2(P##hpr2, T) SIMT_GER(P##geru, T)           \
        SIMT_GER(P##gerc, T)
#define SIMT_SYMMETRIC2(P, T, R) \
    SIMT_BANDED_MV(P##sbmv, T)   \
    SIMT_PACKED_MV(P##spmv, T) SIMT_PACKED_R(P##spr, T, R) SIMT_PACKED_R2(P##spr2, T) SIMT_GER(P##ger, T)

SIMT_BLAS_ALL(SIMT_LEVEL2)
SIMT_BLAS_REAL(SIMT_SYMMETRIC2)
SIMT_BLAS_COMPLEX(SIMT_HERMITIAN2)

// ---- level 3

#define SIMT_GEMM_PARAMETERS(T)                                                                                     \
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha, \
        const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc
#define SIMT_GEMM_BATCHED(P, T)                                                                                        \
    SIMT_BLAS cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
                                     int n, int k, const T* alpha, const T* const Aarray[], int lda,                   \
                                     const T* const Barray[], int ldb, const T* beta, T* const Carray[], int ldc,      \
                                     int batchCount);                                                                  \
    SIMT_BLAS cublas##P##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                                            int m, int n, int k, const T* alpha, const T* A, int lda,                  \
                                            long long int strideA, const T* B, int ldb, long long int strideB,         \
                                            const T* beta, T* C, int ldc, long long int strideC, int batchCount);
#define SIMT_SYMM(name, T)                                                                                \
    SIMT_BLAS_V2(name, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, \
                 const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc);
#define SIMT_SYRK(name, T, R)                                                                               \
    SIMT_BLAS_V2(name, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                 const R* alpha, const T* A, int lda, const R* beta, T* C, int ldc);
#define SIMT_SYR2K(name, T, R)                                                                              \
    SIMT_BLAS_V2(name, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                 const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C, int ldc);
#define SIMT_SYRKX(name, T, R)                                                                                  \
    SIMT_BLAS cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                           const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C, int ldc);
#define SIMT_LEVEL3(P, T, R)                                                                                           \
    SIMT_BLAS_V2(P##gemm, SIMT_GEMM_PARAMETERS(T));                                                                    \
    SIMT_GEMM_BATCHED(P, T)                                                                                            \
    SIMT_SYMM(P##symm, T)                                                                                              \
    SIMT_SYRK(P##syrk, T, T) SIMT_SYR2K(P##syr2k, T, T) SIMT_SYRKX(P##syrkx, T, T) SIMT_BLAS_V2(                       \
        P##trmm, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,         \
        cublasDiagType_t diag, int m, int n, const T* alpha, const T* A, int lda, const T* B, int ldb, T* C, int ldc); \
    SIMT_BLAS_V2(P##trsm, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                         \
                 cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha, const T* A, int lda,    \
                 T* B, int ldb);                                                                                       \
    SIMT_BLAS cublas##P##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                     cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,     \
                                     const T* const A[], int lda, T* const B[], int ldb, int batchCount);              \
    SIMT_BLAS cublas##P##gemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,     \
                                     const T* const Aarray[], int lda, const T* const xarray[], int incx,              \
                                     const T* beta, T* const yarray[], int incy, int batchCount);                      \
    SIMT_BLAS cublas##P##gemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,              \
                                            const T* alpha, const T* A, int lda, long long int strideA, const T* x,    \
                                            int incx, long long int stridex, const T* beta, T* y, int incy,            \
                                            long long int stridey, int batchCount);                                    \
    SIMT_BLAS cublas##P##geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, \
                              const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc); \
    SIMT_BLAS cublas##P##dgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const T* A, int lda,         \
                              const T* x, int incx, T* C, int ldc);                                                    \
    SIMT_BLAS cublas##P##getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, int* P_, int* info,         \
                                      int batchSize);                                                                  \
    SIMT_BLAS cublas##P##getriBatched(cublasHandle_t handle, int n, const T* const A[], int lda, const int* P_,        \
                                      T* const C[], int ldc, int* info, int batchSize);                                \
    SIMT_BLAS cublas##P##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,                 \
                                      const T* const Aarray[], int lda, const int* devIpiv, T* const Barray[],         \
                                      int ldb, int* info, int batchSize);                                              \
    SIMT_BLAS cublas##P##matinvBatched(cublasHandle_t handle, int n, const T* const A[], int lda, T* const Ainv[],     \
                                       int lda_inv, int* info, int batchSize);                                         \
    SIMT_BLAS cublas##P##tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* AP, T* A, int lda);       \
    SIMT_BLAS cublas##P##trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* A, int lda, T* AP);
#define SIMT_HERMITIAN3(P, T, R)                          \
    SIMT_BLAS cublas##P##gemm3m(SIMT_GEMM_PARAMETERS(T)); \
    SIMT_SYMM(P##hemm, T) SIMT_SYRK(P##herk, T, R) SIMT_SYR2K(P##her2k, T, R) SIMT_SYRKX(P##herkx, T, R)

SIMT_BLAS_ALL(SIMT_LEVEL3)
SIMT_BLAS_COMPLEX(SIMT_HERMITIAN3)
#ifdef __cplusplus
SIMT_BLAS cublasHgemm(SIMT_GEMM_PARAMETERS(__half));
SIMT_GEMM_BATCHED(H, __half)
#endif

// ---- functions that name their types

SIMT_BLAS cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                        const float* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                        cudaDataType Btype, int ldb, const float* beta, void* C, cudaDataType Ctype, int ldc);
SIMT_BLAS cublasCgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                        const cuComplex* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                        cudaDataType Btype, int ldb, const cuComplex* beta, void* C, cudaDataType Ctype, int ldc);
SIMT_BLAS cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                       const void* alpha, const void* A, cudaDataType Atype, int lda, const void* B, cudaDataType Btype,
                       int ldb, const void* beta, void* C, cudaDataType Ctype, int ldc, cublasComputeType_t computeType,
                       cublasGemmAlgo_t algo);
SIMT_BLAS cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                              int k, const void* alpha, const void* const Aarray[], cudaDataType Atype, int lda,
                              const void* const Barray[], cudaDataType Btype, int ldb, const void* beta,
                              void* const Carray[], cudaDataType Ctype, int ldc, int batchCount,
                              cublasComputeType_t computeType, cublasGemmAlgo_t algo);
SIMT_BLAS cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                     int n, int k, const void* alpha, const void* A, cudaDataType Atype, int lda,
                                     long long int strideA, const void* B, cudaDataType Btype, int ldb,
                                     long long int strideB, const void* beta, void* C, cudaDataType Ctype, int ldc,
                                     long long int strideC, int batchCount, cublasComputeType_t computeType,
                                     cublasGemmAlgo_t algo);
SIMT_BLAS cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType alphaType, const void* x,
                       cudaDataType xType, int incx, void* y, cudaDataType yType, int incy, cudaDataType executiontype);
SIMT_BLAS cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, const void* y,
                      cudaDataType yType, int incy, void* result, cudaDataType resultType, cudaDataType executionType);
SIMT_BLAS cublasDotcEx(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, const void* y,
                       cudaDataType yType, int incy, void* result, cudaDataType resultType, cudaDataType executionType);
SIMT_BLAS cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType xType, int incx, void* result,
                       cudaDataType resultType, cudaDataType executionType);
SIMT_BLAS cublasScalEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType alphaType, void* x,
                       cudaDataType xType, int incx, cudaDataType executionType);

#ifdef __cplusplus
// As before CUDA 11, the precision of a product may also be given as a type.
static inline cublasComputeType_t simt_cublas_compute_type(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F: return CUBLAS_COMPUTE_16F;
        case CUDA_R_64F:
        case CUDA_C_64F: return CUBLAS_COMPUTE_64F;
        case CUDA_R_32I: return CUBLAS_COMPUTE_32I;
        default: return CUBLAS_COMPUTE_32F;
    }
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* A, cudaDataType Atype,
                                          int lda, const void* B, cudaDataType Btype, int ldb, const void* beta,
                                          void* C, cudaDataType Ctype, int ldc, cudaDataType computeType,
                                          cublasGemmAlgo_t algo) {
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
                        simt_cublas_compute_type(computeType), algo);
}
static inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                 cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                                 const void* const Aarray[], cudaDataType Atype, int lda,
                                                 const void* const Barray[], cudaDataType Btype, int ldb,
                                                 const void* beta, void* const Carray[], cudaDataType Ctype, int ldc,
                                                 int batchCount, cudaDataType computeType, cublasGemmAlgo_t algo) {
    return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, Aarray, Atype, lda, Barray, Btype, ldb, beta,
                               Carray, Ctype, ldc, batchCount, simt_cublas_compute_type(computeType), algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void* alpha,
    const void* A, cudaDataType Atype, int lda, long long int strideA, const void* B, cudaDataType Btype, int ldb,
    long long int strideB, const void* beta, void* C, cudaDataType Ctype, int ldc, long long int strideC,
    int batchCount, cudaDataType computeType, cublasGemmAlgo_t algo) {
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb,
                                      strideB, beta, C, Ctype, ldc, strideC, batchCount,
                                      simt_cublas_compute_type(computeType), algo);
}
#endif
