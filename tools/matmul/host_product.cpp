#include "tools/matmul/host_product.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

#include "common/measure/random.hpp"
#include "tools/matmul/element.hpp"
#include "tools/matmul/host_kernels.hpp"
#include "tools/matmul/openblas.hpp"
#include "tools/matmul/reference.hpp"

namespace {

// Standard normal (Box and Muller, 1958): products of such numbers are what a matrix product meets in practice; zeros
// and small integers would cost a GPU less power, and so run faster.
double normal(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t bits = random_bits(seed, index);
    const double radius = (static_cast<double>(bits >> 32) + 1) * 0x1p-32,
                 angle = static_cast<double>(bits & 0xffffffffu) * 0x1p-32;
    return std::sqrt(-2 * std::log(radius)) * std::cos(6.283185307179586 * angle);
}

template <typename T>
constexpr bool stored_wide = std::is_same_v<T, Wide<T>>;

// A matrix of random numbers, stored and wide; the same array where the types are the same.
template <typename T>
class RandomMatrix {
public:
    // Its elements are those with numbers `first`, `first` + 2, ... of the seed; as 8-bit floats over the scale.
    RandomMatrix(std::size_t elements, std::uint64_t seed, std::uint64_t first, [[maybe_unused]] double scale)
        : wide_(elements) {
        if constexpr (is_float8_type<T>) {
            fill(wide_.data(), elements, [=](std::size_t i) { return float(normal(seed, 2 * i + first)); });
            scale_ = scale > 0 ? static_cast<float>(scale) : scale_to_range();
            fill(wide_.data(), elements, [this](std::size_t i) { return float(T(wide_[i] / scale_)); });
        } else {
            fill(wide_.data(), elements,
                 [=](std::size_t i) { return static_cast<Wide<T>>(narrow<T>(normal(seed, 2 * i + first))); });
        }
        if constexpr (!stored_wide<T>) {
            stored_.resize(elements);
            fill(stored_.data(), elements, [this](std::size_t i) { return narrow<T>(wide_[i]); });
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

template <typename T>
class TypedHostProduct final : public HostProduct {
public:
    TypedHostProduct(DType dtype, const ProductShape& shape, const ProductForm& form,
                     const HostProductSettings& settings)
        : dtype_(dtype),
          shape_(shape),
          form_(form),
          strides_(ProductStrides::aligned(shape, form, sizeof(T))),
          a_(form.products() * strides_.a, settings.seed, 0, settings.scale_a),
          b_(elements_of_b(shape, form, strides_), settings.seed, 1, settings.scale_b),
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

    ProductCheck check(Sums sums, std::size_t part) const override {
        std::vector<Verdict> verdicts(references_.size());
        std::vector<SquaredError> squares(references_.size());
        for_products([&](std::size_t i) {
            const ResultElement<T>* c = c_.data() + i * strides_.c;
            const auto read_row = [&](std::size_t row, double* elements) {
                for (std::size_t j = 0; j < shape_.n; ++j)
                    elements[j] = double(static_cast<Wide<T>>(c[row * shape_.n + j]));
            };
            verdicts[i] = references_[i]->check(read_row, part, roundings_of(dtype_, sums), squares[i]);
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

    // Of many products each is checked on one core, of few on all.
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
        const std::vector<ProductBlock> all = {{{0, shape_.m}, {0, shape_.n}}};
        references_.resize(form_.products());
        for_products([&](std::size_t i) {
            references_[i] = std::make_unique<Reference>(shape_, a_.wide() + i * strides_.a, b_.wide() + i * strides_.b,
                                                         settings.parts.empty() ? all : settings.parts, settings.seed,
                                                         scale(), settings.tolerance, effort);
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
