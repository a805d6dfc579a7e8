// SPDX-License-Identifier: MIT
// Whether a product is right, in double. All of it is computed a second time if that is affordable; otherwise
//   some rows are computed in full: the first, the last, and random ones between, and
//   all of C is checked by a random vector x of signs: C x must be A (B x), which takes n^2 steps, not n^3 (Freivalds,
//   1977).
// The error allowed in an element of C is result_rounding |c| + g |a| |b|, where |a| and |b| are the lengths of A's row
// and B's column, and g follows from the roundings of the type and k. Sums that are random walks stay far below it; in
// f32 and f64, one omitted product of two of our normal numbers does not. In a row of C x, x gives the errors random
// signs: their sum exceeds 7 times the root of the sum of their squares once in 10^10 (Hoeffding, 1963). The roundings
// of that sum count, too: in f64 they are the larger part if n is large and k is small.
// C may be checked in parts, as devices compute them: then x is zero outside the part's columns, and some rows of each
// part are computed in full. B may come some rows at a time, since only sums over its rows are kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/measure/random.hpp"
#include "common/measure/verify.hpp"
#include "tools/matmul/blocks.hpp"
#include "tools/matmul/element.hpp"
#include "tools/matmul/row_work.hpp"
#include "tools/matmul/shape.hpp"

// What is checked: a product, which may be a block of a larger one, and the parts of its C that are checked one by one.
// A part may be all of C.
struct CheckedProduct {
    ProductShape shape;
    std::vector<ProductBlock> parts;
    std::size_t first_row = 0, first_column = 0;  // of the larger one, whose rows and columns messages count
};

// Sums of squares: of the errors, and of the elements that have them.
struct SquaredError {
    double errors = 0, elements = 0;
};

template <typename U>
class ProductReference {
public:
    // Writes those elements of a row of C that are in these columns.
    using ReadRow = std::function<void(std::size_t row, const IndexRange& columns, double* elements)>;

    // The most effort to spend: steps of a product that is computed in full (larger ones are checked by rows and
    // signs), and cores.
    struct Effort {
        double steps = 1 << 28;
        std::size_t cores = ~std::size_t{0};
    };

    // For `scale` times A B. `a` must stay valid until finish(). A `tolerance` that is not negative replaces the one
    // that follows from roundings.
    ProductReference(const CheckedProduct& product, const U* a, std::uint64_t seed, double scale, double tolerance,
                     const Effort& effort)
        : product_(product), shape_(product.shape), a_(a), scale_(scale), tolerance_(tolerance), effort_(effort) {
        choose_rows(seed);
        if (!complete()) choose_signs(seed);
        expected_.resize(rows_.size() * shape_.n);
        b_lengths_.resize(shape_.n);
    }

    // To be called for all rows of B, in order; these begin at `b`.
    void add_rows_of_b(const IndexRange& rows, const U* b) {
        const auto [m, n, k] = shape_;
        const auto compute = [&, n = n, k = k](std::size_t first, std::size_t end) {
            for (std::size_t r = first; r < end; ++r)
                add_row_product(a_ + rows_[r] * k + rows.begin, b, n, rows.size, expected_.data() + r * n);
        };
        for_rows(rows_.size(), double(n) * double(rows.size), compute, effort_.cores);
        const auto square = [&, n = n](std::size_t first, std::size_t end) {
            for (std::size_t x = 0; x < rows.size; ++x)
                for (std::size_t j = first; j < end; ++j) b_lengths_[j] += double(b[x * n + j]) * double(b[x * n + j]);
        };
        for_rows(n, double(rows.size), square, effort_.cores);
        for (SignedColumns& signs : signs_) multiply_rows_of_b(signs, rows, b);
    }

