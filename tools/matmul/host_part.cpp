// SPDX-License-Identifier: MIT
// make: -O3 (its time goes into loops over numbers)
#include "tools/matmul/host_part.hpp"

#include <algorithm>
#include <optional>

#include "tools/matmul/random_matrix.hpp"
#include "tools/matmul/reference.hpp"

namespace {

// The range from the first to the last row, or column, that any part has.
IndexRange range_of(const std::vector<ProductBlock>& parts, IndexRange ProductBlock::*side) {
    std::optional<IndexRange> all;
    for (const ProductBlock& part : parts) {
        const IndexRange& range = part.*side;
        if (range.size == 0) continue;
        const std::size_t begin = all ? std::min(all->begin, range.begin) : range.begin;
        all = {begin, std::max(all ? all->end() : 0, range.end()) - begin};
    }
    return all.value_or(IndexRange{});
}

// A range, relative to the start of all. (An empty one may begin anywhere.)
IndexRange within(const IndexRange& range, const IndexRange& all) {
    return range.size == 0 ? IndexRange{} : IndexRange{range.begin - all.begin, range.size};
}

template <typename T>
class TypedHostPart final : public HostPart {
public:
    TypedHostPart(DType dtype, const ProductShape& shape, const std::vector<ProductBlock>& parts,
                  const HostPartSettings& settings)
        : dtype_(dtype),
          shape_(shape),
          settings_(settings),
          rows_(range_of(parts, &ProductBlock::rows)),
          columns_(range_of(parts, &ProductBlock::columns)) {
        std::size_t largest = 0;
        for (const ProductBlock& part : parts) {
            parts_.push_back({within(part.rows, rows_), within(part.columns, columns_)});
            largest = std::max(largest, part.rows.size * part.columns.size);
        }
        c_.resize(largest);
    }

    void make(const UseBlock& use_a, const UseBlock& use_b) override {
        const RandomMatrix<T> a({rows_.size * shape_.k, rows_.begin * shape_.k}, MatrixOf::a, settings_.seed);
        const bool is_first = settings_.verify && !reference_;
        if (is_first)
            reference_ = std::make_unique<Reference>(
                CheckedProduct{{rows_.size, columns_.size, shape_.k}, parts_, rows_.begin, columns_.begin}, a.wide(),
                settings_.seed, 1.0, settings_.tolerance, typename Reference::Effort{});
        use_a(block_of({rows_, {0, shape_.k}}, a));
        const std::size_t at_once =
            std::max<std::size_t>(1, settings_.elements_at_once / std::max<std::size_t>(1, columns_.size));
        for (std::size_t row = 0; row < shape_.k; row += at_once) {
            const IndexRange rows = {row, std::min(at_once, shape_.k - row)};
            const RandomMatrix<T> b({rows.size * columns_.size, row * shape_.n + columns_.begin,
                                     std::max<std::size_t>(1, columns_.size), shape_.n},
                                    MatrixOf::b, settings_.seed);
            if (is_first) reference_->add_rows_of_b(rows, b.wide());
            use_b(block_of({rows, columns_}, b));
        }
        if (is_first) reference_->finish();
    }

    void* c() override { return c_.data(); }

    Verdict check(std::size_t part) const override {
        const std::size_t first_row = parts_[part].rows.begin;
        const auto read_row = [&](std::size_t row, const IndexRange& columns, double* elements) {
            const T* const c_row = c_.data() + (row - first_row) * columns.size;
            for (std::size_t j = 0; j < columns.size; ++j) elements[j] = double(static_cast<Wide<T>>(c_row[j]));
        };
        SquaredError squares;
        return reference_->check(read_row, part, roundings_of(dtype_), squares);
    }
    bool checks_all() const override { return !reference_ || reference_->complete(); }

private:
    using Reference = ProductReference<Wide<T>>;

    static HostBlock block_of(const ProductBlock& place, const RandomMatrix<T>& elements) {
        return {place, reinterpret_cast<const unsigned char*>(elements.stored()), sizeof(T)};
    }

    const DType dtype_;
    const ProductShape shape_;
    const HostPartSettings settings_;
    const IndexRange rows_, columns_;  // of C, of all parts
    std::vector<ProductBlock> parts_;  // relative to these ranges
    std::vector<T> c_;
    std::unique_ptr<Reference> reference_;
};

}  // namespace

std::unique_ptr<HostPart> make_host_part(DType dtype, const ProductShape& shape, const std::vector<ProductBlock>& parts,
                                         const HostPartSettings& settings) {
    return with_element(dtype, [&](auto element) -> std::unique_ptr<HostPart> {
        using T = decltype(element);
        // (Their scale would depend on all elements.)
        if constexpr (is_float8_type<T>) refuse_dtype(dtype);
        else return std::make_unique<TypedHostPart<T>>(dtype, shape, parts, settings);
    });
}
