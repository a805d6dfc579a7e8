// Whether a product is right, in double. All of it is computed a second time where that is affordable; beyond that
//   some rows are computed in full: the first, the last, and random ones between, and
//   all of C is checked by a random vector x of signs: C x must be A (B x), which takes n^2 steps, not n^3 (Freivalds,
//   1977).
// The error allowed in an element of C is result_rounding |c| + g |a| |b|, with the lengths of A's row and B's column,
// and g from the roundings of the type and k: sums that are random walks stay far below it; in f32 and f64 one
// forgotten product of two of our normal numbers does not. In a row of C x, x draws the signs of the errors: their sum
// exceeds 7 times the root of the sum of their squares once in 10^10 (Hoeffding, 1963).
// C may be checked by parts, as devices compute them: then x is zero outside the part's columns, and of each part some
// rows are computed in full.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "common/measure/random.hpp"
#include "common/measure/verify.hpp"
#include "tools/matmul/blocks.hpp"
#include "tools/matmul/element.hpp"
#include "tools/matmul/shape.hpp"

// Calls work(first, end) for shares of the rows, on as many cores as so many steps are worth, and at most `most_cores`.
template <typename Work>
void for_rows(std::size_t rows, double steps_per_row, Work work, std::size_t most_cores = ~std::size_t{0}) {
    const auto steps = static_cast<std::size_t>(std::min(1e15, double(rows) * steps_per_row));
    const std::size_t workers = std::min({worker_count(steps), std::max<std::size_t>(1, rows), most_cores});
    run_shares(rows, workers, [&](std::size_t, std::size_t first, std::size_t end) { work(first, end); });
}

// One row of A B in double: k rows of B are added up, so that memory is read in order.
template <typename U>
void row_product(const U* a_row, const U* b, std::size_t n, std::size_t k, double* sums) {
    std::fill_n(sums, n, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        const double factor = a_row[i];
        const U* b_row = b + i * n;
        for (std::size_t j = 0; j < n; ++j) sums[j] += factor * double(b_row[j]);
    }
}

// Sums of squares: of the errors, and of the elements that they are of.
struct SquaredError {
    double errors = 0, elements = 0;
};

template <typename U>
class ProductReference {
public:
    // Writes the n elements of a row of C.
    using ReadRow = std::function<void(std::size_t row, double* elements)>;

    // What it takes to compute: steps in full (less, and products beyond are checked by rows and signs), and cores.
    struct Effort {
        double steps = 1 << 28;
        std::size_t cores = ~std::size_t{0};
    };

    // Of `scale` times A B. `parts`: those of C that are checked one by one; all of C is a part, too. `tolerance`: instead
    // of what follows from roundings, if it is not negative.
    ProductReference(const ProductShape& shape, const U* a, const U* b, const std::vector<ProductBlock>& parts,
                     std::uint64_t seed, double scale, double tolerance, const Effort& effort)
        : shape_(shape), tolerance_(tolerance), effort_(effort) {
        const auto [m, n, k] = shape;
        choose_rows(parts, seed);
        measure_lengths(a, b);
        expected_.resize(rows_.size() * n);
        const auto compute = [&, n = n, k = k](std::size_t first, std::size_t end) {
            for (std::size_t r = first; r < end; ++r) row_product(a + rows_[r] * k, b, n, k, &expected_[r * n]);
        };
        for_rows(rows_.size(), double(n) * double(k), compute, effort_.cores);
        for (const ProductBlock& part : parts) signs_.push_back(complete() ? Signs{part} : signs_of(part, a, b, seed));
        const auto scale_all = [=](std::vector<double>& of_products) {
            for (double& element : of_products) element *= scale;
        };
        scale_all(expected_);
        scale_all(a_lengths_);
        for (Signs& signs : signs_) scale_all(signs.abx);
    }

    // Of the part with this number. Adds to `squares` those of the rows that are computed in full.
    Verdict check(const ReadRow& read_row, std::size_t part, const Roundings& roundings, SquaredError& squares) const {
        const Bounds bounds = bounds_of(roundings);
        const Signs& signs = signs_[part];
        const auto& [rows, columns] = signs.part;
        std::vector<double> c_row(shape_.n);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const std::size_t row = rows_[r], n = shape_.n;
            if (!rows.has(row)) continue;
            read_row(row, c_row.data());
            for (std::size_t j = columns.begin; j < columns.end(); ++j) {
                const double want = expected_[r * n + j], got = c_row[j];
                const double allowed = bounds.of_result * std::fabs(want) +
                                       bounds.growth * a_lengths_[row] * b_lengths_[j] + bounds.smallest;
                if (!(std::fabs(got - want) <= allowed))
                    return {false, text("row {}, column {}: got {:.9g}, expected {:.9g}, allowed error {:.3g}", row, j,
                                        got, want, allowed)};
                squares.errors += (got - want) * (got - want);
                squares.elements += want * want;
            }
        }
        return complete() ? Verdict{} : check_signs(read_row, signs, bounds);
    }

    bool complete() const { return complete_; }

