// SPDX-License-Identifier: MIT
// The products of matmul as a filter: in the type of the files, on one device or on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/io/chunk.hpp"
#include "tools/matmul/filter_places.cuh"
#include "tools/matmul/product.cuh"

namespace BACKEND {

// The type in which a file stores numbers of a type: f32 for tf32.
inline DType dtype_in_files(DType dtype) { return dtype == DType::tf32 ? DType::f32 : dtype; }

// 8-bit floats as kernels take them. (The reader has widened them to f32.)
inline Chunk float8_of(const Chunk& chunk, DType dtype) {
    Chunk narrow = chunk.converted_to(dtype, Overflow::infinite);
    if (dtype == DType::e5m2)  // whose conversion does not give infinity
        for (std::size_t i = 0; i < chunk.count; ++i)
            if (std::isinf(chunk.as<float>()[i]))
                narrow.as<Float8E5M2>()[i].bits = chunk.as<float>()[i] > 0 ? 0x7c : 0xfc;
    return narrow;
}

// Products on one device, or on the host if filters compute there. The device must be the current one where this is
// made and used. Several threads may use it at once, each with a place of its own.
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
        // If no kernel takes f16, f32 gives the same: exact products, sums in f32, rounded at the end. So it is with
        // 8-bit floats on the host; every device has kernels for them.
        widens_ =
            (dtype == DType::f16 && (on_host_ || !find_plan(variant_, problem_of(dtype, {shape, form})).launch)) ||
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
    // Rows that fit into one of `parts` parts of 64 MiB, or more if these are too few to make loading B worthwhile.
    std::size_t rows_at_once(std::size_t parts = 1) const {
        const std::size_t row_bytes = (shape_.k + shape_.n + 1) * size_of(computed_);
        return std::max(memory / parts / row_bytes / least_rows * least_rows, least_rows);
    }
    // Products that fit into such a part, at least one.
    std::size_t products_at_once(std::size_t parts = 1) const {
        const double bytes = std::max(1.0, shape_.elements()) * double(size_of(computed_)) * double(parts);
        return std::max<std::size_t>(1, static_cast<std::size_t>(double(memory) / bytes));
    }

    // An operand in the type in which it is multiplied.
    Chunk typed(Chunk matrix) const {
        if (widens_ && dtype_ == DType::f16) matrix = matrix.converted_to(DType::f16);
        if (is_float8(computed_)) return float8_of(matrix, computed_);
        const DType stored = dtype_in_files(computed_);
        return matrix.dtype == stored ? std::move(matrix) : matrix.converted_to(stored);
    }

    // To be called ahead of multiply(): how many rows of A, or matrices of a batch, the parts have, and in how many
    // places.
    void plan(std::vector<std::size_t> counts, bool is_batch, std::size_t places) {
        counts_ = std::move(counts);
        is_batch_ = is_batch;
        places_ = places;
    }
    // Sets one B for all parts, which several devices may share.
    void set_b(std::shared_ptr<const Chunk> typed_b) { b_ = std::move(typed_b); }

    // The products of `count` rows of A, or of `count` matrices, with the B of all parts or one of their own.
    Chunk multiply(std::size_t place, Chunk chunk_of_a, std::size_t count, Chunk chunk_of_b = {}) {
        const PartOfProduct part = part_of(count);
        const Chunk a = typed(std::move(chunk_of_a));
        const Chunk own_b = b_ ? Chunk{} : typed(std::move(chunk_of_b));
        Chunk c;
        c.dtype = dtype_in_files(result_dtype(computed_));
        c.count = part.form.products() * part.shape.m * part.shape.n;
        c.bytes.resize(c.count * size_of(c.dtype));
        if (on_host_) {
            multiply_on_host(computed_, part.shape, part.form, a.bytes.data(), (b_ ? *b_ : own_b).bytes.data(),
                             c.bytes.data());
        } else {
            std::call_once(prepared_, [this] { prepare(); });
            if (!b_) on_device_->upload_b(place, part, own_b.bytes.data());
            on_device_->multiply(place, part, plans_.at(count), a.bytes.data(), c.bytes.data());
        }
        if (is_float8(dtype_)) return float8_product(std::move(c));
        return widens_ ? c.converted_to(DType::f16, Overflow::infinite) : c;
    }

    // A part of fewer rows would not be worth its launch.
    static constexpr std::size_t least_rows = 256;

private:
    static constexpr std::size_t memory = std::size_t{64} << 20;

    // Rounded to bf16 everywhere, as by kernels, and f32 in files: NumPy has no bf16.
    Chunk float8_product(Chunk c) const {
        if (on_host_)
            for (std::size_t i = 0; i < c.count; ++i) c.as<float>()[i] *= scales_[0] * scales_[1];
        return c.converted_to(DType::bf16, Overflow::infinite).converted_to(DType::f32);
    }

    PartOfProduct part_of(std::size_t count) const {
        PartOfProduct part{shape_, form_};
        if (is_batch_) part.form.batch = count;
        else part.shape.m = count, part.form.batch.reset();
        return part;
    }

    ProductProblem problem_of(DType dtype, const PartOfProduct& part) const {
        ProductProblem problem = problem_on(session_, info_, dtype);
        problem.shape = part.shape;
        problem.form = part.form;
        return problem;
    }

    void prepare() {
        std::size_t workspace = 0, most = 0;
        for (const std::size_t count : counts_) {
            const ProductProblem problem = problem_of(computed_, part_of(count));
            const Plan plan = find_plan(variant_, problem);
            if (!plan.launch) fail(Exit::unavailable, "{}: {}", variant_.name, why_not(problem, variant_));
            workspace = std::max(workspace, plan.workspace_bytes);
            most = std::max(most, count);
            plans_[count] = plan;
            session_.detail(text("{} by {}", name_of_products(problem.shape, problem.form), plan.name()));
        }
        const PartOfProduct largest = part_of(most);
        on_device_ =
            std::make_unique<DevicePlaces>(session_, info_, computed_, largest, places_, b_ != nullptr, workspace);
        if (is_float8(computed_)) on_device_->upload_scales(scales_);
        if (b_) on_device_->upload_b(0, largest, b_->bytes.data());
    }

    const Session& session_;
    const DeviceInfo info_;
    const MatmulVariant& variant_;
    DType dtype_, computed_;
    const ProductShape shape_;
    const ProductForm form_;
    std::vector<std::size_t> counts_;
    bool is_batch_ = false;
    std::size_t places_ = 1;
    std::shared_ptr<const Chunk> b_;
    float scales_[2] = {1, 1};  // of 8-bit floats
    bool on_host_ = false, widens_ = false;
    std::once_flag prepared_;
    std::map<std::size_t, Plan> plans_;  // by number of rows or matrices
    std::unique_ptr<DevicePlaces> on_device_;
};

}  // namespace BACKEND
