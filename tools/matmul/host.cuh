// The products of the CPU: one core, all cores, and OpenBLAS where it is installed.
#pragma once

#include <dlfcn.h>

#include "tools/matmul/reference.cuh"

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

// What one core keeps in registers: the sums of so many rows and columns of C.
constexpr std::size_t host_tile_rows = 4, host_tile_columns = 16;

// sums += the product of host_tile_rows rows of A by host_tile_columns columns of B, `steps` along k. Loops of constant length,
// which compilers turn into vector instructions.
template <typename Wide>
void multiply_host_tile(const Wide* a, std::size_t row_a, const Wide* b, std::size_t row_b, std::size_t steps,
                        double (&sums)[host_tile_rows][host_tile_columns]) {
    Wide block[host_tile_rows][host_tile_columns] = {};
    for (std::size_t i = 0; i < steps; ++i)
        for (std::size_t r = 0; r < host_tile_rows; ++r) {
            const Wide factor = a[r * row_a + i];
            for (std::size_t j = 0; j < host_tile_columns; ++j) block[r][j] += factor * b[i * row_b + j];
        }
    for (std::size_t r = 0; r < host_tile_rows; ++r)
        for (std::size_t j = 0; j < host_tile_columns; ++j) sums[r][j] += block[r][j];
}

// On all cores. Every row of a core's share passes over a narrow panel of B while that is in its cache, padded with zeros as
// the rows are. Sums are in the type of the inputs for block_steps along k, in double beyond.
template <typename Type>
void multiply_on_all_cores(const ProductShape& shape, const typename Type::Wide* a, const typename Type::Wide* b,
                           typename Type::Element* c) {
    using Wide = typename Type::Wide;
    for_rows(shape.m, double(shape.n) * double(shape.k), [=](std::size_t first, std::size_t end) {
        constexpr std::size_t block_steps = 64;
        std::vector<Wide> panel(shape.k * host_tile_columns), rows(shape.k * host_tile_rows);
        for (std::size_t column = 0; column < shape.n; column += host_tile_columns) {
            const std::size_t width = std::min(host_tile_columns, shape.n - column);
            for (std::size_t i = 0; i < shape.k; ++i)
                for (std::size_t j = 0; j < host_tile_columns; ++j)
                    panel[i * host_tile_columns + j] = j < width ? b[i * shape.n + column + j] : Wide(0);
            for (std::size_t row = first; row < end; row += host_tile_rows) {
                const std::size_t height = std::min(host_tile_rows, end - row);
                const Wide* tile_rows = a + row * shape.k;
                if (height < host_tile_rows) {
                    std::copy_n(tile_rows, height * shape.k, rows.begin());
                    tile_rows = rows.data();
                }
                double sums[host_tile_rows][host_tile_columns] = {};
                for (std::size_t k = 0; k < shape.k; k += block_steps)
                    multiply_host_tile(tile_rows + k, shape.k, &panel[k * host_tile_columns], host_tile_columns,
                                       std::min(block_steps, shape.k - k), sums);
                for (std::size_t r = 0; r < height; ++r)
                    for (std::size_t j = 0; j < width; ++j)
                        c[(row + r) * shape.n + column + j] = narrow<typename Type::Element>(sums[r][j]);
            }
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