private:
    // A part, and its rows times the signs of its columns.
    struct Signs {
        ProductBlock part;
        std::vector<double> of_columns = {}, abx = {};
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

    void choose_rows(const std::vector<ProductBlock>& parts, std::uint64_t seed) {
        const double per_row = std::max(1.0, double(shape_.n) * double(shape_.k));
        const auto most = static_cast<std::size_t>(std::max(3.0, effort_.steps / per_row));
        complete_ = shape_.m <= most;
        if (complete_) {
            for (std::size_t row = 0; row < shape_.m; ++row) rows_.push_back(row);
            return;
        }
        for (const auto& [rows, columns] : parts)
            if (rows.size > 0) rows_.insert(rows_.end(), {rows.begin, rows.end() - 1});
        std::sort(rows_.begin(), rows_.end());
        rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
        for (std::uint64_t i = 0; rows_.size() < most; ++i) rows_.push_back(random_bits(seed + 7, i) % shape_.m);
    }

    void measure_lengths(const U* a, const U* b) {
        a_lengths_.assign(shape_.m, 0);
        b_lengths_.assign(shape_.n, 0);
        const auto square_a = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) {
                for (std::size_t x = 0; x < shape_.k; ++x)
                    a_lengths_[i] += double(a[i * shape_.k + x]) * double(a[i * shape_.k + x]);
                a_lengths_[i] = std::sqrt(a_lengths_[i]);
            }
        };
        for_rows(shape_.m, double(shape_.k), square_a, effort_.cores);
        const auto square_b = [&](std::size_t first, std::size_t end) {
            for (std::size_t x = 0; x < shape_.k; ++x)
                for (std::size_t j = first; j < end; ++j)
                    b_lengths_[j] += double(b[x * shape_.n + j]) * double(b[x * shape_.n + j]);
        };
        for_rows(shape_.n, double(shape_.k), square_b, effort_.cores);
        for (double& length : b_lengths_) length = std::sqrt(length);
    }

    Signs signs_of(const ProductBlock& part, const U* a, const U* b, std::uint64_t seed) const {
        const auto& [rows, columns] = part;
        Signs signs{part};
        for (std::size_t j = columns.begin; j < columns.end(); ++j) {
            signs.of_columns.push_back(random_bits(seed + 8, j) & 1 ? 1 : -1);
            signs.b_squares += b_lengths_[j] * b_lengths_[j];
        }
        std::vector<double> bx(shape_.k);
        const auto multiply_b = [&, first_column = columns.begin](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i)
                for (std::size_t j = 0; j < signs.of_columns.size(); ++j)
                    bx[i] += double(b[i * shape_.n + first_column + j]) * signs.of_columns[j];
        };
        for_rows(shape_.k, double(columns.size), multiply_b, effort_.cores);
        signs.abx.resize(rows.size);
        const auto multiply_a = [&, first_row = rows.begin](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i)
                for (std::size_t x = 0; x < shape_.k; ++x)
                    signs.abx[i] += double(a[(first_row + i) * shape_.k + x]) * bx[x];
        };
        for_rows(rows.size, double(shape_.k), multiply_a, effort_.cores);
        return signs;
    }

    Verdict check_signs(const ReadRow& read_row, const Signs& signs, const Bounds& bounds) const {
        const auto& [rows, columns] = signs.part;
        std::vector<double> cx(rows.size), squares(rows.size);
        const auto multiply_c = [&, first_row = rows.begin, first_column = columns.begin](std::size_t first,
                                                                                          std::size_t end) {
            std::vector<double> c_row(shape_.n);
            for (std::size_t i = first; i < end; ++i) {
                read_row(first_row + i, c_row.data());
                const double* elements = c_row.data() + first_column;
                for (std::size_t j = 0; j < signs.of_columns.size(); ++j) {
                    cx[i] += elements[j] * signs.of_columns[j];
                    squares[i] += elements[j] * elements[j];
                }
            }
        };
        for_rows(rows.size, double(columns.size), multiply_c, effort_.cores);
        for (std::size_t i = 0; i < rows.size; ++i) {
            const double expected = signs.abx[i], from_results = bounds.of_result * std::sqrt(squares[i]),
                         from_sums = bounds.growth * a_lengths_[rows.begin + i] * std::sqrt(signs.b_squares);
            const double allowed = 7 * (from_results + from_sums) + 1e-12 * std::fabs(expected) + bounds.smallest;
            if (!(std::fabs(cx[i] - expected) <= allowed))
                return {false, text("row {} times a vector of signs: got {:.9g}, expected {:.9g}, allowed error {:.3g}",
                                    rows.begin + i, cx[i], expected, allowed)};
        }
        return {};
    }

    ProductShape shape_;
    double tolerance_;
    Effort effort_;
    bool complete_ = false;
    std::vector<std::size_t> rows_;  // those that are computed in full: all if that is complete
    std::vector<double> expected_, a_lengths_, b_lengths_;
    std::vector<Signs> signs_;  // a part each
};
