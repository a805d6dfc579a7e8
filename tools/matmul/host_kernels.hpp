// SPDX-License-Identifier: MIT
// The products of the CPU: on one core, and on all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tools/matmul/element.hpp"
#include "tools/matmul/row_work.hpp"
#include "tools/matmul/shape.hpp"

// The matrices of a batch on the host, A and B possibly transposed.
template <typename T>
struct HostMatrices {
    ProductShape shape;
    ProductForm form;
    ProductStrides strides;
    const Wide<T>* a;
    const Wide<T>* b;
    ResultElement<T>* c;
    double scale = 1;  // of sums: 8-bit floats have scales

    // One of its products.
    HostMatrices product(std::size_t i) const {
        HostMatrices one = *this;
        one.form.batch.reset();
        one.a += i * strides.a, one.b += i * strides.b, one.c += i * strides.c;
        return one;
    }
    // `rows` contiguous rows of A from `first` on: in place, or copied to `room`.
    const Wide<T>* rows_of_a(std::size_t first, std::size_t rows, std::vector<Wide<T>>& room) const {
        if (!form.transposed.a) return a + first * shape.k;
        room.resize(rows * shape.k);
        for (std::size_t i = 0; i < shape.k; ++i)
            for (std::size_t r = 0; r < rows; ++r) room[r * shape.k + i] = a[i * shape.m + first + r];
        return room.data();
    }
    Wide<T> element_of_b(std::size_t row, std::size_t column) const {
        return b[form.transposed.b ? column * shape.k + row : row * shape.n + column];
    }
};

// C of one product, each element added up in double and rounded once.
template <typename T>
void multiply_on_one_core(const HostMatrices<T>& of) {
    const auto [m, n, k] = of.shape;
    std::vector<double> sums(n);
    std::vector<Wide<T>> room;
    for (std::size_t row = 0; row < m; ++row) {
        const Wide<T>* a_row = of.rows_of_a(row, 1, room);
        if (of.form.transposed.b) {
            for (std::size_t j = 0; j < n; ++j) {
                sums[j] = 0;
                for (std::size_t i = 0; i < k; ++i) sums[j] += double(a_row[i]) * double(of.b[j * k + i]);
            }
        } else {
            std::fill(sums.begin(), sums.end(), 0.0);
            add_row_product(a_row, of.b, n, k, sums.data());
        }
        for (std::size_t j = 0; j < n; ++j) of.c[row * n + j] = narrow<ResultElement<T>>(of.scale * sums[j]);
    }
}

// The rows and columns of C whose sums one core keeps in registers.
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

// Rows [first, end) of one product's C. Every row passes over a narrow panel of B while the panel is in the core's
// cache; panel and rows are padded with zeros. Sums are in the type of the inputs for block_steps along k, in double
// beyond.
template <typename T>
void multiply_rows(const HostMatrices<T>& of, std::size_t first, std::size_t end) {
    using U = Wide<T>;
    constexpr std::size_t block_steps = 64;
    const ProductShape& shape = of.shape;
    std::vector<U> panel(shape.k * host_tile_columns), rows(shape.k * host_tile_rows), room;
    for (std::size_t column = 0; column < shape.n; column += host_tile_columns) {
        const std::size_t width = std::min(host_tile_columns, shape.n - column);
        for (std::size_t i = 0; i < shape.k; ++i)
            for (std::size_t j = 0; j < host_tile_columns; ++j)
                panel[i * host_tile_columns + j] = j < width ? of.element_of_b(i, column + j) : U(0);
        for (std::size_t row = first; row < end; row += host_tile_rows) {
            const std::size_t height = std::min(host_tile_rows, end - row);
            const U* tile_rows = of.rows_of_a(row, height, room);
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
                    of.c[(row + r) * shape.n + column + j] = narrow<ResultElement<T>>(of.scale * sums[r][j]);
        }
    }
}

// On all cores, which share the rows of all products evenly.
template <typename T>
void multiply_on_all_cores(const HostMatrices<T>& all) {
    const auto [m, n, k] = all.shape;
    for_rows(all.form.products() * m, double(n) * double(k), [&, m = m](std::size_t first, std::size_t end) {
        while (first < end) {
            const std::size_t product = first / m, begin = product * m, stop = std::min(end, begin + m);
            multiply_rows(all.product(product), first - begin, stop - begin);
            first = stop;
        }
    });
}
