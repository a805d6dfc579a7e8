// SPDX-License-Identifier: MIT
// Converts arrays: elements from one type to another, in blocks, and Fortran order, where the first index runs fastest,
// to C order, where the last one does.
// make: -O3 (its time goes into loops over numbers)
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "common/io/number_reader.hpp"

// ---- types: blocks are converted whole, without a branch, and looked through only if something in them may not fit

namespace {

template <typename T>
bool is_infinite(T value) {
    return std::fabs(static_cast<Computed<T>>(value)) > std::numeric_limits<Computed<T>>::max();
}

// Integers drop the fraction; what is outside an integer type's range then becomes 0. Other types round.
template <typename To, typename From>
struct Conversion {
    static constexpr bool to_integer = std::is_integral_v<To>, from_integer = std::is_integral_v<From>;
    static constexpr bool always_fits = from_integer && (to_integer ? sizeof(From) <= sizeof(To) : sizeof(To) >= 4);

    static bool is_in_range(From value) {
        constexpr double limit = -static_cast<double>(std::numeric_limits<To>::min());  // a power of two: exact
        // (Where a double has no fractions any more, limit + 1 is the limit.)
        const bool is_above = static_cast<double>(value) >= -limit || static_cast<double>(value) > -limit - 1;
        return is_above && static_cast<double>(value) < limit;
    }
    static To apply(From value) {
        if constexpr (!to_integer) return To(static_cast<Computed<To>>(value));
        else if constexpr (always_fits) return static_cast<To>(value);
        else return is_in_range(value) ? static_cast<To>(value) : To{};
    }
    // Also true for what is infinite in both types.
    static bool may_not_fit(From value, To result) {
        if constexpr (always_fits) return false;
        else if constexpr (to_integer) return !is_in_range(value);
        else return is_infinite(result);
    }
    static bool does_not_fit(From value, To result) {
        if constexpr (to_integer || from_integer) return may_not_fit(value, result);
        else return is_infinite(result) && !is_infinite(value);
    }
};

template <typename To, typename From>
void convert_block(const From* from, To* to, std::size_t n, DType wanted, Overflow overflow) {
    using Convert = Conversion<To, From>;
    bool some_may_not_fit = false;
    for (std::size_t i = 0; i < n; ++i) {
        to[i] = Convert::apply(from[i]);
        some_may_not_fit |= Convert::may_not_fit(from[i], to[i]);
    }
    // (A value outside an integer type's range is always refused.)
    if (!some_may_not_fit || (!Convert::to_integer && overflow != Overflow::refused)) return;
    for (std::size_t i = 0; i < n; ++i)
        if (Convert::does_not_fit(from[i], to[i]))
            fail(Exit::bad_input, "{} does not fit into {}; choose another --dtype", Computed<From>(from[i]),
                 name_of(wanted));
}

}  // namespace

void convert(const void* from, DType from_dtype, void* to, DType to_dtype, std::size_t n, Overflow overflow) {
    constexpr std::size_t block = 1024;
    with_element_type(from_dtype, [&](auto from_row) {
        with_element_type(to_dtype, [&](auto to_row) {
            const auto* source = static_cast<const typename decltype(from_row)::Element*>(from);
            auto* target = static_cast<typename decltype(to_row)::Element*>(to);
            for (std::size_t i = 0; i < n; i += block)
                convert_block(source + i, target + i, std::min(block, n - i), to_dtype, overflow);
        });
    });
}

void write_negative_zeros(const std::vector<std::size_t>& places, void* numbers, DType dtype) {
    if (places.empty()) return;
    with_element_type(dtype, [&](auto row) {
        using T = typename decltype(row)::Element;
        if constexpr (!std::is_integral_v<T>)
            for (const std::size_t place : places) static_cast<T*>(numbers)[place] = T(-0.0F);
    });
}

Chunk Chunk::converted_to(DType wanted, Overflow overflow) const {
    if (wanted == dtype) return *this;
    Chunk other;
    other.dtype = wanted;
    other.count = count;
    other.bytes.resize(count * size_of(wanted));
    convert(bytes.data(), dtype, other.bytes.data(), wanted, count, overflow);
    write_negative_zeros(negative_zeros, other.bytes.data(), wanted);
    return other;
}

// ---- order

std::vector<std::size_t> extents_of(const std::string& shape) {
    std::vector<std::size_t> extents;
    bool inside = false;
    for (char letter : shape) {
        const bool is_digit = letter >= '0' && letter <= '9';
        if (is_digit && !inside) extents.push_back(0);
        if (is_digit) extents.back() = 10 * extents.back() + static_cast<std::size_t>(letter - '0');
        inside = is_digit;
    }
    return extents;
}

namespace {

class RowOrderReader final : public NumberReader {
public:
    explicit RowOrderReader(std::unique_ptr<NumberReader> reader) : reader_(std::move(reader)) {
        layout_ = reader_->layout();
        layout_.fortran_order = false;
    }

    const NumberLayout& layout() const override { return layout_; }

    bool take(Slot& slot, std::size_t most, Cut) override {
        if (!is_read_) read_all();
        const std::size_t size = size_of(all_.dtype), count = std::min(most, all_.count - taken_);
        slot.piece = {all_.dtype, count, slot.values.reserve(count * size)};
        std::memcpy(slot.piece.bytes, all_.bytes.data() + taken_ * size, count * size);
        slot.count = count;
        taken_ += count;
        return count > 0;
    }
    void read(Slot&) const override {}
    void settle(const Slot&) override {}

private:
    void read_all() {
        const Chunk columns = reader_->read(std::numeric_limits<std::size_t>::max());
        all_ = columns;
        transpose(columns);
        layout_.dtype = all_.dtype;
        is_read_ = true;
    }

    // Counts through the indices in the file's order, and tracks where each element belongs.
    void transpose(const Chunk& columns) {
        const std::vector<std::size_t> extents = extents_of(layout_.shape);
        std::vector<std::size_t> strides(extents.size(), 1), index(extents.size(), 0);
        for (std::size_t axis = extents.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
        const std::size_t size = size_of(columns.dtype);
        std::size_t place = 0;
        for (std::size_t i = 0; i < columns.count; ++i) {
            std::memcpy(all_.bytes.data() + place * size, columns.bytes.data() + i * size, size);
            for (std::size_t axis = 0; axis < extents.size(); ++axis) {
                place += strides[axis];
                if (++index[axis] < extents[axis]) break;
                place -= strides[axis] * extents[axis];
                index[axis] = 0;
            }
        }
    }

    std::unique_ptr<NumberReader> reader_;
    NumberLayout layout_;
    Chunk all_;
    std::size_t taken_ = 0;
    bool is_read_ = false;
};

}  // namespace

std::unique_ptr<NumberReader> in_row_order(std::unique_ptr<NumberReader> reader) {
    if (!reader->layout().fortran_order) return reader;
    return std::make_unique<RowOrderReader>(std::move(reader));
}