    // To be called once all of B has been added.
    void finish() {
        for (double& length : b_lengths_) length = std::sqrt(length);
        measure_a();
        for (SignedColumns& signs : signs_)
            for (std::size_t j = signs.columns.begin; j < signs.columns.end(); ++j)
                signs.b_squares += b_lengths_[j] * b_lengths_[j];
        for (std::size_t part = 0; !complete() && part < product_.parts.size(); ++part)
            abx_.push_back(multiply_a(product_.parts[part].rows, signs_[signs_of_[part]].bx));
        const auto scale_all = [this](std::vector<double>& of_products) {
            for (double& element : of_products) element *= scale_;
        };
        scale_all(expected_);
        scale_all(a_lengths_);
        for (std::vector<double>& abx : abx_) scale_all(abx);
        a_ = nullptr;
    }

    // Checks the part with this number. Adds to `squares` those of the rows that are computed in full.
    Verdict check(const ReadRow& read_row, std::size_t part, const Roundings& roundings, SquaredError& squares) const {
        const Bounds bounds = bounds_of(roundings);
        const auto& [rows, columns] = product_.parts[part];
        std::vector<double> c_row(columns.size);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const std::size_t row = rows_[r];
            if (!rows.has(row)) continue;
            read_row(row, columns, c_row.data());
            for (std::size_t j = columns.begin; j < columns.end(); ++j) {
                const double want = expected_[r * shape_.n + j], got = c_row[j - columns.begin];
                const double allowed = bounds.of_result * std::fabs(want) +
                                       bounds.growth * a_lengths_[row] * b_lengths_[j] + bounds.smallest;
                if (!(std::fabs(got - want) <= allowed))
                    return {false, text("row {}, column {}: got {:.9g}, expected {:.9g}, allowed error {:.3g}",
                                        product_.first_row + row, product_.first_column + j, got, want, allowed)};
                squares.errors += (got - want) * (got - want);
                squares.elements += want * want;
            }
        }
        return complete() ? Verdict{} : check_signs(read_row, part, bounds);
    }

    bool complete() const { return complete_; }

