// SPDX-License-Identifier: MIT
// A gang process's side of a product: it makes only the elements that its parts need, and its check finds errors in
// each part; and how narrow panels may be. Prints nothing if all is well.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/matmul/gang/tiling.hpp"
#include "tools/matmul/host_part.hpp"
#include "tools/matmul/host_product.hpp"
#include "tools/matmul/reference.hpp"

static int faults = 0;

static void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("%s\n", what.c_str());
    ++faults;
}

// A whole product, and the host's side of some of its parts.
struct Parts {
    Parts(DType dtype_, const ProductShape& shape_, const std::vector<ProductBlock>& parts_,
          std::size_t elements_at_once)
        : dtype(dtype_),
          shape(shape_),
          parts(parts_),
          whole(make_host_product(dtype, shape, {}, {42, false})),
          part(make_host_part(dtype, shape, parts, {42, true, -1, elements_at_once})) {
        whole->multiply_on_all_cores();
    }

    // Expects that the elements of a block are those of the whole matrix, which has `columns` columns.
    void expect_elements(const HostBlock& block, const void* matrix, std::size_t columns, const char* name) const {
        const auto* all = static_cast<const unsigned char*>(matrix);
        bool same = true;
        for (std::size_t row = block.place.rows.begin; row < block.place.rows.end(); ++row)
            same = same && std::memcmp(block.at(row, block.place.columns.begin),
                                       all + (row * columns + block.place.columns.begin) * block.element_bytes,
                                       block.row_bytes()) == 0;
        expect(same, text("{} {}: other elements of {}", name_of(dtype), shape.name(), name));
    }

    void make() {
        std::size_t blocks_of_b = 0, rows_of_b = 0;
        part->make([&](const HostBlock& a) { expect_elements(a, whole->a(), shape.k, "A"); },
                   [&](const HostBlock& b) {
                       expect(b.place.rows.begin == rows_of_b, "rows of B are out of order");
                       expect_elements(b, whole->b(), shape.n, "B");
                       rows_of_b += b.place.rows.size;
                       ++blocks_of_b;
                   });
        expect(rows_of_b == shape.k, "rows of B are missing");
        expect(blocks_of_b > 1, "B came at once");
    }

    // Copies the right C of the part, with contiguous rows.
    void copy_part(std::size_t number) const {
        const auto& [rows, columns] = parts[number];
        const std::size_t bytes = size_of(dtype), width = columns.size * bytes;
        const auto* all = static_cast<const unsigned char*>(whole->c());
        for (std::size_t i = 0; i < rows.size; ++i)
            std::memcpy(static_cast<unsigned char*>(part->c()) + i * width,
                        all + ((rows.begin + i) * shape.n + columns.begin) * bytes, width);
    }

    void expect_right(std::size_t number) const {
        copy_part(number);
        const Verdict verdict = part->check(number);
        expect(verdict.right, text("{} {}, part {}: {}", name_of(dtype), shape.name(), number, verdict.detail));
    }

    // Expects that a wrong element at this row and column of the part is found, and that the message begins like this.
    void expect_found(std::size_t number, std::size_t row, std::size_t column, const std::string& message) const {
        copy_part(number);
        const std::size_t bytes = size_of(dtype);
        auto* element = static_cast<unsigned char*>(part->c()) + (row * parts[number].columns.size + column) * bytes;
        element[bytes - 1] ^= 0x80;  // its sign
        const Verdict verdict = part->check(number);
        expect(!verdict.right && verdict.detail.rfind(message, 0) == 0,
               text("expected '{}' of part {}, not '{}'", message, number, verdict.detail));
    }

    const DType dtype;
    const ProductShape shape;
    const std::vector<ProductBlock> parts;
    std::unique_ptr<HostProduct> whole;
    std::unique_ptr<HostPart> part;
};

static void check_small(DType dtype) {
    Parts small(dtype, {37, 29, 53}, {{{5, 10}, {3, 17}}, {{15, 5}, {3, 17}}, {{37, 0}, {0, 0}}, {{8, 1}, {28, 1}}},
                64);
    small.make();
    for (std::size_t number = 0; number < small.parts.size(); ++number) small.expect_right(number);
    small.expect_found(0, 9, 16, "row 14, column 19: ");
    small.expect_found(1, 0, 0, "row 15, column 3: ");
    small.expect_found(3, 0, 0, "row 8, column 28: ");
    // Made again, it has the same elements and the same reference.
    small.make();
    small.expect_right(1);
}

