// SPDX-License-Identifier: MIT
// cuBLAS's functions with sizes of 64 bits. The simulator's own have int: a size beyond that is an invalid value.
#pragma once

#include <limits.h>

#include "../cublas_api.h"

namespace simt {

/// An argument of 64 bits, for a parameter of 32 or of 64.
struct WideSize {
    long long value;
    bool* is_too_large;

    operator int() const {
        if (value > INT_MAX || value < INT_MIN) *is_too_large = true;
        return *is_too_large ? -1 : static_cast<int>(value);
    }
    operator long long() const { return value; }
};

template <typename T>
const T& as_size(const T& argument, bool&) {
    return argument;
}
inline WideSize as_size(long argument, bool& is_too_large) { return {argument, &is_too_large}; }
inline WideSize as_size(long long argument, bool& is_too_large) { return {argument, &is_too_large}; }
inline WideSize as_size(unsigned long argument, bool& is_too_large) {
    return {static_cast<long long>(argument), &is_too_large};
}

}  // namespace simt

#define SIMT_BLAS_64(name)                                                                     \
    template <typename... Arguments>                                                           \
    cublasStatus_t cublas##name##_64(Arguments... arguments) {                                 \
        bool is_too_large = false;                                                             \
        const cublasStatus_t status = cublas##name(simt::as_size(arguments, is_too_large)...); \
        return is_too_large ? CUBLAS_STATUS_INVALID_VALUE : status;                            \
    }                                                                                          \
    template <typename... Arguments>                                                           \
    cublasStatus_t cublas##name##_v2_64(Arguments... arguments) {                              \
        return cublas##name##_64(arguments...);                                                \
    }
// clang-format off
#define SIMT_BLAS_NAMES(X) \
    X(AxpyEx) X(Caxpy) X(Ccopy) X(Cdgmm) X(Cdotc) X(Cdotu) X(Cgbmv) X(Cgeam) X(Cgemm) X(Cgemm3m) X(CgemmBatched) \
    X(CgemmEx) X(CgemmStridedBatched) X(Cgemv) X(CgemvBatched) X(CgemvStridedBatched) X(Cgerc) X(Cgeru) X(Chbmv) \
    X(Chemm) X(Chemv) X(Cher) X(Cher2) X(Cher2k) X(Cherk) X(Cherkx) X(Chpmv) X(Chpr) X(Chpr2) X(Crot) X(Cscal) \
    X(Csrot) X(Csscal) X(Cswap) X(Csymm) X(Csymv) X(Csyr) X(Csyr2) X(Csyr2k) X(Csyrk) X(Csyrkx) X(Ctbmv) X(Ctbsv) \
    X(Ctpmv) X(Ctpsv) X(Ctrmm) X(Ctrmv) X(Ctrsm) X(CtrsmBatched) X(Ctrsv) X(Dasum) X(Daxpy) X(Dcopy) X(Ddgmm) \
    X(Ddot) X(Dgbmv) X(Dgeam) X(Dgemm) X(DgemmBatched) X(DgemmStridedBatched) X(Dgemv) X(DgemvBatched) \
    X(DgemvStridedBatched) X(Dger) X(Dnrm2) X(DotEx) X(DotcEx) X(Drot) X(Drotm) X(Dsbmv) X(Dscal) X(Dspmv) X(Dspr) \
    X(Dspr2) X(Dswap) X(Dsymm) X(Dsymv) X(Dsyr) X(Dsyr2) X(Dsyr2k) X(Dsyrk) X(Dsyrkx) X(Dtbmv) X(Dtbsv) X(Dtpmv) \
    X(Dtpsv) X(Dtrmm) X(Dtrmv) X(Dtrsm) X(DtrsmBatched) X(Dtrsv) X(Dzasum) X(Dznrm2) X(GemmBatchedEx) X(GemmEx) \
    X(GemmStridedBatchedEx) X(GetMatrix) X(GetMatrixAsync) X(GetVector) X(GetVectorAsync) X(Hgemm) X(HgemmBatched) \
    X(HgemmStridedBatched) X(Nrm2Ex) X(Sasum) X(Saxpy) X(ScalEx) X(Scasum) X(Scnrm2) X(Scopy) X(Sdgmm) X(Sdot) \
    X(SetMatrix) X(SetMatrixAsync) X(SetVector) X(SetVectorAsync) X(Sgbmv) X(Sgeam) X(Sgemm) X(SgemmBatched) \
    X(SgemmEx) X(SgemmStridedBatched) X(Sgemv) X(SgemvBatched) X(SgemvStridedBatched) X(Sger) X(Snrm2) X(Srot) \
    X(Srotm) X(Ssbmv) X(Sscal) X(Sspmv) X(Sspr) X(Sspr2) X(Sswap) X(Ssymm) X(Ssymv) X(Ssyr) X(Ssyr2) X(Ssyr2k) \
    X(Ssyrk) X(Ssyrkx) X(Stbmv) X(Stbsv) X(Stpmv) X(Stpsv) X(Strmm) X(Strmv) X(Strsm) X(StrsmBatched) X(Strsv) \
    X(Zaxpy) X(Zcopy) X(Zdgmm) X(Zdotc) X(Zdotu) X(Zdrot) X(Zdscal) X(Zgbmv) X(Zgeam) X(Zgemm) X(Zgemm3m) \
    X(ZgemmBatched) X(ZgemmStridedBatched) X(Zgemv) X(ZgemvBatched) X(ZgemvStridedBatched) X(Zgerc) X(Zgeru) \
    X(Zhbmv) X(Zhemm) X(Zhemv) X(Zher) X(Zher2) X(Zher2k) X(Zherk) X(Zherkx) X(Zhpmv) X(Zhpr) X(Zhpr2) X(Zrot) \
    X(Zscal) X(Zswap) X(Zsymm) X(Zsymv) X(Zsyr) X(Zsyr2) X(Zsyr2k) X(Zsyrk) X(Zsyrkx) X(Ztbmv) X(Ztbsv) X(Ztpmv) \
    X(Ztpsv) X(Ztrmm) X(Ztrmv) X(Ztrsm) X(ZtrsmBatched) X(Ztrsv)
// clang-format on
SIMT_BLAS_NAMES(SIMT_BLAS_64)
#undef SIMT_BLAS_NAMES
#undef SIMT_BLAS_64
