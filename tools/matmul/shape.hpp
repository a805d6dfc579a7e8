// SPDX-License-Identifier: MIT
// The shapes of --size: "4096" is a cube, "1000x333x77" is m x n x k; both in lists, and cubes in ranges. Also how the
// matrices are stored, and how many products there are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/io/text.hpp"

// C is m x n, A m x k, B k x n.
struct ProductShape {
    std::size_t m = 0, n = 0, k = 0;

    double flop() const { return 2.0 * double(m) * double(n) * double(k); }
    double elements() const { return double(m) * double(k) + double(k) * double(n) + double(m) * double(n); }
    std::string name() const { return text("{}x{}x{}", m, n, k); }
};

// The operands of --transpose: whether A is stored as k x m, and B as n x k. C is n x m only in the exchanged product,
// C' = B' A', which some kernels compute instead.
struct Transposes {
    bool a = false, b = false, c = false;

    bool any() const { return a || b; }
    bool operator==(const Transposes& other) const { return a == other.a && b == other.b && c == other.c; }
    bool operator!=(const Transposes& other) const { return !(*this == other); }
    std::string name() const { return c ? "c" : a && b ? "ab" : a ? "a" : b ? "b" : "none"; }
};

// A product's form, apart from its shape and type. The batch is that of --batch, or of files.
struct ProductForm {
    Transposes transposed;
    std::optional<std::size_t> batch;
    bool shares_b = false;  // one B for the whole batch

    std::size_t products() const { return batch.value_or(1); }
};

// Elements from one product's matrix to the next one's. In a batch all begin at multiples of 16 bytes, the size of the
// pieces that kernels read.
struct ProductStrides {
    std::size_t a = 0, b = 0, c = 0;

    // Without gaps.
    static ProductStrides dense(const ProductShape& shape, const ProductForm& form) {
        return {shape.m * shape.k, form.shares_b ? 0 : shape.k * shape.n, shape.m * shape.n};
    }
    static ProductStrides aligned(const ProductShape& shape, const ProductForm& form, std::size_t element_bytes) {
        const std::size_t piece = form.products() > 1 ? 16 / element_bytes : 1;
        const auto up = [=](std::size_t elements) { return (elements + piece - 1) / piece * piece; };
        const ProductStrides of = dense(shape, form);
        return {up(of.a), up(of.b), up(of.c)};
    }
};

// Elements of all A, all B and all C with such strides.
inline std::size_t elements_of_b(const ProductShape& shape, const ProductForm& form, const ProductStrides& strides) {
    return form.shares_b ? shape.k * shape.n : form.products() * strides.b;
}

inline std::string name_of_products(const ProductShape& shape, const ProductForm& form) {
    return form.batch ? text("{} products of {}", *form.batch, shape.name()) : shape.name();
}

// The bytes of A, B and C of all products. An element of A or B has `element_bytes`, one of C `result_bytes`.
inline double bytes_of(const ProductShape& shape, const ProductForm& form, std::size_t element_bytes,
                       std::size_t result_bytes) {
    const double m = double(shape.m), n = double(shape.n), k = double(shape.k), products = double(form.products());
    return (products * m * k + (form.shares_b ? 1 : products) * k * n) * double(element_bytes) +
           products * m * n * double(result_bytes);
}

// "a", "b", or both with a comma between them. Failure(usage) for anything else.
Transposes parse_transposes(const std::string& list);

// Failure(usage) for extents that the kernels cannot count: an int must hold them and the end of the last tile.
ProductShape within_limits(const ProductShape& shape);

// Failure(usage) for text that is not such a list.
std::vector<ProductShape> parse_shapes(const std::string& list);
