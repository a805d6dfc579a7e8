// SPDX-License-Identifier: MIT
// OpenBLAS, the CPU's peer.
#pragma once

#include <algorithm>

#include "common/cuda/library.hpp"
#include "tools/matmul/shape.hpp"

// cblas_sgemm and cblas_dgemm of OpenBLAS, found at run time.
class OpenBlas {
public:
    OpenBlas() {
        library_.find(multiply_f32_, "cblas_sgemm");
        library_.find(multiply_f64_, "cblas_dgemm");
    }

    explicit operator bool() const { return multiply_f32_ && multiply_f64_; }
    void multiply(const ProductShape& s, const Transposes& transposed, const float* a, const float* b, float* c) const {
        call(multiply_f32_, s, transposed, a, b, c);
    }
    void multiply(const ProductShape& s, const Transposes& transposed, const double* a, const double* b,
                  double* c) const {
        call(multiply_f64_, s, transposed, a, b, c);
    }

private:
    template <typename T>
    using Multiply = void(int order, int a_transposed, int b_transposed, int m, int n, int k, T alpha, const T* a,
                          int lda, const T* b, int ldb, T beta, T* c, int ldc);

    template <typename T>
    static void call(Multiply<T>* multiply, const ProductShape& s, const Transposes& transposed, const T* a, const T* b,
                     T* c) {
        constexpr int row_major = 101, as_it_lies = 111, its_transpose = 112;
        const int m = int(s.m), n = int(s.n), k = int(s.k);
        multiply(row_major, transposed.a ? its_transpose : as_it_lies, transposed.b ? its_transpose : as_it_lies, m, n,
                 k, 1, a, std::max(1, transposed.a ? m : k), b, std::max(1, transposed.b ? k : n), 0, c,
                 std::max(1, n));
    }

    const Library library_{{"libopenblas.so.0", "libopenblas.so"}};
    Multiply<float>* multiply_f32_ = nullptr;
    Multiply<double>* multiply_f64_ = nullptr;
};
