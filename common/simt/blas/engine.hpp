// SPDX-License-Identifier: MIT
// Products and triangular solutions of dense matrices, in column-major order: by OpenBLAS if it is installed, else by
// loops of our own.
#pragma once

#include "common/simt/blas/call.hpp"

namespace simt::blas {

/// C = alpha op(A) op(B) + beta C; C is m x n, and the sums have k terms. If beta is 0, C is not read.
template <typename T>
void multiply(cublasOperation_t operation_a, cublasOperation_t operation_b, Index m, Index n, Index k, T alpha,
              const T* a, Index pitch_a, const T* b, Index pitch_b, T beta, T* c, Index pitch_c);

/// B = alpha op(A)^-1 B, or alpha B op(A)^-1 on the right; B is m x n, A is triangular.
template <typename T>
void solve(cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t operation, cublasDiagType_t diagonal,
           Index m, Index n, T alpha, const T* a, Index pitch_a, T* b, Index pitch_b);

}  // namespace simt::blas
