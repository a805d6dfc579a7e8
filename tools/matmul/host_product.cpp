// SPDX-License-Identifier: MIT
// make: -O3 (its time goes into loops over numbers)
#include "tools/matmul/host_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tools/matmul/element.hpp"
#include "tools/matmul/host_kernels.hpp"
#include "tools/matmul/openblas.hpp"
#include "tools/matmul/random_matrix.hpp"
#include "tools/matmul/reference.hpp"

namespace {

template <typename T>
class TypedHostProduct final : public HostProduct {
public:
    TypedHostProduct(DType dtype, const ProductShape& shape, const ProductForm& form,
                     const HostProductSettings& settings)
        : dtype_(dtype),
          shape_(shape),
          form_(form),
          strides_(ProductStrides::aligned(shape, form, sizeof(T))),
          a_({form.products() * strides_.a}, MatrixOf::a, settings.seed, settings.scale_a),
          b_({elements_of_b(shape, form, strides_)}, MatrixOf::b, settings.seed, settings.scale_b),
          c_(form.products() * strides_.c) {
        if (settings.verify) make_references(settings);
        if (form.transposed.a) a_.transpose(form.products(), strides_.a, shape.m, shape.k);
        if (form.transposed.b) b_.transpose(form.shares_b ? 1 : form.products(), strides_.b, shape.k, shape.n);
    }

    const void* a() const override { return a_.stored(); }
    const void* b() const override { return b_.stored(); }
    void* c() override { return c_.data(); }
    const float* scales() const override { return is_float8_type<T> ? scales_ : nullptr; }

    void multiply_on_one_core() override {
        for (std::size_t i = 0; i < form_.products(); ++i) ::multiply_on_one_core(matrices().product(i));
    }
    void multiply_on_all_cores() override { ::multiply_on_all_cores(matrices()); }
    void multiply_with_openblas() override {
        if constexpr (stored_wide<T>)
            for (std::size_t i = 0; i < form_.products(); ++i) {
                const HostMatrices<T> one = matrices().product(i);
                openblas_.multiply(shape_, form_.transposed, one.a, one.b, one.c);
            }
    }

    ProductCheck check(Sums sums) const override {
        std::vector<Verdict> verdicts(references_.size());
        std::vector<SquaredError> squares(references_.size());
        for_products([&](std::size_t i) {
            const ResultElement<T>* c = c_.data() + i * strides_.c;
            const auto read_row = [&](std::size_t row, const IndexRange& columns, double* elements) {
                for (std::size_t j = 0; j < columns.size; ++j)
                    elements[j] = double(static_cast<Wide<T>>(c[row * shape_.n + columns.begin + j]));
            };
            verdicts[i] = references_[i]->check(read_row, 0, roundings_of(dtype_, sums), squares[i]);
        });
        SquaredError all;
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            if (!verdicts[i].right) return {{false, (form_.batch ? text("product {}, ", i) : "") + verdicts[i].detail}};
            all.errors += squares[i].errors;
            all.elements += squares[i].elements;
        }
        return {{}, all.elements > 0 ? 1e6 * std::sqrt(all.errors / all.elements) : -1};
    }
    bool checks_all() const override { return references_.empty() || references_.front()->complete(); }

private:
    using Reference = ProductReference<Wide<T>>;

    double scale() const { return double(scales_[0]) * double(scales_[1]); }
    HostMatrices<T> matrices() { return {shape_, form_, strides_, a_.wide(), b_.wide(), c_.data(), scale()}; }

    // If there are many products, each is checked on one core; if there are few, on all.
    bool has_many() const { return form_.products() >= many; }
    template <typename Action>
    void for_products(Action action) const {
        const double steps = shape_.flop() / 2 + shape_.elements();
        const auto some = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) action(i);
        };
        for_rows(form_.products(), steps, some, has_many() ? ~std::size_t{0} : 1);
    }

    void make_references(const HostProductSettings& settings) {
        typename Reference::Effort effort;
        effort.steps /= double(std::max<std::size_t>(1, form_.products()));
        if (has_many()) effort.cores = 1;
        const CheckedProduct product = {shape_, {{{0, shape_.m}, {0, shape_.n}}}};
        references_.resize(form_.products());
        for_products([&](std::size_t i) {
            references_[i] = std::make_unique<Reference>(product, a_.wide() + i * strides_.a, settings.seed, scale(),
                                                         settings.tolerance, effort);
            references_[i]->add_rows_of_b({0, shape_.k}, b_.wide() + i * strides_.b);
            references_[i]->finish();
        });
    }

    static constexpr std::size_t many = 16;

    DType dtype_;
    ProductShape shape_;
    ProductForm form_;
    ProductStrides strides_;
    RandomMatrix<T> a_, b_;
    const float scales_[2] = {a_.scale(), b_.scale()};
    std::vector<ResultElement<T>> c_;
    std::vector<std::unique_ptr<Reference>> references_;
    OpenBlas openblas_;
};

}  // namespace

std::unique_ptr<HostProduct> make_host_product(DType dtype, const ProductShape& shape, const ProductForm& form,
                                               const HostProductSettings& settings) {
    return with_element(dtype, [&](auto element) -> std::unique_ptr<HostProduct> {
        return std::make_unique<TypedHostProduct<decltype(element)>>(dtype, shape, form, settings);
    });
}

template <typename T>
static void multiply_stored(const ProductShape& shape, const ProductForm& form, const void* a, const void* b, void* c) {
    multiply_on_all_cores(HostMatrices<T>{shape, form, ProductStrides::dense(shape, form), static_cast<const T*>(a),
                                          static_cast<const T*>(b), static_cast<T*>(c)});
}

void multiply_on_host(DType dtype, const ProductShape& shape, const ProductForm& form, const void* a, const void* b,
                      void* c) {
    if (dtype == DType::f32) return multiply_stored<float>(shape, form, a, b, c);
    if (dtype == DType::f64) return multiply_stored<double>(shape, form, a, b, c);
    refuse_dtype(dtype);
}

bool openblas_has(DType dtype) { return size_of(dtype) >= sizeof(float) && bool(OpenBlas()); }
