// The products of the CPU: one core, all cores, and OpenBLAS where it is installed.
#pragma once

#include <dlfcn.h>

#include "tools/matmul_reference.cuh"

namespace BACKEND {

// Rows [first, end) of C, each added up in double and rounded once.
template <typename Type>
void multiply_rows(const ProductShape& shape, const typename Type::Wide* a, const typename Type::Wide* b,
                   typename Type::Element* c, std::size_t first, std::size_t end) {
    std::vector<double> sums(shape.n);
    for (std::size_t row = first; row < end; ++row) {
        row_product(a + row * shape.k, b, shape.n, shape.k, sums.data());
        for (std::size_t j = 0; j < shape.n; ++j) c[row * shape.n + j] = narrow<typename Type::Element>(sums[j]);
    }
}

// The same on all cores, in blocks of B that stay in a core's cache while every row of its share passes over them.
template <typename Type>
void multiply_on_all_cores(const ProductShape& shape, const typename Type::Wide* a, const typename Type::Wide* b,
                           typename Type::Element* c) {
    constexpr std::size_t block_columns = 512;
    for_rows(shape.m, double(shape.n) * double(shape.k), [=](std::size_t first, std::size_t end) {
        constexpr std::size_t block_steps = 64;
        std::vector<double> sums((end - first) * block_columns);
        for (std::size_t column = 0; column < shape.n; column += block_columns) {
            const std::size_t width = std::min(block_columns, shape.n - column);
            std::fill(sums.begin(), sums.end(), 0.0);
            for (std::size_t k = 0; k < shape.k; k += block_steps)
                for (std::size_t row = first; row < end; ++row) {
                    double* row_sums = &sums[(row - first) * block_columns];
                    for (std::size_t i = k; i < std::min(k + block_steps, shape.k); ++i) {
                        const double factor = a[row * shape.k + i];
                        const auto* b_row = b + i * shape.n + column;
                        for (std::size_t j = 0; j < width; ++j) row_sums[j] += factor * double(b_row[j]);
                    }
                }
            for (std::size_t row = first; row < end; ++row)
                for (std::size_t j = 0; j < width; ++j)
                    c[row * shape.n + column + j] =
                        narrow<typename Type::Element>(sums[(row - first) * block_columns + j]);
        }
    });
}

// cblas_sgemm and cblas_dgemm of OpenBLAS, found at run time.
class OpenBlas {
public:
    OpenBlas() {
        for (const char* name : {"libopenblas.so.0", "libopenblas.so"})
            if ((library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
        if (!library_) return;
        multiply_f32_ = reinterpret_cast<Multiply<float>>(dlsym(library_, "cblas_sgemm"));
        multiply_f64_ = reinterpret_cast<Multiply<double>>(dlsym(library_, "cblas_dgemm"));
    }
    ~OpenBlas() {
        if (library_) dlclose(library_);
    }
    OpenBlas(const OpenBlas&) = delete;
    OpenBlas& operator=(const OpenBlas&) = delete;

    explicit operator bool() const { return multiply_f32_ && multiply_f64_; }
    void multiply(const ProductShape& s, const float* a, const float* b, float* c) const {
        call(multiply_f32_, s, a, b, c);
    }
    void multiply(const ProductShape& s, const double* a, const double* b, double* c) const {
        call(multiply_f64_, s, a, b, c);
    }

private:
    template <typename T>
    using Multiply = void (*)(int order, int a_transposed, int b_transposed, int m, int n, int k, T alpha, const T* a,
                              int lda, const T* b, int ldb, T beta, T* c, int ldc);

    template <typename T>
    static void call(Multiply<T> multiply, const ProductShape& s, const T* a, const T* b, T* c) {
        constexpr int row_major = 101, not_transposed = 111;
        const int m = int(s.m), n = int(s.n), k = int(s.k);
        multiply(row_major, not_transposed, not_transposed, m, n, k, 1, a, std::max(1, k), b, std::max(1, n), 0, c,
                 std::max(1, n));
    }

    void* library_ = nullptr;
    Multiply<float> multiply_f32_ = nullptr;
    Multiply<double> multiply_f64_ = nullptr;
};

}  // namespace BACKEND