// Too large to be computed in full, by rows and by tiles: a vector of signs finds errors outside the checked rows.
static void check_large() {
    Parts large(DType::f32, {810, 700, 701}, {{{10, 400}, {0, 700}}, {{410, 400}, {0, 700}}, {{10, 800}, {350, 350}}},
                4000);
    large.make();
    for (std::size_t number = 0; number < large.parts.size(); ++number) large.expect_right(number);
    for (std::size_t number = 0; number < large.parts.size(); ++number) {
        const std::size_t row = 123;
        large.expect_found(number, row, 77, text("row {}", large.parts[number].rows.begin + row));
    }
    expect(!large.part->checks_all(), "it is computed in full");
}

// A few rows and columns of matrices of 64 GiB each.
static void check_memory() {
    rlimit limit = {std::size_t{1} << 30, std::size_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    const std::size_t side = std::size_t{1} << 20, depth = std::size_t{1} << 14;
    const auto part = make_host_part(DType::f32, {side, side, depth}, {{{side - 9, 9}, {side / 2, 20}}}, {});
    std::size_t of_a = 0, of_b = 0;
    part->make([&](const HostBlock& a) { of_a += a.place.rows.size * a.place.columns.size; },
               [&](const HostBlock& b) { of_b += b.place.rows.size * b.place.columns.size; });
    expect(of_a == 9 * depth && of_b == 20 * depth, "other elements than its rows of A and columns of B");
}

// No device multiplies more panels of others than may be enqueued, and panels are no wider than that requires.
static void check_panels() {
    for (const std::size_t n : {1ul, 8ul, 1000ul, 32768ul, 2000001ul})
        for (const auto& [rows, columns] : {std::pair(2, 1), std::pair(2, 2), std::pair(3, 2), std::pair(40, 5)}) {
            const ProductShape shape = {100, n, 10};
            const std::size_t least = least_panel_columns(shape, rows, columns);
            const auto products = [&](std::size_t panel) {
                std::size_t most = 0;
                for (int row = 0; row < rows; ++row) {
                    const Tiling tiling(shape, {std::size_t(rows), std::size_t(columns), std::size_t(row), 0}, panel);
                    most = std::max(most, tiling.rounds * std::size_t(rows - 1));
                }
                return most;
            };
            expect(products(least) <= most_panel_products, text("{} columns in panels of {} are too many", n, least));
            if (least > block_granule)
                expect(products(least - block_granule) > most_panel_products,
                       text("{} columns need no panels of {}", n, least));
        }
}

// A right product is found right, and an element's error is found, although the check's own sums along wide rows are
// rounded more than the products of a few steps.
static void check_wide() {
    const ProductShape shape = {500, 200'000, 4};
    const auto values = [](std::uint64_t seed, std::size_t count) {
        std::vector<double> made(count);
        for (std::size_t i = 0; i < count; ++i) made[i] = double(random_bits(seed, i) >> 11) * 0x1p-52 - 1;
        return made;
    };
    const std::vector<double> a = values(1, shape.m * shape.k), b = values(2, shape.k * shape.n);
    const CheckedProduct product{shape, {{{0, shape.m}, {0, shape.n}}}};
    for (const double error : {0.0, 1e-6}) {
        ProductReference<double> reference(product, a.data(), 3, 1, -1, {0, 2});
        reference.add_rows_of_b({0, shape.k}, b.data());
        reference.finish();
        expect(!reference.complete(), "a wide product was computed in full");
        const auto read_row = [&](std::size_t row, const IndexRange& columns, double* elements) {
            std::fill_n(elements, columns.size, 0.0);
            for (std::size_t x = 0; x < shape.k; ++x)
                for (std::size_t j = 0; j < columns.size; ++j)
                    elements[j] += a[row * shape.k + x] * b[x * shape.n + columns.begin + j];
            if (row == shape.m / 2 && columns.has(777)) elements[777 - columns.begin] += error;
        };
        SquaredError squares;
        const Verdict verdict = reference.check(read_row, 0, roundings_of(DType::f64), squares);
        expect(verdict.right == (error == 0), text("{} with an error of {}: {}", shape.name(), error, verdict.detail));
    }
}

int main() {
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) check_small(dtype);
    check_large();
    check_panels();
    check_memory();
    check_wide();
    return faults > 0;
}
