// The elements of A and B: standard normal numbers that depend on the seed and their place alone, so that any block of a
// matrix can be made by itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/measure/random.hpp"
#include "tools/matmul/element.hpp"
#include "tools/matmul/row_work.hpp"

// Standard normal (Box and Muller, 1958): products of such numbers are what a matrix product meets in practice; zeros
// and small integers would cost a GPU less power, and so run faster.
inline double normal(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t bits = random_bits(seed, index);
    const double radius = (static_cast<double>(bits >> 32) + 1) * 0x1p-32,
                 angle = static_cast<double>(bits & 0xffffffffu) * 0x1p-32;
    return std::sqrt(-2 * std::log(radius)) * std::cos(6.283185307179586 * angle);
}

template <typename T>
constexpr bool stored_wide = std::is_same_v<T, Wide<T>>;

enum class MatrixOf { a, b };  // which have different numbers

// Elements of a matrix, row by row: `count` from element `first` on, or, of a block, rows of `columns` elements that begin
// `stride` apart in the matrix.
struct MatrixWindow {
    std::size_t count = 0, first = 0, columns = 1, stride = 1;

    std::size_t place(std::size_t i) const { return first + i / columns * stride + i % columns; }
};

// Random numbers, stored and wide; the same array where the types are the same. 8-bit floats are the numbers over the scale.
template <typename T>
class RandomMatrix {
public:
    RandomMatrix(const MatrixWindow& window, MatrixOf matrix, std::uint64_t seed, [[maybe_unused]] double scale = 0)
        : wide_(window.count) {
        const auto number = [=](std::size_t i) { return normal(seed, 2 * window.place(i) + (matrix == MatrixOf::b)); };
        if constexpr (is_float8_type<T>) {
            fill(wide_.data(), window.count, [=](std::size_t i) { return float(number(i)); });
            scale_ = scale > 0 ? static_cast<float>(scale) : scale_to_range();
            fill(wide_.data(), window.count, [this](std::size_t i) { return float(T(wide_[i] / scale_)); });
        } else {
            fill(wide_.data(), window.count, [=](std::size_t i) { return static_cast<Wide<T>>(narrow<T>(number(i))); });
        }
        if constexpr (!stored_wide<T>) {
            stored_.resize(window.count);
            fill(stored_.data(), window.count, [this](std::size_t i) { return narrow<T>(wide_[i]); });
        }
    }

    // Each of so many matrices of rows x columns becomes its transpose.
    void transpose(std::size_t matrices, std::size_t stride, std::size_t rows, std::size_t columns) {
        const auto transpose_all = [=](auto& elements) {
            for_rows(matrices, double(rows) * double(columns), [&](std::size_t first, std::size_t end) {
                std::vector<std::decay_t<decltype(elements[0])>> old(rows * columns);
                for (std::size_t i = first; i < end; ++i) {
                    std::copy_n(&elements[i * stride], old.size(), old.begin());
                    for (std::size_t x = 0; x < columns; ++x)
                        for (std::size_t y = 0; y < rows; ++y)
                            elements[i * stride + x * rows + y] = old[y * columns + x];
                }
            });
        };
        if (rows * columns == 0) return;
        transpose_all(wide_);
        if constexpr (!stored_wide<T>) transpose_all(stored_);
    }

    float scale() const { return scale_; }
    const Wide<T>* wide() const { return wide_.data(); }
    const T* stored() const {
        if constexpr (stored_wide<T>) return wide_.data();
        else return stored_.data();
    }

private:
    float scale_to_range() const {
        float largest = 0;
        for (const float element : wide_) largest = std::max(largest, std::fabs(element));
        return largest > 0 ? largest / T::Format::largest_value : 1;
    }

    float scale_ = 1;
    std::vector<Wide<T>> wide_;
    std::vector<T> stored_;
};
