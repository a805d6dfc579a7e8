// The products of the CPU: on one core, and on all of them.
#pragma once

#include <algorithm>
#include <vector>

#include "tools/matmul/reference.hpp"

// Rows [first, end) of C, each added up in double and rounded once.
template <typename T>
void multiply_rows(const ProductShape& shape, const Wide<T>* a, const Wide<T>* b, T* c, std::size_t first,
                   std::size_t end) {
    std::vector<double> sums(shape.n);
    for (std::size_t row = first; row < end; ++row) {
        row_product(a + row * shape.k, b, shape.n, shape.k, sums.data());
        for (std::size_t j = 0; j < shape.n; ++j) c[row * shape.n + j] = narrow<T>(sums[j]);
    }
}

// What one core keeps in registers: the sums of so many rows and columns of C.
constexpr std::size_t host_tile_rows = 4, host_tile_columns = 16;

// sums += the product of host_tile_rows rows of A and host_tile_columns columns of B, `steps` along k. The inner loops
// have constant lengths: compilers turn them into vector instructions.
template <typename U>
void multiply_host_tile(const U* a, std::size_t row_a, const U* b, std::size_t row_b, std::size_t steps,
                        double (&sums)[host_tile_rows][host_tile_columns]) {
    U block[host_tile_rows][host_tile_columns] = {};
    for (std::size_t i = 0; i < steps; ++i)
        for (std::size_t r = 0; r < host_tile_rows; ++r) {
            const U factor = a[r * row_a + i];
            for (std::size_t j = 0; j < host_tile_columns; ++j) block[r][j] += factor * b[i * row_b + j];
        }
    for (std::size_t r = 0; r < host_tile_rows; ++r)
        for (std::size_t j = 0; j < host_tile_columns; ++j) sums[r][j] += block[r][j];
}

// On all cores. Every row of a core's share passes over a narrow panel of B while the panel is in the core's cache;
// panel and rows are padded with zeros. Sums are in the type of the inputs for block_steps along k, in double beyond.
template <typename T>
void multiply_on_all_cores(const ProductShape& shape, const Wide<T>* a, const Wide<T>* b, T* c) {
    using U = Wide<T>;
    for_rows(shape.m, double(shape.n) * double(shape.k), [=](std::size_t first, std::size_t end) {
        constexpr std::size_t block_steps = 64;
        std::vector<U> panel(shape.k * host_tile_columns), rows(shape.k * host_tile_rows);
        for (std::size_t column = 0; column < shape.n; column += host_tile_columns) {
            const std::size_t width = std::min(host_tile_columns, shape.n - column);
            for (std::size_t i = 0; i < shape.k; ++i)
                for (std::size_t j = 0; j < host_tile_columns; ++j)
                    panel[i * host_tile_columns + j] = j < width ? b[i * shape.n + column + j] : U(0);
            for (std::size_t row = first; row < end; row += host_tile_rows) {
                const std::size_t height = std::min(host_tile_rows, end - row);
                const U* tile_rows = a + row * shape.k;
                if (height < host_tile_rows) {
                    std::copy_n(tile_rows, height * shape.k, rows.begin());
                    tile_rows = rows.data();
                }
                double sums[host_tile_rows][host_tile_columns] = {};
                for (std::size_t k = 0; k < shape.k; k += block_steps)
                    multiply_host_tile(tile_rows + k, shape.k, &panel[k * host_tile_columns], host_tile_columns,
                                       std::min(block_steps, shape.k - k), sums);
                for (std::size_t r = 0; r < height; ++r)
                    for (std::size_t j = 0; j < width; ++j) c[(row + r) * shape.n + column + j] = narrow<T>(sums[r][j]);
            }
        }
    });
}
