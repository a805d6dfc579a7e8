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
    // Its elements are those with numbers `first`, `first` + 2, ... of the seed.
    RandomMatrix(std::size_t elements, std::uint64_t seed, std::uint64_t first) : wide_(elements) {
        fill(wide_.data(), elements,
             [=](std::size_t i) { return static_cast<Wide<T>>(narrow<T>(normal(seed, 2 * i + first))); });
        if constexpr (!stored_wide<T>) {
            stored_.resize(elements);
            fill(stored_.data(), elements, [this](std::size_t i) { return narrow<T>(wide_[i]); });
        }
    }

    const Wide<T>* wide() const { return wide_.data(); }
    const T* stored() const {
        if constexpr (stored_wide<T>) return wide_.data();
        else return stored_.data();
    }

private:
    std::vector<Wide<T>> wide_;
    std::vector<T> stored_;
};

template <typename T>
class TypedHostProduct final : public HostProduct {
public:
    TypedHostProduct(DType dtype, const ProductShape& shape, const HostProductSettings& settings)
        : shape_(shape),
          a_(shape.m * shape.k, settings.seed, 0),
          b_(shape.k * shape.n, settings.seed, 1),
          c_(shape.m * shape.n) {
        if (settings.verify)
            reference_ = std::make_unique<ProductReference<Wide<T>>>(shape, a_.wide(), b_.wide(), settings.seed,
                                                                     roundings_of(dtype), settings.tolerance);
    }

    const void* a() const override { return a_.stored(); }
    const void* b() const override { return b_.stored(); }
    void* c() override { return c_.data(); }

    void multiply_on_one_core() override { multiply_rows<T>(shape_, a_.wide(), b_.wide(), c_.data(), 0, shape_.m); }
    void multiply_on_all_cores() override { ::multiply_on_all_cores<T>(shape_, a_.wide(), b_.wide(), c_.data()); }
    void multiply_with_openblas() override {
        if constexpr (stored_wide<T>) openblas_.multiply(shape_, a_.wide(), b_.wide(), c_.data());
    }

    Verdict check() const override {
        return reference_->check([this](std::size_t row, double* elements) {
            for (std::size_t j = 0; j < shape_.n; ++j)
                elements[j] = double(static_cast<Wide<T>>(c_[row * shape_.n + j]));
        });
    }
    bool checks_all() const override { return !reference_ || reference_->complete(); }

private:
    ProductShape shape_;
    RandomMatrix<T> a_, b_;
    std::vector<T> c_;
    std::unique_ptr<ProductReference<Wide<T>>> reference_;
    OpenBlas openblas_;
};

}  // namespace

std::unique_ptr<HostProduct> make_host_product(DType dtype, const ProductShape& shape,
                                               const HostProductSettings& settings) {
    return with_element(dtype, [&](auto element) -> std::unique_ptr<HostProduct> {
        return std::make_unique<TypedHostProduct<decltype(element)>>(dtype, shape, settings);
    });
}

template <typename T>
static void multiply_stored(const ProductShape& shape, const void* a, const void* b, void* c) {
    multiply_on_all_cores<T>(shape, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c));
}

void multiply_on_host(DType dtype, const ProductShape& shape, const void* a, const void* b, void* c) {
    if (dtype == DType::f32) return multiply_stored<float>(shape, a, b, c);
    if (dtype == DType::f64) return multiply_stored<double>(shape, a, b, c);
    refuse_dtype(dtype);
}

bool openblas_has(DType dtype) { return size_of(dtype) >= sizeof(float) && bool(OpenBlas()); }