private:
    // Columns, a sign for each, and B times these.
    struct SignedColumns {
        IndexRange columns;
        std::vector<double> signs = {}, bx = {};
        double b_squares = 0;
    };

    struct Bounds {
        double of_result, growth, smallest;
    };
    Bounds bounds_of(const Roundings& roundings) const {
        if (tolerance_ >= 0) return {tolerance_, tolerance_, roundings.smallest};
        const double growth = roundings.of_input + roundings.of_sum * (4 + 2 * std::sqrt(double(shape_.k)));
        return {roundings.of_result, growth, roundings.smallest};
    }

    void choose_rows(std::uint64_t seed) {
        const double per_row = std::max(1.0, double(shape_.n) * double(shape_.k));
        const auto most = static_cast<std::size_t>(std::max(3.0, effort_.steps / per_row));
        complete_ = shape_.m <= most;
        if (complete_) {
            for (std::size_t row = 0; row < shape_.m; ++row) rows_.push_back(row);
            return;
        }
        for (const auto& [rows, columns] : product_.parts)
            if (rows.size > 0) rows_.insert(rows_.end(), {rows.begin, rows.end() - 1});
        std::sort(rows_.begin(), rows_.end());
        rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
        for (std::uint64_t i = 0; rows_.size() < most; ++i) rows_.push_back(random_bits(seed + 7, i) % shape_.m);
    }

    // Parts of the same columns have the same signs.
    void choose_signs(std::uint64_t seed) {
        for (const auto& [rows, columns] : product_.parts) {
            const auto is_same = [&columns = columns](const SignedColumns& other) {
                return other.columns.begin == columns.begin && other.columns.size == columns.size;
            };
            const auto known = std::find_if(signs_.begin(), signs_.end(), is_same);
            signs_of_.push_back(std::size_t(known - signs_.begin()));
            if (known != signs_.end()) continue;
            SignedColumns signs{columns};
            for (std::size_t j = columns.begin; j < columns.end(); ++j)
                signs.signs.push_back(random_bits(seed + 8, j) & 1 ? 1 : -1);
            signs.bx.resize(shape_.k);
            signs_.push_back(std::move(signs));
        }
    }

    void multiply_rows_of_b(SignedColumns& signs, const IndexRange& rows, const U* b) const {
        const auto multiply = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) {
                const U* const b_row = b + i * shape_.n + signs.columns.begin;
                double sum = 0;
                for (std::size_t j = 0; j < signs.signs.size(); ++j) sum += double(b_row[j]) * signs.signs[j];
                signs.bx[rows.begin + i] = sum;
            }
        };
        for_rows(rows.size, double(signs.columns.size), multiply, effort_.cores);
    }

    void measure_a() {
        a_lengths_.assign(shape_.m, 0);
        const auto square = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) {
                for (std::size_t x = 0; x < shape_.k; ++x)
                    a_lengths_[i] += double(a_[i * shape_.k + x]) * double(a_[i * shape_.k + x]);
                a_lengths_[i] = std::sqrt(a_lengths_[i]);
            }
        };
        for_rows(shape_.m, double(shape_.k), square, effort_.cores);
    }

    std::vector<double> multiply_a(const IndexRange& rows, const std::vector<double>& bx) const {
        std::vector<double> abx(rows.size);
        const auto multiply = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i)
                for (std::size_t x = 0; x < shape_.k; ++x)
                    abx[i] += double(a_[(rows.begin + i) * shape_.k + x]) * bx[x];
        };
        for_rows(rows.size, double(shape_.k), multiply, effort_.cores);
        return abx;
    }

    Verdict check_signs(const ReadRow& read_row, std::size_t part, const Bounds& bounds) const {
        const IndexRange& rows = product_.parts[part].rows;
        const SignedColumns& signs = signs_[signs_of_[part]];
        std::vector<double> cx(rows.size), squares(rows.size);
        const auto multiply_c = [&](std::size_t first, std::size_t end) {
            std::vector<double> c_row(signs.columns.size);
            for (std::size_t i = first; i < end; ++i) {
                read_row(rows.begin + i, signs.columns, c_row.data());
                for (std::size_t j = 0; j < c_row.size(); ++j) {
                    cx[i] += c_row[j] * signs.signs[j];
                    squares[i] += c_row[j] * c_row[j];
                }
            }
        };
        for_rows(rows.size, double(signs.columns.size), multiply_c, effort_.cores);
        // Our own sums along a row, of C and of B, are random walks, and each step is rounded.
        const double of_check = std::ldexp(1.0, -53) * std::sqrt(double(signs.columns.size));
        for (std::size_t i = 0; i < rows.size; ++i) {
            const double expected = abx_[part][i], from_results = (bounds.of_result + of_check) * std::sqrt(squares[i]),
                         from_sums =
                             (bounds.growth + of_check) * a_lengths_[rows.begin + i] * std::sqrt(signs.b_squares);
            const double allowed = 7 * (from_results + from_sums) + 1e-12 * std::fabs(expected) + bounds.smallest;
            if (!(std::fabs(cx[i] - expected) <= allowed))
                return {false, text("row {} times a vector of signs: got {:.9g}, expected {:.9g}, allowed error {:.3g}",
                                    product_.first_row + rows.begin + i, cx[i], expected, allowed)};
        }
        return {};
    }

    CheckedProduct product_;
    ProductShape shape_;
    const U* a_;  // until finish()
    double scale_, tolerance_;
    Effort effort_;
    bool complete_ = false;
    std::vector<std::size_t> rows_;  // those that are computed in full: all rows if complete_
    std::vector<double> expected_, a_lengths_, b_lengths_;
    std::vector<SignedColumns> signs_;
    std::vector<std::size_t> signs_of_;     // of each part: an index into signs_
    std::vector<std::vector<double>> abx_;  // a part's rows of A times B times its signs
};
