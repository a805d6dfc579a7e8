// SPDX-License-Identifier: MIT
// The host's side of one product, or a batch: its inputs, the CPU's variants, and whether a result is right.
#pragma once

#include <cstdint>
#include <memory>

#include "common/io/dtype.hpp"
#include "common/measure/verify.hpp"
#include "tools/matmul/element.hpp"
#include "tools/matmul/shape.hpp"

// Whether C is right, and, if that is known, how far off: the root of the mean square of its errors, in millionths of
// that of its elements.
struct ProductCheck {
    Verdict verdict;
    double error_ppm = -1;
};

class HostProduct {
public:
    virtual ~HostProduct() = default;

    // The matrices as a device stores them, those of a batch with ProductStrides::aligned(). C is where the CPU's
    // variants leave their result, and where a device's is to be copied.
    virtual const void* a() const = 0;
    virtual const void* b() const = 0;
    virtual void* c() = 0;
    // For 8-bit floats, the factor of A's elements, and that of B's; nullptr for other types.
    virtual const float* scales() const = 0;

    virtual void multiply_on_one_core() = 0;
    virtual void multiply_on_all_cores() = 0;
    virtual void multiply_with_openblas() = 0;

    // Whether every product's C is A B, within the error of such sums. Only if the settings asked for verification.
    virtual ProductCheck check(Sums sums) const = 0;
    // Whether that looks at every element of C; large products are checked by some rows and a random vector.
    virtual bool checks_all() const = 0;
};

struct HostProductSettings {
    std::uint64_t seed = 0;
    bool verify = true;
    double tolerance = -1;            // relative; negative: what follows from type and k
    double scale_a = 0, scale_b = 0;  // of 8-bit floats; 0: the largest element becomes the type's largest number
};

std::unique_ptr<HostProduct> make_host_product(DType dtype, const ProductShape& shape, const ProductForm& form,
                                               const HostProductSettings& settings);

// C = A B on all cores, for matrices of f32 or f64; those of a batch follow each other without gaps.
void multiply_on_host(DType dtype, const ProductShape& shape, const ProductForm& form, const void* a, const void* b,
                      void* c);

// Whether OpenBLAS is installed and multiplies that type.
bool openblas_has(DType dtype);
