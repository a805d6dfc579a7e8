// The products of matmul as a filter: in the type of the files, on one device or on the host.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "common/io/numbers.hpp"
#include "tools/matmul/product.cuh"

namespace BACKEND {

// How numbers of a type lie in a file: tf32 as f32.
inline DType dtype_in_files(DType dtype) { return dtype == DType::tf32 ? DType::f32 : dtype; }

// 8-bit floats as kernels take them: the reader has made f32 of them, each of which is such a number.
inline Chunk float8_of(const Chunk& chunk, DType dtype) {
    Chunk narrow = chunk.converted_to(dtype, Overflow::infinite);
    if (dtype == DType::e5m2)  // whose conversion does not give infinity
        for (std::size_t i = 0; i < chunk.count; ++i)
            if (std::isinf(chunk.as<float>()[i]))
                narrow.as<Float8E5M2>()[i].bits = chunk.as<float>()[i] > 0 ? 0x7c : 0xfc;
    return narrow;
}

// Products where filters compute, on one device: the current one where this is made and used. B stays there until there is
// another one.
class FilterProducts {
public:
    FilterProducts(const Session& session, const DeviceInfo& device, DType dtype, const ProductShape& shape,
                   const ProductForm& form)
        : session_(session),
          info_(device),
          variant_(session.filter_variant<MatmulVariant>("fastest")),
          dtype_(dtype),
          shape_(shape),
          form_(form) {
        on_host_ = are_on_host(session, dtype);
        // Where no kernel takes f16, f32 gives the same: exact products, sums in f32, rounded at the end. So it is with
        // 8-bit floats, of which every device has kernels.
        widens_ = (dtype == DType::f16 && (on_host_ || !find_method(variant_, problem_of(dtype)).launch)) ||
                  (is_float8(dtype) && on_host_);
        computed_ = widens_ ? DType::f32 : dtype;
        const auto& asked = session.own<MatmulOptions>();
        if (asked.scale_a > 0) scales_[0] = static_cast<float>(asked.scale_a);
        if (asked.scale_b > 0) scales_[1] = static_cast<float>(asked.scale_b);
    }

    static bool are_on_host(const Session& session, DType dtype) {
        return session.computes_on_host() && dtype != DType::tf32;
    }

    DType computed_type() const { return computed_; }
    // Rows for which an operation on B is worth its way to the cores, in a memory of 64 MiB.
    std::size_t rows_at_once() const {
        const std::size_t row_bytes = (shape_.k + shape_.n + 1) * size_of(computed_), least = 256;
        return std::max(memory / row_bytes / least * least, least);
    }
    // Products in that memory, one at least.
    std::size_t products_at_once() const {
        const double bytes = std::max(1.0, shape_.elements()) * double(size_of(computed_));
        return std::max<std::size_t>(1, static_cast<std::size_t>(double(memory) / bytes));
    }

    // An operand as it is multiplied.
    Chunk typed(Chunk matrix) const {
        if (widens_ && dtype_ == DType::f16) matrix = matrix.converted_to(DType::f16);
        if (is_float8(computed_)) return float8_of(matrix, computed_);
        const DType stored = dtype_in_files(computed_);
        return matrix.dtype == stored ? std::move(matrix) : matrix.converted_to(stored);
    }

    // Several devices may have the same B.
    void set_b(std::shared_ptr<const Chunk> typed_b) {
        b_ = std::move(typed_b);
        b_is_on_device_ = false;
    }

    // The products of so many rows of A, or of so many matrices.
    Chunk multiply(Chunk chunk_of_a, std::size_t rows, std::optional<std::size_t> batch) {
        shape_.m = rows;
        form_.batch = batch;
        const Chunk a = typed(std::move(chunk_of_a));
        Chunk c;
        c.dtype = dtype_in_files(result_dtype(computed_));
        c.count = form_.products() * shape_.m * shape_.n;
        c.bytes.resize(c.count * size_of(c.dtype));
        if (on_host_) multiply_on_host(computed_, shape_, form_, a.bytes.data(), b_->bytes.data(), c.bytes.data());
        else multiply_on_device(a, c);
        if (is_float8(dtype_)) return float8_product(std::move(c));
        return widens_ ? c.converted_to(DType::f16, Overflow::infinite) : c;
    }

private:
    static constexpr std::size_t memory = std::size_t{64} << 20;

    // In bf16 everywhere, as kernels have it, and f32 in files: NumPy has no bf16.
    Chunk float8_product(Chunk c) const {
        if (on_host_)
            for (std::size_t i = 0; i < c.count; ++i) c.as<float>()[i] *= scales_[0] * scales_[1];
        return c.converted_to(DType::bf16, Overflow::infinite).converted_to(DType::f32);
    }

    ProductProblem problem_of(DType dtype) const {
        ProductProblem problem = problem_on(session_, info_, dtype);
        problem.shape = shape_;
        problem.form = form_;
        return problem;
    }

    void multiply_on_device(const Chunk& a, Chunk& c) {
        if (!device_ || device_->shape.m != shape_.m || device_->form.products() != form_.products()) {
            method_ = find_method(variant_, problem_of(computed_));
            if (!method_.launch)
                fail(Exit::unavailable, "{}: {}", variant_.name, why_not(problem_of(computed_), variant_));
            device_.reset();
            device_ = std::make_unique<DeviceProduct>(info_, computed_, shape_, form_, method_.workspace_bytes);
            if (is_float8(computed_)) device_->upload_scales(scales_);
            b_is_on_device_ = false;
        }
        if (!b_is_on_device_) device_->upload_dense_b(b_->bytes.data());
        b_is_on_device_ = true;
        device_->upload_dense_a(a.bytes.data());
        device_->launch(method_, session_, nullptr);
        CHECK(cudaGetLastError());
        device_->download_dense_c(c.bytes.data());
    }

    const Session& session_;
    const DeviceInfo info_;
    const MatmulVariant& variant_;
    DType dtype_, computed_;
    ProductShape shape_;
    ProductForm form_;
    std::shared_ptr<const Chunk> b_;
    float scales_[2] = {1, 1};  // of 8-bit floats
    bool on_host_ = false, widens_ = false, b_is_on_device_ = false;
    ProductMethod method_;
    std::unique_ptr<DeviceProduct> device_;
};

}  // namespace BACKEND
